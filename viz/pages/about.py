"""About: what runs here, where it comes from, and what it is not."""

import streamlit as st

from viz.pages import chrome, engine


def about(pages: list) -> None:
    """The page."""
    chrome.style()
    source = engine.first_source()
    chrome.header(pages, source, lambda _: None)
    st.markdown("…")
