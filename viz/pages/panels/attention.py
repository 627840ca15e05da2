"""Attention: all heads as thumbnails, one head as a heat map."""

import base64
from collections.abc import Iterable

import numpy as np
import pandas as pd
import streamlit as st

from viz import captions
from viz.attention import MOST_CELLS, head_map, head_overview
from viz.pages import chrome, components, engine
from viz.pages.panels.scene import Scene, chart, choice, foot
from viz.pages.view import MAP_SPANS, layer_of
from viz.window import window

# Head scores named under the grid, in the reader's words.
SCORES = {"induction": "induction", "previous": "previous token", "first": "first token"}


def show(scene: Scene) -> None:
    """The panel."""
    layer, head, S = layer_of(scene.view), scene.view.head, scene.count
    pattern = engine.attention(scene.source, scene.trace.ids, layer)[head]
    shape = f"(H {scene.trace.config.H}, S {S}, S {S})"
    chrome.heading(f"Attention, block {layer}, head {head}", f"blocks.{layer}.attn", shape, "attn")
    chrome.say(
        "Each row is one token reading the tokens up to itself, to work out what follows it; the "
        "stronger the colour, the more it takes from there. A row sums to 1."
    )
    left, right = st.columns([0.4, 0.6], gap="medium")
    with left:
        chrome.say("All heads: up the blocks, across the heads · pick one", "title")
        components.heads(thumbnails(scene), lambda name: pick(scene, name))
    with right:
        one_head(scene, pattern, f"{layer}.{head}")
    scores = {name: float(values[layer, head]) for name, values in scene.trace.head_scores.items()}
    said = captions.attention(pattern, scene.labels, scene.view.token, f"{layer}.{head}", scores)
    chrome.stands_out(said)
    foot(
        scene,
        f"attention-{layer}-{head}",
        lambda: rows(scene, pattern, [scene.view.token]),
        lambda: rows(scene, pattern, range(S)),
    )


def thumbnails(scene: Scene) -> dict:
    """Data for the grid of heads."""
    pictures = scene.trace.thumbnails.float().numpy()  # (N, H, T, T)
    N, H, size, _ = pictures.shape
    return {
        "N": N,
        "H": H,
        "size": size,
        "pixels": as_bytes(pictures),
        "picked": f"{layer_of(scene.view)}.{scene.view.head}",
        "scores": {
            title: [[round(x, 3) if np.isfinite(x) else None for x in row] for row in values]
            for name, title in SCORES.items()
            for values in [scene.trace.head_scores[name].tolist()]
        },
    }


def as_bytes(shares: np.ndarray) -> str:
    """Values from 0 to 1 as one byte each, 255 for 1, in base64."""
    pixels = np.nan_to_num(shares * 255).round().clip(0, 255).astype(np.uint8)
    return base64.b64encode(pixels.tobytes()).decode()


def pick(scene: Scene, name: str) -> None:
    """A head was chosen in the grid: "5.1"."""
    layer, head = name.split(".")
    scene.choose(at=f"blocks.{layer}.attn", head=int(head))


def one_head(scene: Scene, pattern: np.ndarray, name: str) -> None:
    """The heat map of one head; a long prompt by window or, pooled, whole."""
    positions = window(scene.view.token, scene.count, MOST_CELLS)
    long, whole = scene.count > MOST_CELLS, scene.view.span == "overview"
    chrome.say(f"Head {name} · row: token that reads · column: token read", "title")
    if long:
        with st.container(horizontal=True, vertical_alignment="center", key="span"):
            choice(scene, "span", "Shown", MAP_SPANS)
            chrome.say(_shown(scene.count, positions, whole), "title")
    if long and whole:
        figure = head_overview(pattern, scene.theme)
    else:
        figure = head_map(pattern, positions, scene.labels, scene.view.token, scene.theme)
    chart(figure, "head_map", lambda point: scene.choose(token=int(point["y"])))


def _shown(count: int, positions: range, whole: bool) -> str:
    if whole:
        side = -(-count // MOST_CELLS)
        return f"a cell shows the largest of {side} x {side} values"
    return f"tokens {positions.start} to {positions.stop - 1} of {count:,}"


def rows(scene: Scene, pattern: np.ndarray, readers: Iterable[int]) -> pd.DataFrame:
    """What each of `readers` gives to each token up to itself, one row a pair."""
    pairs = [(i, j) for i in readers for j in range(i + 1)]
    return pd.DataFrame(
        {
            "reading position": [i for i, _ in pairs],
            "reading token": [scene.labels[i].text for i, _ in pairs],
            "position read": [j for _, j in pairs],
            "token read": [scene.labels[j].text for _, j in pairs],
            "attention, 0 to 1": [float(pattern[i, j]) for i, j in pairs],
        }
    )
