"""Logit lens: what the model would answer after each writer."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import streamlit as st

from model import Lens
from viz import captions
from viz.lens import MOST_COLUMNS, lens_table
from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene, chart, choice, extent, foot
from viz.pages.view import LENS_COLOURS, LENS_ROWS
from viz.window import window

GUESSES = 10  # tokens listed when a cell is hovered


def show(scene: Scene) -> None:
    """The panel."""
    trace, token = scene.trace, scene.view.token
    positions = window(token, scene.count, MOST_COLUMNS)
    seen = engine.lens(scene.source, trace.ids, lens_rows(scene), tuple(positions), GUESSES)
    shape = f"({len(seen.rows)} rows, S {scene.count}, vocabsize {trace.config.vocabsize:,})"
    chrome.heading("Logit lens", scene.view.at, shape, "head")
    chrome.say(
        "What the model would say next if it stopped there: the final norm and "
        "<code>lm_head</code> applied to the stream after each writer. Columns are tokens read, "
        "rows go up the stream; the top row is the model’s own answer."
    )
    with st.container(horizontal=True, vertical_alignment="center", key="lens_choices"):
        choice(scene, "colour", "Coloured by", LENS_COLOURS)
        choice(scene, "rows", "Rows", LENS_ROWS)
        chrome.say(extent(positions, scene.count), "title")
    table(scene, seen, positions)
    column = positions.index(token)
    best = [engine.word(token) for token in seen.ids[:, column, 0]]
    chrome.stands_out(captions.lens(best, seen.entropy[:, column], seen.writers, scene.label))
    foot(scene, "lens", lambda: rows(seen, [column]), lambda: rows(seen, range(len(positions))))


def lens_rows(scene: Scene) -> tuple[int, ...]:
    """Indexes of the stream's rows shown: every writer, or the embedding and the block ends."""
    every = 1 if scene.view.rows == "all" else 2
    return tuple(range(0, len(scene.trace.writers), every))


def table(scene: Scene, seen: Lens, positions: range) -> None:
    """The table; a click picks a writer and a token."""
    values = {"probability": seen.probs[..., 0], "entropy": seen.entropy, "kl": seen.kl}
    figure = lens_table(
        np.vectorize(engine.word, otypes=[object])(seen.ids),
        probs=seen.probs,
        values=values[scene.view.colour],
        colouring=scene.view.colour,
        rows=seen.writers,
        positions=positions,
        labels=scene.labels,
        focus=scene.view.token,
        at=scene.view.at,
        theme=scene.theme,
    )
    pick = lambda p: scene.choose(at=seen.writers[int(p["y"])], token=int(p["x"]))  # noqa: E731
    chart(figure, "lens_table", pick)


def rows(seen: Lens, columns: Iterable[int]) -> pd.DataFrame:
    """The guesses of some columns, one row a guess."""
    R, _, k = seen.ids.shape
    cells = [(r, p, place) for p in columns for r in range(R) for place in range(k)]
    return pd.DataFrame(
        {
            "position": [seen.positions[p] for _, p, _ in cells],
            "writer": [seen.writers[r] for r, _, _ in cells],
            "place": [place + 1 for _, _, place in cells],
            "token": [engine.word(seen.ids[cell]).text for cell in cells],
            "id": [int(seen.ids[cell]) for cell in cells],
            "probability": [float(seen.probs[cell]) for cell in cells],
            "entropy, nats": [float(seen.entropy[r, p]) for r, p, _ in cells],
            "KL to the final row, nats": [float(seen.kl[r, p]) for r, p, _ in cells],
        }
    )
