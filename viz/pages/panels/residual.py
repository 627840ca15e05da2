"""Residual stream: its norm after every writer, what each writer adds, its largest entries."""

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from model import Entries
from viz import captions
from viz.labels import writer_label
from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene, chart, choice, extent, foot
from viz.pages.view import NORMED, STREAM_LOOKS
from viz.residual import (
    COSINE,
    NORM,
    RATIO,
    READ,
    Quantity,
    entry_bars,
    norm_course,
    stream_map,
    vector_bars,
)
from viz.window import window

MOST_COLUMNS = 64
ENTRIES = 14

LENGTH = '<abbr title="the square root of the sum of the squares of its entries">L2 norm</abbr>'
READS = {
    "norms": "One vector per token: the embedding starts it, then each attention (attn) and MLP "
    f"(ff) adds a vector of its own. Shown is its length, the {LENGTH}.",
    "writes": "What each writer adds, beside the stream it adds to. First its length as a multiple "
    'of the stream’s, then the <abbr title="1: along the stream, 0: across it, -1: against it">'
    "cosine</abbr> of the two: does it add something new, strengthen, or erase?",
    "entries": "Single numbers of the stream that tower over the rest. In GPT-2 a few dimensions "
    "of the first token are enormous; LayerNorm divides by them, so they matter to all readers.",
}


def show(scene: Scene) -> None:
    """The panel."""
    trace, token = scene.trace, scene.view.token
    shape = f"({len(trace.writers)} writers, S {scene.count}, dmodel {trace.config.dmodel})"
    with st.container(horizontal=True, vertical_alignment="center", key="title_row"):
        chrome.heading("Residual stream", scene.view.at, shape, "norm")
        choice(scene, "stream", "What to see of the stream", STREAM_LOOKS)
    chrome.say(READS[scene.view.stream])
    LOOKS[scene.view.stream](scene)
    if scene.view.stream == "entries":
        foot(scene, "residual-entries", *[partial(entry_rows, scene)] * 2)
    else:
        foot(
            scene,
            "residual",
            lambda: rows(scene, [token]),
            lambda: rows(scene, range(scene.count)),
        )


def norms_of(scene: Scene) -> np.ndarray:
    """(2N+1, S): the length of the stream after each writer."""
    return scene.trace.residual.norm(dim=-1).numpy()


def as_norms(scene: Scene) -> None:
    """Lengths by writer and token, and along the way up at the token in focus."""
    token, writers = scene.view.token, scene.trace.writers
    norms, writes = norms_of(scene), scene.trace.write_norms.numpy()
    left, right = st.columns([0.56, 0.44], gap="medium")
    with left:
        read = scene.view.normed == "after"
        values = engine.read_norms(scene.source, scene.trace.ids) if read else norms
        with st.container(horizontal=True, vertical_alignment="center", key="map_choices"):
            choice(scene, "normed", "Before or after the norm", NORMED)
            chrome.say(_extent(scene), "title")
        stream_chart(scene, values, READ if read else NORM, "norm_map")
    with right:
        chrome.say(f"At {captions.at(scene.label)} · line: the stream · bars: writes", "title")
        course = norm_course(norms[:, token], writes[:, token], writers, scene.theme)
        chart(course, "norm_course")
    said = captions.residual(norms[:, token], writes[:, token], writers, scene.label)
    chrome.stands_out(f"{said} {captions.sink(norms, writers, scene.labels)}")


def as_writes(scene: Scene) -> None:
    """Each write against the stream it is added to: its size and its direction."""
    found = engine.writes(scene.source, scene.trace.ids)
    left, right = st.columns(2, gap="medium")
    with left:
        chrome.say(f"Length of the write ÷ length of the stream · {_extent(scene)}", "title")
        stream_chart(scene, found.ratio, RATIO, "ratio_map")
    with right:
        chrome.say("Cosine of the write with the stream", "title")
        stream_chart(scene, found.cosine, COSINE, "cosine_map")
    token = scene.view.token
    chrome.stands_out(
        captions.writes(
            found.ratio[:, token], found.cosine[:, token], scene.trace.writers, scene.label
        )
    )


