"""The tour of known circuits: a menu of stops, and a card that says what to look for at one."""

import html
from collections.abc import Callable

import numpy as np
import streamlit as st

from model import GPT2_SIZES, Trace
from model.circuits import attention_between, direct_effects
from viz.labels import isolate, magnitude, visible, writer_label
from viz.pages import engine, growth
from viz.pages.proof import proof
from viz.pages.view import View
from viz.tour import SCORES, STOPS, Stop, enough, neighbours, threshold

Choose = Callable[..., None]  # changes the view
SHOWN = 4  # heads offered at a stop
FAR_ABOVE = 5  # times the largest number elsewhere, for one that is called enormous


def menu(source: str, choose: Choose) -> None:
    """All stops, each a click away."""
    key = "tour_menu"
    st.menu_button(
        "Known circuits",
        list(STOPS),
        key=key,
        format_func=lambda name: STOPS[name].title,
        on_click=lambda: visit(source, st.session_state[key], choose),
        help="Heads that others have found in GPT-2 Small, each with a prompt that shows it. In "
        "another model, the head that does the same best.",
    )


def possible(source: str) -> bool:
    """Whether the model in use can read the prompts of all stops."""
    return all(engine.can_read(source, ids_of(stop)) for stop in STOPS.values())


def card(source: str, view: View, choose: Choose) -> None:
    """What there is to see at the stop the view names; nothing off the tour."""
    stop = STOPS.get(view.tour)
    if stop is None or not possible(source):
        return
    before, after = neighbours(stop.name)
    with st.container(key="tour"):
        st.html(told(stop, absent=missing(source, stop)))
        with st.container(horizontal=True, vertical_alignment="center", key="tour_foot"):
            st.html(f'<p class="gb-title">{measured(source, stop)}</p>', width="content")
            _heads(source, stop, choose)
            st.space("stretch")
            if before:
                _button("Back", "tour_back", source, before, choose)
            if after:
                _button("Next", "tour_next", source, after, choose)
            close = {"tour": None}
            st.button("End", key="tour_end", type="tertiary", on_click=choose, kwargs=close)


def missing(source: str, stop: Stop) -> bool:
    """Whether the model in use does not do what the stop is about."""
    if stop.score == "entry":
        here, others = _entries(engine.trace(source, ids_of(stop)))
        return here < FAR_ABOVE * others
    return not enough(stop, float(np.nanmax(scores(source, stop))))


def told(stop: Stop, absent: bool) -> str:
    """The fixed part of a card, as HTML."""
    place = list(STOPS).index(stop.name) + 1
    look = html.escape(stop.look)
    if absent:
        look = f"<strong>Not found in this model.</strong> GPT-2 Small has it: {look}"
    return (
        f'<p class="gb-tour"><strong>{html.escape(stop.title)}</strong> '
        f'<span class="gb-title">{place} of {len(STOPS)}</span><br>{look}</p>'
        f'<p class="gb-title">Published: {html.escape(stop.published)} '
        f"({html.escape(stop.source)}).</p>"
    )


def measured(source: str, stop: Stop) -> str:
    """What the model in use shows of it, in numbers; the heads follow as buttons."""
    if stop.score == "entry":
        return _entry(engine.trace(source, ids_of(stop)))
    what = "Measured here: " + _what(stop)
    least = f"at most, less than {threshold(stop):.1f}"
    return f"{what}, {least}" if missing(source, stop) else what


def _what(stop: Stop) -> str:
    words = {
        "reader": _token(stop.reader[0]),
        "read": _token(stop.read[0]) if stop.read else "",
        "answer": _token(stop.answer[0]) if stop.answer else "",
        "against": _token(stop.answer[1]) if stop.answer else "",
    }
    return SCORES[stop.score].format(**words)


def _token(text: str) -> str:
    return f'<code class="gb-token">{html.escape(isolate(visible(text)))}</code>'


def _entry(trace: Trace) -> str:
    """The first token's largest number beside those of all others."""
    row, dimension = _largest(trace)
    here = float(trace.residual[row, 0, dimension])
    return (
        f"Measured here: {magnitude(here)} in dimension {dimension}, after "
        f"{writer_label(trace.writers[row])}; the largest after it at any other token is "
        f"{magnitude(_entries(trace)[1])}."
    )


def _largest(trace: Trace) -> tuple[int, int]:
    """The row of the stream and the dimension of the first token's largest number."""
    return divmod(int(trace.residual[:, 0].abs().argmax()), trace.config.dmodel)


