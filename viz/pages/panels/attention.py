"""Attention: all heads as thumbnails, and one head looked at in five ways."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import streamlit as st

from viz import captions
from viz.attention import MOST_CELLS, head_map, head_overview, without_sink
from viz.pages import chrome, components, engine
from viz.pages.panels import grid, head_steps, head_writes
from viz.pages.panels.scene import Scene, chart, choice, foot
from viz.pages.view import HEAD_LOOKS, MAP_SPANS, POOLS, SINKS, layer_of
from viz.pixels import as_bytes
from viz.window import window

# Head scores named under the grid, in the reader's words.
SCORES = {"induction": "induction", "previous": "previous token", "first": "first token"}
MOST_LINES = 20  # tokens in the picture of lines

READS = {
    "pattern": "Each row is one token reading the tokens up to itself, to work out what follows "
    "it; the stronger the colour, the more it takes from there.",
    "lines": "Left the tokens that read, right the tokens they read: the thicker a line, the more "
    "attention. Move over a token to see its lines.",
    "steps": "How the attention of the token in focus comes about: its query meets each key "
    "(q · k), is scaled by 1/√dk, what lies ahead is masked (nothing does for the last token), and "
    "softmax makes shares that sum to 1.",
    "qkv": "A query asks, a key answers, a value is what is carried over. Query times key, added "
    "up over the head’s dimensions, is the score of a pair of tokens.",
    "writes": "What this head adds to the stream: how long its vector is at each token, and which "
    "next tokens it makes likelier or less likely at the token in focus.",
}


# Whose attention a picture shows: in the title, and in the sentence below it.
POOLED = {
    "one": ("head {head}", "head {layer}.{head} gives {{share}} of its attention"),
    "mean": (
        "mean of heads",
        "the heads of block {layer} on average give {{share}} of their attention",
    ),
    "max": ("largest of heads", "some head of block {layer} gives {{share}} of its attention"),
}


def show(scene: Scene) -> None:
    """The panel."""
    layer, head, S = layer_of(scene.view), scene.view.head, scene.count
    pattern = engine.attention(scene.source, scene.trace.ids, layer)  # (H, S, S)
    shape = f"(H {scene.trace.config.H}, S {S}, S {S})"
    with st.container(horizontal=True, vertical_alignment="center", key="title_row"):
        pool = scene.view.pool if scene.view.look == "pattern" else "one"
        who, gives = (text.format(layer=layer, head=head) for text in POOLED[pool])
        title = f"Attention, block {layer}, {who}"
        chrome.heading(title, f"blocks.{layer}.attn", shape, "attn")
        choice(scene, "look", "What to see of the head", HEAD_LOOKS)
    chrome.say(READS[scene.view.look] + (sums(scene) if scene.view.look == "pattern" else ""))
    left, right = st.columns([0.4, 0.6], gap="medium")
    with left:
        grid.choice(scene)
        components.heads(thumbnails(scene) | grid.colouring(scene), lambda name: pick(scene, name))
    with right:
        LOOKS[scene.view.look](scene, pattern)
    shown, table = pooled(pattern, head, pool), TABLES.get(scene.view.look, rows)
    scores = {name: float(values[layer, head]) for name, values in scene.trace.head_scores.items()}
    scores = scores if pool == "one" else {}
    said = captions.attention(shown, scene.labels, scene.view.token, gives, scores)
    if scene.view.look == "writes":
        said = head_writes.caption(scene)
    elif scene.view.look == "pattern" and sink_of(scene) != "show":
        said += " These shares count the first token too."
    chrome.stands_out(said)
    foot(
        scene,
        f"attention-{layer}-{who.replace(' ', '-')}",
        lambda: table(scene, shown, [scene.view.token]),
        lambda: table(scene, shown, range(S)),
    )


def thumbnails(scene: Scene) -> dict:
    """Data for the grid of heads."""
    N, H, size, _ = scene.trace.thumbnails.shape
    return {
        "N": N,
        "H": H,
        "size": size,
        "pixels": engine.thumbnails(scene.source, scene.trace.ids),
        "picked": f"{layer_of(scene.view)}.{scene.view.head}",
        "scores": {
            title: [[round(x, 3) if np.isfinite(x) else None for x in row] for row in values]
            for name, title in SCORES.items()
            for values in [scene.trace.head_scores[name].tolist()]
        },
    }


def pick(scene: Scene, name: str) -> None:
    """A head was chosen in the grid: "5.1"."""
    layer, head = name.split(".")
    scene.choose(at=f"blocks.{layer}.attn", head=int(head), source=None)


def as_map(scene: Scene, pattern: np.ndarray) -> None:
    """The heat map of one head, or of all heads of the block pooled."""
    with st.container(horizontal=True, vertical_alignment="center", key="map_choices"):
        choice(scene, "pool", "Which heads", POOLS)
        if scene.count > 1:
            choice(scene, "sink", "The first token", SINKS)
    shown = without_sink(pooled(pattern, scene.view.head, scene.view.pool), sink_of(scene))
    positions = window(scene.view.token, scene.count, MOST_CELLS)
    long, whole = scene.count > MOST_CELLS, scene.view.span == "overview"
    if long:
        with st.container(horizontal=True, vertical_alignment="center", key="span"):
            choice(scene, "span", "Shown", MAP_SPANS)
            chrome.say(_shown(scene.count, positions, whole), "title")
    if long and whole:
        figure = head_overview(shown, scene.theme)
    else:
        figure = head_map(shown, positions, scene.labels, scene.view.token, scene.theme)
    chart(figure, "head_map", lambda point: scene.choose(token=int(point["y"]), source=None))


def sink_of(scene: Scene) -> str:
    """What becomes of the first token; where there is no other, it is shown."""
    return scene.view.sink if scene.count > 1 else "show"


def sums(scene: Scene) -> str:
    """What the rows of the picture sum to, if to anything known."""
    if scene.view.pool == "max":
        return ""
    rows = {"show": " A row sums to 1.", "renormalise": " A row but the first sums to 1."}
    return rows.get(sink_of(scene), "")


def pooled(pattern: np.ndarray, head: int, pool: str) -> np.ndarray:
    """(H, S, S) -> (S, S): that head, or the mean or the largest over the block's heads."""
    if pool == "one":
        return pattern[head]
    return pattern.mean(axis=0) if pool == "mean" else pattern.max(axis=0)


