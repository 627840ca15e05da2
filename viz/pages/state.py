"""What this visitor has chosen, held against the address bar, and what is still to be told."""

import html
import json
import time
from dataclasses import replace

import streamlit as st

from viz.labels import whole
from viz.pages import growth
from viz.pages.components import ASSETS
from viz.pages.view import View, from_params

EXAMPLES = json.loads((ASSETS / "examples.json").read_text(encoding="utf-8"))
DEFAULT = View(q=EXAMPLES[0]["text"])
LAG = 3.0  # seconds a browser may take to hear of a choice


def current_view(page: str) -> View:
    """The view of this session; the address bar decides whenever it was changed from outside.

    page: the one that is drawn.
    """
    params = st.query_params.to_dict()
    st.session_state.setdefault("stale", False)
    if came_by_link(page, params):
        published(params)
        choose()
        return st.session_state["view"]
    if in_doubt(params):
        look_again()
    if "view" not in st.session_state or changed_outside(params):
        st.session_state["view"], notices = from_params(params, DEFAULT)
        notice(*notices)
        published(params)
        growth.stop()
    return st.session_state["view"]


def came_by_link(page: str, params: dict[str, str]) -> bool:
    """Whether the visitor has just followed a link of the header.

    Such a link carries the view as it was when the header was drawn. What has been chosen in the
    panel since then is known here alone, and comes along.
    """
    before = st.session_state.get("page", page)
    st.session_state["page"] = page
    return before != page and params == st.session_state.get("linked")


def changed_outside(params: dict[str, str]) -> bool:
    """Whether the address is one the visitor made: typed, followed, or gone back to.

    A browser that has not yet heard of the last choice still sends the address before it; that is
    no wish to go back, unless it says so for longer than LAG.
    """
    return params != st.session_state["published"][0] and not in_doubt(params)


def in_doubt(params: dict[str, str]) -> bool:
    """Whether the address is the one before the last choice, which the browser may not yet know."""
    now, before, when = st.session_state.get("published", (params, params, 0.0))
    return params != now and params == before and time.monotonic() - when < LAG


@st.fragment(run_every=LAG)
def look_again() -> None:
    """Where the address was in doubt: ask once more when the browser must have heard."""
    if time.monotonic() - st.session_state["published"][2] >= LAG:
        st.rerun()


def linked() -> dict[str, str]:
    """What the header's links carry: the view as the address bar has it."""
    st.session_state["linked"] = st.session_state.get("published", ({},))[0]
    return st.session_state["linked"]


def published(params: dict[str, str]) -> None:
    """Remember what the address bar says, or will say once the browser has heard."""
    before = st.session_state.get("published", (params,))[0]
    st.session_state["published"] = (params, before, time.monotonic())


def choose(**choices) -> None:
    """Change the view and publish it in the address bar."""
    growth.hold()
    view = replace(st.session_state["view"], **choices)
    st.session_state["view"] = view
    # A fragment cannot change what the model reads: the whole page has to run.
    st.session_state["stale"] |= not {"q", "grown", "model", "bos"}.isdisjoint(choices)
    published(view.params(DEFAULT))
    st.query_params.from_dict(view.params(DEFAULT))


def run(text: str) -> None:
    """A new prompt: the last token comes into focus, the picked box stays."""
    growth.stop()
    choose(q=whole(text), grown=None, token=None, source=None, tour=None)


def use_model(name: str) -> None:
    """Another model: a box, head or neuron of the old one may not be there."""
    growth.stop()
    choose(model=name, at=None, head=None, neuron=None)


def notice(*sentences: str) -> None:
    """Keep sentences for the visitor until the page shows them."""
    st.session_state.setdefault("notices", []).extend(sentences)


def show_notices(place) -> None:
    """Show the kept notices in `place`, once."""
    sentences = st.session_state.pop("notices", [])
    if sentences:
        rows = "".join(f'<p class="gb-notice">{html.escape(s)}</p>' for s in sentences)
        place.html(rows)
