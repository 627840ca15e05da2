"""What frames every page: its style, its header, and the small parts all panels share."""

import html
from collections.abc import Callable

import pandas as pd
import streamlit as st

from viz.pages import components, engine, models
from viz.pages.state import linked, use_model
from viz.theme import Theme, css_variables, theme_named

MOST_TABLE_ROWS = 250  # a page's table; the CSV has them all


def theme() -> Theme:
    """The colours of the theme the visitor's browser shows."""
    return theme_named(st.context.theme.type)


def style() -> None:
    """The page's own style sheet; its colours come from viz/theme.py alone."""
    sheet = (components.ASSETS / "page.css").read_text(encoding="utf-8")
    st.html(f"<style>{css_variables()}{sheet}</style>")


def header(pages: list, source: str) -> None:
    """Name, pages, the model in use, and the link to this view."""
    with st.container(horizontal=True, vertical_alignment="center", key="header"):
        st.html('<div class="gb-name">Glassbox GPT-2</div>', width="content")
        for page in pages:
            st.page_link(page, query_params=linked())
        st.space("stretch")
        models.offer(source, use_model)
        models.menu(source, use_model)
        components.copy_link(source if source in engine.TITLES else "")
    models.progress(source, use_model)


def heading(title: str, box: str, shape: str, kind: str) -> None:
    """A panel's title, the module's own path, and the shape of what is shown."""
    st.html(
        f'<div class="gb-heading gb-{kind}"><h2>{html.escape(title)}</h2>'
        f"<code>{html.escape(box)}</code>"
        f'<code class="gb-shape">{html.escape(shape)}</code></div>'
    )


def facts(title: str, rows: dict) -> None:
    """A small table of names and values."""
    cells = (
        f"<tr><th scope='row'>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    caption = f"<caption>{html.escape(title)}</caption>"
    st.html(f'<table class="gb-facts">{caption}{"".join(cells)}</table>')


def say(sentence: str, kind: str = "reads") -> None:
    """A fixed sentence on how to read a picture (`reads`), or another line of small print."""
    st.html(f'<p class="gb-{kind}">{sentence}</p>')


def stands_out(caption: str) -> None:
    """The computed caption, already HTML with every token escaped."""
    st.html(f'<p class="gb-caption"><strong>What stands out.</strong> {caption}</p>')


def data(name: str, rows: Callable[[], pd.DataFrame], everything: Callable[[], pd.DataFrame]):
    """The numbers behind a panel as a table, for those who cannot see it, and as a CSV of all rows.

    The CSV is made when it is asked for, and only of the run that showed its button: inside the
    table, the button comes and goes with the very picture it belongs to.
    """
    table = st.popover("Table, CSV", type="tertiary", on_change="rerun", key="table")
    if table.open:
        with table:
            st.download_button(
                "Download all rows as CSV",
                data=lambda: everything().to_csv(index=False).encode("utf-8"),
                file_name=f"glassbox-{name}.csv",
                mime="text/csv",
                on_click="ignore",
                key="csv",
            )
            st.html(_html_table(rows()))


def _html_table(frame: pd.DataFrame) -> str:
    """`frame` as an HTML table, every cell escaped by pandas; long ones say where they stop."""
    shown = frame.head(MOST_TABLE_ROWS).to_html(
        index=False, border=0, classes="gb-table", float_format="{:.4g}".format
    )
    more = len(frame) - MOST_TABLE_ROWS
    return shown + (f"<p>{more:,} more rows are in the CSV.</p>" if more > 0 else "")