def _entries(trace: Trace) -> tuple[float, float]:
    """The largest number in size in the stream of the first token, and of all others there."""
    size = trace.residual[_largest(trace)[0]].abs()  # (S, dmodel)
    return float(size[0].max()), float(size[1:].max())


def _heads(source: str, stop: Stop, choose: Choose) -> None:
    """The heads to look at with their scores; a click opens one."""
    if stop.score == "entry":
        return
    values = scores(source, stop)
    for layer, head in heads_of(source, stop):
        label = f"head {layer}.{head} · {values[layer, head]:.2f}"
        where = {"at": f"blocks.{layer}.attn", "head": head, "panel": "attention"}
        st.button(label, key=f"tour_{layer}_{head}", on_click=choose, kwargs=where)


def heads_of(source: str, stop: Stop) -> list[tuple[int, int]]:
    """The published heads in OpenAI's own weights; in any other model, those that do it best."""
    if stop.heads and is_release(source):
        return [tuple(map(int, name.split("."))) for name in stop.heads]
    values = np.nan_to_num(scores(source, stop), nan=-np.inf)
    order = np.argsort(values, axis=None)[::-1][:SHOWN]
    best = [tuple(map(int, np.unravel_index(place, values.shape))) for place in order]
    return [best[0], *[head for head in best[1:] if enough(stop, values[head])]]


def is_release(source: str) -> bool:
    """Whether the model in use is OpenAI's GPT-2 Small, of which the literature speaks."""
    return engine.model(source).config == GPT2_SIZES["gpt2"] and proof(source).holds


@st.cache_resource(show_spinner=False, max_entries=64)
def _scores(source: str, name: str) -> np.ndarray:
    stop, model = STOPS[name], engine.model(source)
    if stop.score not in ("reads", "pushes"):
        return engine.repetition(source)[stop.score].numpy()
    ids = ids_of(stop)
    trace, reader = engine.trace(source, ids), place(ids, *stop.reader)
    looks = attention_between(trace, reader, place(ids, *stop.read)).numpy()
    if stop.score == "reads":
        return under(source, stop.below, looks) if stop.below else looks
    token, against = (engine.tokenizer().encode(text)[0] for text in stop.answer)
    effects = direct_effects(model, trace, reader, token, against).numpy()
    even = 1 / (reader + 1)  # a head that looks elsewhere does not push for what it reads here
    return np.where(looks >= even, effects, 0.0)


def under(source: str, name: str, looks: np.ndarray) -> np.ndarray:
    """(N, H) with 0 for heads whose writes come too late for the best head of another stop."""
    best = scores(source, STOPS[name]).max(axis=1).argmax()  # its block
    return np.where(np.arange(len(looks))[:, None] < best, looks, 0.0)


def scores(source: str, stop: Stop) -> np.ndarray:
    """(N, H): what is measured at this stop, for every head of the model."""
    return _scores(source, stop.name)


def ids_of(stop: Stop) -> tuple[int, ...]:
    """The stop's prompt as tokens."""
    return tuple(engine.tokenizer().encode(stop.prompt))


def place(ids: tuple[int, ...], text: str, which: int) -> int:
    """The position of the `which`-th token (from 1) that reads `text`."""
    (token,) = engine.tokenizer().encode(text)
    return [i for i, other in enumerate(ids) if other == token][which - 1]


def visit(source: str, name: str, choose: Choose) -> None:
    """Bring the stop into view: its prompt, its head, its token."""
    growth.stop()
    stop = STOPS[name]
    ids = ids_of(stop)
    plain = {
        "bos": None,
        "grown": None,
        "look": "pattern",
        "pool": "one",
        "sink": "show",
        "source": None,
    }
    view = plain | {"tour": name, "q": stop.prompt, "token": place(ids, *stop.reader)}
    if stop.score == "entry":
        row, _ = _largest(engine.trace(source, ids))
        at = engine.trace(source, ids).writers[row]
        choose(**view, panel="residual", stream="entries", at=at, head=None)
        return
    layer, head = heads_of(source, stop)[0]
    choose(**view, panel="attention", at=f"blocks.{layer}.attn", head=head)


def _button(label: str, key: str, source: str, name: str, choose: Choose) -> None:
    st.button(label, key=key, on_click=visit, args=(source, name, choose))
