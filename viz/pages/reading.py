"""From what the address asks for to a model and a trace, or to a sentence that says why not."""

import html
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from model import Trace
from model.files import CheckpointError
from viz.pages import chrome, engine
from viz.pages.state import notice, run, show_notices
from viz.pages.view import View, fitted, grown_ids


def usable_source(view: View) -> str:
    """The model the view names, or the one at hand when that cannot be had."""
    first = engine.first_source()
    wanted = view.model or first
    if wanted not in engine.sources():
        notice(f"The model “{wanted[:40]}” is not on this machine; {engine.title(first)} runs.")
        wanted = first
    try:
        with st.spinner(f"Loading {engine.title(wanted)}", show_time=True):
            engine.model(wanted)
    except CheckpointError as error:
        said = str(error).replace(wanted, engine.title(wanted))  # no paths of the host
        notice(f"{said}. The built-in model runs instead.")
        wanted = engine.BUILT_IN
    return wanted


def read_prompt(source: str, view: View) -> tuple[int, ...] | None:
    """The ids of the prompt, once their trace is at hand; None where there is nothing to read.

    What was to be said about it stands above whatever comes next.
    """
    notices = st.empty()
    view = with_known_growth(source, view)
    ids = readable_ids(source, view.q, bos=view.bos == "1", grown=grown_ids(view))
    if ids is not None:
        with st.spinner("Running the prompt through the model", show_time=True):
            settle(queued_trace(source, ids))
    show_notices(notices)
    return ids


def with_known_growth(source: str, view: View) -> View:
    """`view` without its continuation where the model lacks one of its tokens, with a notice."""
    vocabsize = engine.model(source).config.vocabsize
    if max(grown_ids(view), default=0) < vocabsize:
        return view
    notice(f"{knows(vocabsize)}; the continuation has others and is left out.")
    st.session_state["view"] = replace(view, grown=None, token=None, source=None)
    return st.session_state["view"]


def knows(vocabsize: int) -> str:
    """Which tokens a model has, as the beginning of a sentence."""
    ids = f"{vocabsize:,} tokens, ids 0 to {vocabsize - 1:,}"
    return f"This model knows {'1 token, id 0' if vocabsize == 1 else ids}"


def settle(trace: Trace) -> None:
    """Put what this trace does not have back to unchosen, with a notice."""
    view, faults = fitted(st.session_state["view"], trace.config, len(trace.ids))
    if faults:
        notice(*faults)
        st.session_state["view"] = view


def readable_ids(
    source: str, text: str, bos: bool = False, grown: Sequence[int] = ()
) -> tuple[int, ...] | None:
    """The ids of the prompt if the model can read it; otherwise says why not and returns None.

    Args:
        bos: put the start token in front; grown: ids appended to the prompt's own.
    """
    if not text:
        chrome.say("Type a sentence above, or choose an example, to see the model read it.")
        return None
    try:
        ids = [*engine.tokenizer().encode(text, bos), *grown]
    except ValueError as error:
        chrome.say(f"This text cannot be read: {html.escape(str(error))}.")
        return None
    config = engine.model(source).config
    if max(ids) >= config.vocabsize:
        chrome.say(
            f"{knows(config.vocabsize)}; the prompt has a token with id {max(ids):,}. Its numbers "
            "must be those of GPT-2’s tokens."
        )
        return None
    limit = config.max_seq_len
    if len(ids) > limit:
        too_long(ids, limit, bos)
        return None
    return tuple(ids)


def too_long(ids: list[int], limit: int, bos: bool) -> None:
    """Say how long the prompt is and how long it may be, and offer its end."""
    chrome.say(
        f"The prompt has {len(ids):,} tokens; this model reads at most {limit:,} at once. "
        "Nothing has been cut."
    )
    tail = last_text(ids, limit - bos)
    kept = len(engine.tokenizer().encode(tail))
    if kept:  # else there is room for the start token only, or for a part of a character
        last = "token" if kept == 1 else f"{kept:,} tokens"
        st.button(f"Use the last {last}", on_click=run, args=(tail,))


def last_text(ids: list[int], limit: int) -> str:
    """The longest end of the text of `ids` that is whole characters and at most `limit` tokens."""
    tokenizer = engine.tokenizer()
    groups = [piece.group for piece in tokenizer.pieces(ids)]
    for start in range(len(ids) - limit, len(ids)):
        text = tokenizer.decode(ids[start:])
        whole = groups[start] != groups[start - 1]
        if whole and len(tokenizer.encode(text)) <= limit:
            return text
    return ""


def queued_trace(source: str, ids: tuple[int, ...]) -> Trace:
    """The trace of the prompt, once the prompts of earlier visitors are done."""
    place = st.empty()

    def waiting(ahead: int) -> None:
        people = "1 visitor is" if ahead == 1 else f"{ahead} visitors are"
        place.html(f'<p class="gb-reads">{people} ahead of you.</p>')

    with engine.turnstile().turn(waiting):
        trace = engine.trace(source, ids)
    place.empty()
    return trace