def as_entries(scene: Scene) -> None:
    """The largest entries anywhere, and all entries of one vector."""
    trace, token = scene.trace, scene.view.token
    found = entries_of(scene)
    row = trace.writers.index(scene.view.at) if scene.view.at in trace.writers else -1
    left, right = st.columns(2, gap="medium")
    with left:
        chrome.say("The largest entries of the whole stream", "title")
        places = zip(found.dimensions, found.positions, found.rows, strict=True)
        names = [
            f"dim {d} of {scene.labels[p].cut(8)} ({p}), after {writer_label(trace.writers[r])}"
            for d, p, r in places
        ]
        chart(entry_bars(found.values, names, scene.theme), "entry_bars")
    with right:
        after = writer_label(trace.writers[row])
        chrome.say(f"All entries of {captions.at(scene.label)} after {after}", "title")
        chart(vector_bars(trace.residual[row, token].numpy(), scene.theme), "vector_bars")
    chrome.stands_out(
        captions.entries(
            float(found.values[0]),
            int(found.dimensions[0]),
            float(found.shares[0]),
            scene.labels[found.positions[0]],
            trace.config.dmodel,
        )
    )


def entries_of(scene: Scene) -> Entries:
    """The largest entries of the whole stream."""
    most = min(ENTRIES, scene.trace.residual[0].numel())
    return engine.largest_entries(scene.source, scene.trace.ids, most)


def entry_rows(scene: Scene) -> pd.DataFrame:
    """The largest entries, one row each."""
    found = entries_of(scene)
    return pd.DataFrame(
        {
            "dimension": found.dimensions,
            "position": found.positions,
            "token": [scene.labels[position].text for position in found.positions],
            "after writer": [scene.trace.writers[row] for row in found.rows],
            "value": found.values,
            "share of the squared length there": found.shares,
        }
    )


LOOKS = {"norms": as_norms, "writes": as_writes, "entries": as_entries}


def stream_chart(scene: Scene, values: np.ndarray, quantity: Quantity, key: str) -> None:
    """A map by writer and token; a click picks both."""
    writers = scene.trace.writers
    figure = stream_map(
        values,
        quantity,
        positions=_window(scene),
        labels=scene.labels,
        writers=writers,
        focus=scene.view.token,
        at=scene.view.at,
        theme=scene.theme,
    )
    chart(figure, key, lambda p: scene.choose(at=writers[int(p["y"])], token=int(p["x"])))


def _window(scene: Scene) -> range:
    return window(scene.view.token, scene.count, MOST_COLUMNS)


def _extent(scene: Scene) -> str:
    return extent(_window(scene), scene.count)


def rows(scene: Scene, tokens: Iterable[int]) -> pd.DataFrame:
    """Sizes of the stream and of each write, one row a token and writer."""
    writers, found = scene.trace.writers, engine.writes(scene.source, scene.trace.ids)
    norms, writes = norms_of(scene), scene.trace.write_norms.numpy()  # (2N+1, S)
    read = engine.read_norms(scene.source, scene.trace.ids)
    cells = [(r, t) for t in tokens for r in range(len(writers))]
    return pd.DataFrame(
        {
            "position": [t for _, t in cells],
            "token": [scene.labels[t].text for _, t in cells],
            "writer": [writers[r] for r, _ in cells],
            "norm of the stream after it": [float(norms[r, t]) for r, t in cells],
            "the same as read, after LayerNorm": [float(read[r, t]) for r, t in cells],
            "norm of what it added": [float(writes[r, t]) for r, t in cells],
            "cosine with the stream before": [float(found.cosine[r, t]) for r, t in cells],
        }
    )