def _shown(count: int, positions: range, whole: bool) -> str:
    if whole:
        side = -(-count // MOST_CELLS)
        return f"a cell shows the largest of {side} x {side} values"
    return f"tokens {positions.start} to {positions.stop - 1} of {count:,}"


def as_lines(scene: Scene, pattern: np.ndarray) -> None:
    """Lines from token to token, following the mouse."""
    positions = window(scene.view.token, scene.count, MOST_LINES)
    inside = slice(positions.start, positions.stop)
    data = {
        "tokens": [
            {"position": label.position, "short": label.short} for label in scene.labels[inside]
        ],
        "pattern": as_bytes(pattern[scene.view.head, inside, inside]),
        "picked": scene.view.token,
    }
    if len(positions) < scene.count:
        chrome.say(_shown(scene.count, positions, whole=False), "title")
    components.lines(data, lambda position: scene.choose(token=int(position), source=None))


LOOKS = {
    "pattern": as_map,
    "lines": as_lines,
    "steps": head_steps.steps,
    "qkv": head_steps.vectors,
    "writes": head_writes.writes,
}


def rows(scene: Scene, pattern: np.ndarray, readers: Iterable[int]) -> pd.DataFrame:
    """What each of `readers` gives to each token up to itself, one row a pair."""
    pairs = [(i, j) for i in readers for j in range(i + 1)]
    given = {"attention, 0 to 1": [float(pattern[i, j]) for i, j in pairs]}
    return head_steps.pairs_frame(scene, pairs).assign(**given)


# What stands in the table of each look; elsewhere it is the attention itself.
TABLES = {
    "steps": head_steps.step_rows,
    "qkv": head_steps.vector_rows,
    "writes": head_writes.rows,
}
