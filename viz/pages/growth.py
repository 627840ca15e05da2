"""A prompt that grows: tokens drawn or picked, one after another, as the visitor watches."""

import time

import streamlit as st

from model import sampling
from viz.pages import engine
from viz.pages.view import View, grown_ids

STEPS = 20  # tokens a run of generation draws
PAUSE = 0.5  # seconds between two of them, long enough to see what changes


def with_token(view: View, token: int) -> dict:
    """The choices that append one token and look at it."""
    grown = [*grown_ids(view), int(token)]
    return {"grown": ".".join(map(str, grown)), "token": None, "source": None}


def without_last(view: View) -> dict:
    """The choices that take the last appended token back."""
    grown = grown_ids(view)[:-1]
    return {"grown": ".".join(map(str, grown)) or None, "token": None, "source": None}


def drawn(source: str, ids: tuple[int, ...], view: View) -> int:
    """The next token, drawn as the view says; the same seed draws the same text again."""
    return sampling.next_token(
        engine.trace(source, ids), view.seed, view.temperature, view.top_k, view.top_p
    )


def full(source: str, ids: tuple[int, ...]) -> bool:
    """Whether the context has no room for another token."""
    return len(ids) >= engine.model(source).config.max_seq_len


def start() -> None:
    """Begin to draw STEPS tokens."""
    st.session_state["to_go"], st.session_state["stepped"] = STEPS, 0.0


def stop() -> None:
    """Draw no more."""
    st.session_state["to_go"] = 0


def hold() -> None:
    """Put off the next token for a PAUSE, so that a choice is drawn before it."""
    st.session_state["stepped"] = time.monotonic()


def going() -> int:
    """How many tokens are still to be drawn."""
    return st.session_state.get("to_go", 0)


@st.fragment(run_every=PAUSE)
def ticker(source: str, ids: tuple[int, ...], choose, tell) -> None:
    """Draws one token at each tick, and has the page show it."""
    if not going() or time.monotonic() - st.session_state["stepped"] < PAUSE:
        return
    if full(source, ids):
        stop()
        tell(f"The context is full: this model reads at most {len(ids):,} tokens at once.")
    else:
        view = st.session_state["view"]
        choose(**with_token(view, drawn(source, ids, view)))
        st.session_state["to_go"] -= 1
    hold()
    st.rerun()
