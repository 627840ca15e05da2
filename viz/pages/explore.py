"""Explore: a prompt, its tokens, the architecture, and the tensor behind the picked box."""

import html
import json
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from model import Trace
from model.files import CheckpointError
from viz import diagram
from viz.labels import probability
from viz.pages import chrome, components, engine, growth, panels, tour
from viz.pages.panels.scene import Scene, choice
from viz.pages.view import PANELS, View, fitted, from_params, grown_ids, panel_for

EXAMPLES = json.loads((components.ASSETS / "examples.json").read_text(encoding="utf-8"))
LAG = 3.0  # seconds a browser may take to hear of a choice
DEFAULT = View(q=EXAMPLES[0]["text"])
BOS = (
    "In training, a special token stood between documents. In front of the prompt it tells the "
    "model that a text begins here, and it takes the part of the first token, where heads rest: so "
    "the first word is read like any other, and all numbers differ."
)


def explore(pages: list) -> None:
    """The page: from the address to the view, from the prompt to the trace, then the pictures."""
    chrome.style()
    st.session_state["stale"] = False
    view = current_view()
    source = usable_source(view)
    chrome.header(pages, source, lambda name: choose(model=name, at=None, head=None, neuron=None))
    prompt_row(source, view)
    tour.card(source, view, choose)
    notices = st.empty()
    ids = readable_ids(source, view.q, bos=view.bos == "1", grown=grown_ids(view))
    if ids is None:
        tell(notices)
        return
    with st.spinner("Running the prompt through the model", show_time=True):
        trace = queued_trace(source, ids)
    settle(trace)
    tell(notices)
    body(source, ids)
    if growth.going():
        growth.ticker(source, ids, choose, notice)


def prompt_row(source: str, view: View) -> None:
    """The prompt, whether the start token goes in front of it, and the known circuits."""
    with st.container(horizontal=True, vertical_alignment="center", key="prompt_row"):
        components.prompt(view.q, EXAMPLES, run)
        st.session_state["bos"] = view.bos == "1"
        st.toggle("Start token", key="bos", on_change=set_bos, help=BOS)
        tour.menu(source, choose)
    if view.bos:
        chrome.say(BOS, "title")


def set_bos() -> None:
    """The start token was switched on or off; every position moves by one."""
    choose(bos="1" if st.session_state["bos"] else None, token=None, source=None)


def prepare() -> None:
    """Load the model the page starts on and run the first example through it."""
    source = engine.first_source()
    engine.trace(source, tuple(engine.tokenizer().encode(DEFAULT.q)))


def current_view() -> View:
    """The view of this session; the address bar decides whenever it was changed from outside."""
    params = st.query_params.to_dict()
    st.session_state.setdefault("stale", False)
    if "view" not in st.session_state or changed_outside(params):
        st.session_state["view"], notices = from_params(params, DEFAULT)
        notice(*notices)
        published(params)
    return st.session_state["view"]


def changed_outside(params: dict[str, str]) -> bool:
    """Whether the address is one the visitor made: typed, followed, or gone back to.

    A browser that has not yet heard of the last choice still sends the address before it; that is
    no wish to go back.
    """
    now, before, when = st.session_state["published"]
    return params != now and not (params == before and time.monotonic() - when < LAG)


def published(params: dict[str, str]) -> None:
    """Remember what the address bar says, or will say once the browser has heard."""
    before = st.session_state.get("published", (params,))[0]
    st.session_state["published"] = (params, before, time.monotonic())


def choose(**choices) -> None:
    """Change the view and publish it in the address bar."""
    view = replace(st.session_state["view"], **choices)
    st.session_state["view"] = view
    # A fragment cannot change what the model reads: the whole page has to run.
    st.session_state["stale"] |= not {"q", "grown", "model", "bos"}.isdisjoint(choices)
    published(view.params(DEFAULT))
    st.query_params.from_dict(view.params(DEFAULT))


def run(text: str) -> None:
    """A new prompt: the last token comes into focus, the picked box stays."""
    growth.stop()
    choose(q=text, grown=None, token=None, source=None, tour=None)


def pick_box(box: str) -> None:
    """A box of the diagram: its panel opens. A neuron's number means another one in each block."""
    choose(at=box, panel=panel_for(box), neuron=None)


def notice(*sentences: str) -> None:
    """Keep sentences for the visitor until the page shows them."""
    st.session_state.setdefault("notices", []).extend(sentences)


