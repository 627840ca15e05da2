"""Glassbox GPT-2: the page's configuration and its pages. `streamlit run app.py` starts it."""

import streamlit as st

from viz.pages.about import about
from viz.pages.explore import explore

st.set_page_config(page_title="Glassbox GPT-2", layout="wide", initial_sidebar_state="collapsed")

PAGES: list = []
PAGES += [
    st.Page(lambda: explore(PAGES), title="Explore", url_path="explore", default=True),
    st.Page(lambda: about(PAGES), title="About", url_path="about"),
]
st.navigation(PAGES, position="hidden").run()
