"""Logit lens: what the model would answer after each writer."""

from collections.abc import Iterable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from model import Courses, Lens
from viz import captions
from viz.labels import whole, writer_label
from viz.lens import MOST_COLUMNS, lens_table, token_courses
from viz.next_token import next_token_bars
from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene, chart, choice, extent, foot
from viz.pages.view import LENS_COLOURS, LENS_LOOKS, LENS_ROWS
from viz.window import window

GUESSES = 10  # tokens listed when a cell is hovered
OPENED = 20  # tokens of one cell opened

READS = {
    "table": "What the model would say next if it stopped there: the final norm and "
    "<code>lm_head</code> applied to the stream after each writer. Columns are tokens read, "
    "rows go up; the top row is the model’s own answer.",
    "course": "The tokens that are the best guess in any row, and the target, followed up the "
    "stream at the token in focus: their probability above, their place among all tokens below.",
    "cell": "The best guesses after one writer, having read the token in focus: one cell of the "
    "table with every writer. A click in the table chooses another.",
}


# What the colour of the table says.
MEANS = {
    "probability": "Only that row was trained to be read so: guesses below it are rough, and the "
    "lowest often just repeats the token.",
    "entropy": "Entropy is the doubt in a guess, in nats: 0 is certainty, 0.69 a fair coin.",
    "kl": "KL, the Kullback–Leibler divergence, is how far a guess is from that row’s, in nats: "
    "0 is the same distribution.",
    "rank": "The colour is the place of one token, the target, among all that the model knows.",
}


def show(scene: Scene) -> None:
    """The panel."""
    trace = scene.trace
    rows_shown = lens_rows(scene)
    shape = f"({len(rows_shown)} rows, S {scene.count}, vocabsize {trace.config.vocabsize:,})"
    with st.container(horizontal=True, vertical_alignment="center", key="title_row"):
        chrome.heading("Logit lens", scene.view.at, shape, "head")
        choice(scene, "lens", "What to see of the lens", LENS_LOOKS)
    means = f" {MEANS[scene.view.colour]}" if scene.view.lens == "table" else ""
    chrome.say(READS[scene.view.lens] + means)
    positions = window(scene.view.token, scene.count, MOST_COLUMNS)
    cell = scene.view.lens == "cell"
    seen = opened_cell(scene) if cell else seen_by_lens(scene, rows_shown, positions)
    LOOKS[scene.view.lens](scene, seen)
    if scene.view.lens == "course":
        foot(scene, "lens-depth", *[partial(course_rows, scene)] * 2)
        return
    column = seen.positions.index(scene.view.token)
    everything = range(len(seen.positions))
    foot(scene, "lens", lambda: rows(scene, seen, [column]), lambda: rows(scene, seen, everything))


def lens_rows(scene: Scene) -> tuple[int, ...]:
    """Indexes of the stream's rows shown: every writer, or the embedding and the block ends."""
    every = 1 if scene.view.rows == "all" else 2
    return tuple(range(0, len(scene.trace.writers), every))


def seen_by_lens(scene: Scene, shown: tuple[int, ...], positions: range) -> Lens:
    """The lens over the window, following the target where the colour or the visitor asks it."""
    follow = scene.view.colour == "rank" or scene.view.target is not None
    target = target_of(scene) if follow else None
    return engine.lens(
        scene.source, scene.trace.ids, shown, tuple(positions), GUESSES, target=target
    )


def target_of(scene: Scene) -> int:
    """The token the lens follows: the chosen one, or the model's own best guess at the focus."""
    if scene.view.target is not None:
        return scene.view.target
    return int(engine.answer(scene.source, scene.trace.ids, scene.view.token, 1).ids[0, 0, 0])


def as_table(scene: Scene, seen: Lens) -> None:
    """The table; a click picks a writer and a token."""
    with st.container(horizontal=True, vertical_alignment="center", key="map_choices"):
        choice(scene, "colour", "Coloured by", LENS_COLOURS)
        choice(scene, "rows", "Rows", LENS_ROWS)
        if scene.view.colour == "rank":
            target_choice(scene)
        else:
            chrome.say(extent(_positions(seen), scene.count), "title")
    values = {"probability": seen.probs[..., 0], "entropy": seen.entropy, "kl": seen.kl}
    if seen.rank is not None:
        values["rank"] = seen.rank + 1
    figure = lens_table(
        np.vectorize(partial(engine.guess, scene.source), otypes=[object])(seen.ids),
        probs=seen.probs,
        values=values[scene.view.colour],
        colouring=scene.view.colour,
        rows=seen.writers,
        positions=_positions(seen),
        labels=scene.labels,
        focus=scene.view.token,
        at=scene.view.at,
        theme=scene.theme,
    )
    writers = seen.writers
    chart(figure, "lens_table", lambda p: scene.choose(at=writers[int(p["y"])], token=int(p["x"])))
    column = seen.positions.index(scene.view.token)
    best = [engine.guess(scene.source, token) for token in seen.ids[:, column, 0]]
    chrome.stands_out(captions.lens(best, seen.entropy[:, column], seen.writers, scene.label))


