"""Inside one head: from query and keys to the pattern, in numbers."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from model import BlockTrace
from viz.captions import at
from viz.labels import decimals
from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene, chart
from viz.pages.view import layer_of
from viz.steps import MOST_COLUMNS, product_strips, running_sum, step_table
from viz.window import window


def steps(scene: Scene, pattern: np.ndarray) -> None:
    """The four steps for the token in focus, and the arithmetic of one pair."""
    token, source = scene.view.token, source_of(scene, pattern[scene.view.head])
    block = opened(scene)
    table = four_steps(block, scene.view.head, token)
    positions = window(source, scene.count, MOST_COLUMNS)
    with st.container(horizontal=True, vertical_alignment="center", key="pair"):
        chrome.say(f"{at(scene.labels[token])} reads column by column · pick one", "title")
        source_choice(scene, source)
    figure = step_table(table, positions, scene.labels, scene.theme)
    chart(figure, "step_table", lambda point: pick_source(scene, int(point["x"])))
    said = _arithmetic(table[:, source], scene.trace.config.dk)
    pair = f"{at(scene.labels[token])} to {at(scene.labels[source])}"
    chrome.say(f"{pair}: {said}", "numbers")


def vectors(scene: Scene, pattern: np.ndarray) -> None:
    """Query, key, their product and the value for one pair of tokens."""
    token, head = scene.view.token, scene.view.head
    source = source_of(scene, pattern[head])
    block = opened(scene)
    q, k, v = (x[head].numpy() for x in (block.q, block.k, block.v))  # (S, dk)
    with st.container(horizontal=True, vertical_alignment="center", key="pair"):
        chrome.say(f"{at(scene.labels[token])} reads {at(scene.labels[source])}", "title")
        source_choice(scene, source)
    names = (scene.labels[token].cut(8), scene.labels[source].cut(8))
    chart(product_strips(q[token], k[source], v[source], names, scene.theme), "product")
    chart(running_sum(q[token], k[source], scene.theme), "running_sum")


def step_rows(scene: Scene, _pattern: np.ndarray, readers: Iterable[int]) -> pd.DataFrame:
    """The steps of each reader's attention to each token up to itself, one row a pair."""
    block = opened(scene)
    tables = {i: four_steps(block, scene.view.head, i) for i in readers}
    pairs = [(i, j) for i in tables for j in range(i + 1)]
    named = {"q · k": 0, "divided by √dk": 1, "attention, 0 to 1": 3}
    return pairs_frame(scene, pairs).assign(
        **{name: [float(tables[i][step, j]) for i, j in pairs] for name, step in named.items()}
    )


def vector_rows(scene: Scene, pattern: np.ndarray, _readers: Iterable[int]) -> pd.DataFrame:
    """The pair's query, key, product and value, one row a dimension of the head."""
    block, head = opened(scene), scene.view.head
    q, k, v = (x[head].numpy() for x in (block.q, block.k, block.v))  # (S, dk)
    token, source = scene.view.token, source_of(scene, pattern)
    columns = {"q": q[token], "k": k[source], "q × k": q[token] * k[source], "v": v[source]}
    return pd.DataFrame({"dimension": range(q.shape[1]), **columns})


def pairs_frame(scene: Scene, pairs: Sequence[tuple[int, int]]) -> pd.DataFrame:
    """Who reads whom, one row a pair of positions."""
    return pd.DataFrame(
        {
            "reading position": [i for i, _ in pairs],
            "reading token": [scene.labels[i].text for i, _ in pairs],
            "position read": [j for _, j in pairs],
            "token read": [scene.labels[j].text for _, j in pairs],
        }
    )


def opened(scene: Scene) -> BlockTrace:
    """Everything inside the block in focus."""
    return engine.block(scene.source, scene.trace.ids, layer_of(scene.view))


def source_of(scene: Scene, pattern: np.ndarray) -> int:
    """The token read that is looked at: the chosen one, else the one that gets most attention.

    pattern: (S, S), of the picked head.
    """
    chosen, token = scene.view.source, scene.view.token
    if chosen is not None and chosen <= token:
        return chosen
    return int(pattern[token].argmax())


def four_steps(block: BlockTrace, head: int, token: int) -> np.ndarray:
    """(4, S): what one token's query makes of each key, step by step, up to its attention."""
    scores = (block.k[head] @ block.q[head, token]).numpy()  # (S,)
    scaled = scores / np.sqrt(block.q.shape[-1])
    masked = np.where(np.arange(len(scores)) <= token, scaled, -np.inf)
    return np.stack([scores, scaled, masked, block.pattern[head, token].numpy()])


def source_choice(scene: Scene, source: int) -> None:
    """Which token is read, by keyboard or mouse."""
    key = "choice_source"
    st.session_state[key] = source
    st.selectbox(
        "Token read",
        range(scene.view.token + 1),
        format_func=lambda position: f"{position}  {scene.labels[position].short}",
        key=key,
        on_change=lambda: scene.choose(source=st.session_state[key]),
        width=150,
        label_visibility="collapsed",
    )


def pick_source(scene: Scene, position: int) -> None:
    """A column was picked; what lies ahead cannot be read."""
    if position <= scene.view.token:
        scene.choose(source=position)


def _arithmetic(column: np.ndarray, dk: int) -> str:
    score, scaled, _, share = column
    return (
        f"q · k = {decimals(score)}; divided by √{dk} = {decimals(np.sqrt(dk))} that is "
        f"{decimals(scaled)}; its share after softmax is {decimals(share, 3)}."
    )
