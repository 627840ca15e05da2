"""Inside one head: from query and keys to the pattern, in numbers."""

import numpy as np
import streamlit as st

from model import BlockTrace
from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene, chart
from viz.pages.view import layer_of
from viz.steps import MOST_COLUMNS, product_strips, running_sum, step_table
from viz.window import window


def steps(scene: Scene, pattern: np.ndarray) -> None:
    """The four steps for the token in focus, and the arithmetic of one pair."""
    token, source = scene.view.token, source_of(scene, pattern)
    block = opened(scene)
    table = four_steps(block, scene.view.head, token)
    positions = window(source, scene.count, MOST_COLUMNS)
    with st.container(horizontal=True, vertical_alignment="center", key="pair"):
        chrome.say(f"{_names(scene, token)} reads column by column · pick one", "title")
        source_choice(scene, source)
    figure = step_table(table, positions, scene.labels, scene.theme)
    chart(figure, "step_table", lambda point: pick_source(scene, int(point["x"])))
    said = _arithmetic(table[:, source], scene.trace.config.dk)
    chrome.say(f"{_names(scene, token)} to {_names(scene, source)}: {said}", "numbers")


def vectors(scene: Scene, pattern: np.ndarray) -> None:
    """Query, key, their product and the value for one pair of tokens."""
    token, source, head = scene.view.token, source_of(scene, pattern), scene.view.head
    block = opened(scene)
    q, k, v = (x[head].numpy() for x in (block.q, block.k, block.v))  # (S, dk)
    with st.container(horizontal=True, vertical_alignment="center", key="pair"):
        chrome.say(f"{_names(scene, token)} reads {_names(scene, source)}", "title")
        source_choice(scene, source)
    names = (scene.labels[token].cut(8), scene.labels[source].cut(8))
    chart(product_strips(q[token], k[source], v[source], names, scene.theme), "product")
    chart(running_sum(q[token], k[source], scene.theme), "running_sum")


def opened(scene: Scene) -> BlockTrace:
    """Everything inside the block in focus."""
    return engine.block(scene.source, scene.trace.ids, layer_of(scene.view))


def source_of(scene: Scene, pattern: np.ndarray) -> int:
    """The token read that is looked at: the chosen one, else the one that gets most attention."""
    chosen, token = scene.view.source, scene.view.token
    if chosen is not None and chosen <= token:
        return chosen
    return int(pattern[scene.view.head, token].argmax())


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


def _names(scene: Scene, position: int) -> str:
    label = scene.labels[position]
    return f"{label.html} ({label.position})"


def _arithmetic(column: np.ndarray, dk: int) -> str:
    score, scaled, _, share = column
    return (
        f"q · k = {score:.2f}; divided by √{dk} = {np.sqrt(dk):.2f} that is {scaled:.2f}; "
        f"its share after softmax is {share:.3f}."
    )
