"""Explore: a prompt, its tokens, the architecture, and the tensor behind the picked box."""

from dataclasses import replace

import streamlit as st

from model import Trace
from viz import diagram
from viz.labels import probability
from viz.pages import chrome, components, engine, growth, panels, tour
from viz.pages.opening import telling_head
from viz.pages.panels.scene import Scene, choice
from viz.pages.reading import read_prompt, usable_source
from viz.pages.state import DEFAULT, EXAMPLES, choose, current_view, notice, run, show_notices
from viz.pages.view import PANELS, View, box_shown, grown_ids, panel_for

BOS = (
    "In training, a special token stood between documents. In front of the prompt it tells the "
    "model that a text begins here, and it takes the part of the first token, where heads rest: so "
    "the first word is read like any other, and all numbers differ."
)


def explore(pages: list) -> None:
    """The page: from the address to the view, from the prompt to the trace, then the pictures."""
    chrome.style()
    st.session_state["stale"] = False
    view = current_view("explore")
    source = usable_source(view)
    chrome.header(pages, source)
    prompt_row(source, view)
    tour.card(source, view, choose)
    ids = read_prompt(source, view)
    if ids is None:
        return
    body(source, ids)
    if growth.going():
        growth.ticker(source, ids, choose, notice)


def prompt_row(source: str, view: View) -> None:
    """The prompt, whether the start token goes in front of it, and the known circuits."""
    with st.container(horizontal=True, vertical_alignment="top", key="prompt_row"):
        components.prompt(view.q, EXAMPLES, run)
        st.session_state["bos"] = view.bos == "1"
        st.toggle("Start token", key="bos", on_change=set_bos, help=BOS)
        if tour.possible(source):
            tour.menu(source, choose)
    if view.bos:
        chrome.say(BOS, "title")


def set_bos() -> None:
    """The start token was switched on or off; every position moves by one."""
    growth.stop()
    choose(bos="1" if st.session_state["bos"] else None, token=None, source=None)


def prepare() -> None:
    """Load the model the page starts on and run the first example through it."""
    source = engine.first_source()
    ids = tuple(engine.tokenizer().encode(DEFAULT.q))
    if engine.can_read(source, ids):
        engine.trace(source, ids)


def pick_box(box: str) -> None:
    """A box of the diagram: its panel opens. A neuron's number means another one in each block."""
    choose(at=box, panel=panel_for(box), neuron=None)


def completed(view: View, trace: Trace, telling: tuple[int, int]) -> View:
    """`view` with everything chosen: the last token, and a head.

    Args:
        telling: the (block, head) to show where none is chosen.
    """
    layer, head = telling
    box = view.at or f"blocks.{layer}.attn"
    if view.head is None and view.at in (None, f"blocks.{layer}.attn"):
        view = replace(view, head=head)
    return replace(
        view,
        at=box,
        head=view.head or 0,
        token=len(trace.ids) - 1 if view.token is None else view.token,
    )


@st.fragment
def body(source: str, ids: tuple[int, ...]) -> None:
    """Tokens, diagram and panel: what a choice repaints. The prompt is not run again."""
    if st.session_state["stale"]:
        st.rerun()
    trace = engine.trace(source, ids)
    show_notices(st.empty())
    view = completed(st.session_state["view"], trace, telling_head(source, ids))
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
    best = engine.guess(scene.source, seen.ids[-1, 0, 0])
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
        at=box_shown(scene.view),
        after=scene.label,
        norms=norms,
        writes=scene.trace.write_norms[:, scene.view.token].numpy(),
        shapes=shapes(scene),
        guesses=[(engine.guess(scene.source, token).text, float(p)) for token, p in best],
        top=[(engine.guess(scene.source, token).text, float(p)) for token, p in top],
    )


def shapes(scene: Scene) -> dict[str, str]:
    """What flows through a block in this run."""
    config, S = scene.trace.config, scene.count
    return {
        "norm": f"{S:,} x {config.dmodel:,}",
        "heads": f"{config.H} heads,",
        "pattern": f"{S:,} x {S:,}",
        "ff": f"{S:,} x {config.dff:,}",
    }