def tell(place) -> None:
    """Show the kept notices in `place`, once."""
    sentences = st.session_state.pop("notices", [])
    if sentences:
        rows = "".join(f'<p class="gb-notice">{html.escape(s)}</p>' for s in sentences)
        place.html(rows)


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
        notice(f"{error} The built-in model runs instead.")
        wanted = engine.BUILT_IN
    return wanted


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
    limit = engine.model(source).config.max_seq_len
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
    st.button(f"Use the last {kept:,} tokens", on_click=run, args=(tail,))


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


def settle(trace: Trace) -> None:
    """Put what this trace does not have back to unchosen, with a notice."""
    config = trace.config
    view, faults = fitted(st.session_state["view"], config.N, config.H, len(trace.ids), config.dff)
    if faults:
        notice(*faults)
        st.session_state["view"] = view


def completed(view: View, trace: Trace) -> View:
    """`view` with everything chosen: the last token, and the head that shows most here."""
    layer, head = telling_head(trace)
    box = view.at or f"blocks.{layer}.attn"
    if view.head is None and view.at in (None, f"blocks.{layer}.attn"):
        view = replace(view, head=head)
    return replace(
        view,
        at=box,
        head=view.head or 0,
        token=len(trace.ids) - 1 if view.token is None else view.token,
    )


def telling_head(trace: Trace) -> tuple[int, int]:
    """The head with the strongest known habit on this prompt: induction, else previous token."""
    for name in ("induction", "previous"):
        scores = trace.head_scores[name].numpy()
        if np.isfinite(scores).any():
            layer, head = np.unravel_index(np.nanargmax(scores), scores.shape)
            return int(layer), int(head)
    return 0, 0


@st.fragment
def body(source: str, ids: tuple[int, ...]) -> None:
    """Tokens, diagram and panel: what a choice repaints. The prompt is not run again."""
    if st.session_state["stale"]:
        st.rerun()
    trace = engine.trace(source, ids)
    tell(st.empty())
    view = completed(st.session_state["view"], trace)
    labels = engine.labels(ids)
    scene = Scene(source, trace, labels, view, chrome.theme(), choose, notice)
    block_ends = tuple(range(0, len(trace.writers), 2))
    seen = engine.lens(source, ids, block_ends, (view.token,), 10)
    components.tokens(chips(scene, seen), lambda position: choose(token=int(position)))
    with st.container(key="body"):
        left, right = st.columns([0.335, 0.665], gap="small")
        with left, st.container(border=True, key="stream"):
            components.diagram(drawing(scene, seen), pick_box)
        with right, st.container(border=True, key="panel", height="stretch"):
            choice(scene, "panel", "Panel", PANELS)
            panels.show(scene)


def chips(scene: Scene, seen) -> dict:
    """Data for the token chips, with the model's best guess after the token in focus."""
    unseen = engine.unseen(scene.source, scene.trace.ids)
    best = engine.word(seen.ids[-1, 0, 0])
    return {
        "picked": scene.view.token,
        "tokens": [
            {
                "position": label.position,
                "id": label.id,
                "text": label.text,
                "short": label.short,
                "bytes": engine.tokenizer().bytes_of(label.id).hex(" "),
                "note": label.note,
                "kind": label.kind,
                "group": label.group,
                "whole": label.whole,
                "unseen": label.id in unseen,
                "grown": label.position >= len(scene.labels) - len(grown_ids(scene.view)),
            }
            for label in scene.labels
        ],
        "next": {
            "after": scene.view.token,
            "short": best.short,
            "probability": probability(float(seen.probs[-1, 0, 0])),
        },
    }


def drawing(scene: Scene, seen) -> dict:
    """Data for the architecture diagram at the token in focus."""
    norms = scene.trace.residual[:, scene.view.token].norm(dim=-1).numpy()
    best = zip(seen.ids[:, 0, 0], seen.probs[:, 0, 0], strict=True)
    top = zip(seen.ids[-1, 0, :3], seen.probs[-1, 0, :3], strict=True)
    return diagram.diagram(
        at=scene.view.at,
        after=scene.label,
        norms=norms,
        writes=scene.trace.write_norms[:, scene.view.token].numpy(),
        shapes=shapes(scene),
        guesses=[(engine.word(token).text, float(p)) for token, p in best],
        top=[(engine.word(token).text, float(p)) for token, p in top],
    )


def shapes(scene: Scene) -> dict[str, str]:
    """What flows through a block in this run."""
    config, S = scene.trace.config, scene.count
    return {
        "norm": f"{S} x {config.dmodel}",
        "attn": f"{config.H} heads, {S} x {S}",
        "ff": f"{S} x {config.dff:,}",
    }
