"""Residual stream: its norm after every writer, and what each writer adds."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import streamlit as st

from viz import captions
from viz.pages import chrome
from viz.pages.panels.scene import Scene, chart, extent, foot
from viz.residual import norm_course, norm_map
from viz.window import window

MOST_COLUMNS = 64


def show(scene: Scene) -> None:
    """The panel."""
    trace, token = scene.trace, scene.view.token
    norms, writes = trace.residual.norm(dim=-1).numpy(), trace.write_norms.numpy()  # (2N+1, S)
    shape = f"({len(trace.writers)} writers, S {scene.count}, dmodel {trace.config.dmodel})"
    chrome.heading("Residual stream", scene.view.at, shape, "norm")
    chrome.say(
        "One vector per token: the embedding starts it, then each attention (attn) and MLP (ff) "
        'adds a vector of its own. Shown is its length, the <abbr title="the square root of the '
        'sum of the squares of its entries">L2 norm</abbr>.'
    )
    left, right = st.columns([0.56, 0.44], gap="medium")
    with left:
        by_writer_and_token(scene, norms)
    with right:
        chrome.say(f"At {captions.at(scene.label)} · line: the stream · bars: writes", "title")
        course = norm_course(norms[:, token], writes[:, token], trace.writers, scene.theme)
        chart(course, "norm_course")
    said = captions.residual(norms[:, token], writes[:, token], trace.writers, scene.label)
    chrome.stands_out(f"{said} {captions.sink(norms, scene.labels)}")
    foot(
        scene,
        "residual",
        lambda: rows(scene, norms, writes, [token]),
        lambda: rows(scene, norms, writes, range(scene.count)),
    )


def by_writer_and_token(scene: Scene, norms: np.ndarray) -> None:
    """The heat map; a click picks a writer and a token."""
    positions = window(scene.view.token, scene.count, MOST_COLUMNS)
    chrome.say(f"Norm after each writer · {extent(positions, scene.count)}", "title")
    figure = norm_map(
        norms,
        positions=positions,
        labels=scene.labels,
        writers=scene.trace.writers,
        focus=scene.view.token,
        at=scene.view.at,
        theme=scene.theme,
    )
    writers = scene.trace.writers
    chart(figure, "norm_map", lambda p: scene.choose(at=writers[int(p["y"])], token=int(p["x"])))


def rows(
    scene: Scene, norms: np.ndarray, writes: np.ndarray, tokens: Iterable[int]
) -> pd.DataFrame:
    """Norm of the stream and of each write, one row a token and writer."""
    writers = scene.trace.writers
    cells = [(r, t) for t in tokens for r in range(len(writers))]
    return pd.DataFrame(
        {
            "position": [t for _, t in cells],
            "token": [scene.labels[t].text for _, t in cells],
            "writer": [writers[r] for r, _ in cells],
            "norm of the stream after it": [float(norms[r, t]) for r, t in cells],
            "norm of what it added": [float(writes[r, t]) for r, t in cells],
        }
    )