def as_course(scene: Scene, _seen: Lens) -> None:
    """Tokens through depth at the token in focus."""
    with st.container(horizontal=True, vertical_alignment="center", key="map_choices"):
        choice(scene, "rows", "Rows", LENS_ROWS)
        target_choice(scene)
    followed = followed_in(scene)
    words = [engine.guess(scene.source, token) for token in followed.tokens]
    writers = [scene.trace.writers[row] for row in followed.rows]
    figure = token_courses(followed.probs, followed.ranks, words, writers, scene.theme)
    chart(figure, "token_courses")
    target = followed.tokens.index(target_of(scene))
    chrome.stands_out(
        captions.course(words[target], followed.ranks[target], followed.probs[target], writers)
    )


def followed_in(scene: Scene) -> Courses:
    """The tokens of the picture through depth: every row's best guess, and the target."""
    return engine.courses(
        scene.source, scene.trace.ids, scene.view.token, lens_rows(scene), target_of(scene)
    )


def course_rows(scene: Scene) -> pd.DataFrame:
    """Probability and place of each followed token, one row a token and writer."""
    followed = followed_in(scene)
    cells = list(np.ndindex(followed.probs.shape))
    return pd.DataFrame(
        {
            "token": [engine.guess(scene.source, followed.tokens[t]).text for t, _ in cells],
            "writer": [scene.trace.writers[followed.rows[r]] for _, r in cells],
            "probability": [float(followed.probs[cell]) for cell in cells],
            "place, 1 is best": [int(followed.ranks[cell]) + 1 for cell in cells],
        }
    )


def opened_cell(scene: Scene) -> Lens:
    """The lens after the picked writer, or at the top, having read the token in focus."""
    writers = scene.trace.writers
    row = writers.index(scene.view.at) if scene.view.at in writers else len(writers) - 1
    return engine.lens(scene.source, scene.trace.ids, (row,), (scene.view.token,), OPENED)


def as_cell(scene: Scene, cell: Lens) -> None:
    """The best guesses of one cell as bars."""
    words = [engine.guess(scene.source, token) for token in cell.ids[0, 0]]
    after = writer_label(cell.writers[0])
    chrome.say(f"After {after}, having read {captions.at(scene.label)}", "title")
    chart(next_token_bars(words, cell.probs[0, 0], scene.theme), "lens_cell")
    chrome.stands_out(
        captions.next_token(words, cell.probs[0, 0], float(cell.entropy[0, 0]), scene.label, after)
    )


LOOKS = {"table": as_table, "course": as_course, "cell": as_cell}


def target_choice(scene: Scene) -> None:
    """Which token is followed: typed, exactly one token; empty follows the model's best guess."""
    key = "choice_target"
    chosen = scene.view.target
    st.session_state[key] = "" if chosen is None else engine.tokenizer().decode([chosen])

    def typed() -> None:
        text = whole(st.session_state[key])
        if not text:
            scene.choose(target=None)
            return
        ids = engine.tokenizer().encode(text)
        if len(ids) == 1 and ids[0] < scene.trace.config.vocabsize:
            scene.choose(target=ids[0])
        elif len(ids) == 1:
            scene.tell(f"“{text[:40]}” is token {ids[0]:,}, which this model does not have.")
        else:
            scene.tell(f"“{text[:40]}” is {len(ids)} tokens; the target must be one. "
                       "Most words begin with their space.")  # fmt: skip

    best = engine.guess(scene.source, target_of(scene)).short
    st.text_input("Target token", key=key, on_change=typed, placeholder=f"target: {best}",
                  width=150, label_visibility="collapsed")  # fmt: skip


def _positions(seen: Lens) -> range:
    return range(seen.positions[0], seen.positions[-1] + 1)


def rows(scene: Scene, seen: Lens, columns: Iterable[int]) -> pd.DataFrame:
    """The guesses of some columns, one row a guess."""
    R, _, k = seen.ids.shape
    cells = [(r, p, place) for p in columns for r in range(R) for place in range(k)]
    return pd.DataFrame(
        {
            "position": [seen.positions[p] for _, p, _ in cells],
            "writer": [seen.writers[r] for r, _, _ in cells],
            "place": [place + 1 for _, _, place in cells],
            "token": [engine.guess(scene.source, seen.ids[cell]).text for cell in cells],
            "id": [int(seen.ids[cell]) for cell in cells],
            "probability": [float(seen.probs[cell]) for cell in cells],
            "entropy, nats": [float(seen.entropy[r, p]) for r, p, _ in cells],
            "KL to the final row, nats": [float(seen.kl[r, p]) for r, p, _ in cells],
        }
    )
