"""What one head adds to the stream, and what that does to the next token."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from model.readout import Pushed
from viz import captions
from viz.bars import pushed_bars, token_bars
from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene, chart, extent
from viz.pages.view import layer_of
from viz.window import window

MOST_COLUMNS = 40
PUSHED = 5


def writes(scene: Scene, _pattern: np.ndarray) -> None:
    """The length of the head's write along the prompt, and the tokens it pushes at the focus."""
    token = scene.view.token
    norms = norms_of(scene)
    positions = window(token, scene.count, MOST_COLUMNS)
    chrome.say(f"Length of what it adds · {extent(positions, scene.count)}", "title")
    figure = token_bars(
        norms,
        positions,
        scene.labels,
        title="L2 norm",
        colour=scene.theme.attn,
        focus=token,
        theme=scene.theme,
        height=150,
    )
    chart(figure, "head_norms", lambda point: scene.choose(token=int(point["x"])))
    found = pushed_at_focus(scene)
    up, down = engine.words(found.up_ids[0]), engine.words(found.down_ids[0])
    chrome.say("Tokens it pushes up and down most at the token in focus", "title")
    chart(pushed_bars(up, found.up[0], down, found.down[0], theme=scene.theme), "head_pushes")


def caption(scene: Scene) -> str:
    """What the head's write does at the token in focus, in words."""
    found, layer, head = pushed_at_focus(scene), layer_of(scene.view), scene.view.head
    up, down = engine.words(found.up_ids[0]), engine.words(found.down_ids[0])
    return captions.head_write(
        f"{layer}.{head}",
        scene.label,
        float(norms_of(scene)[scene.view.token]),
        (up[0], float(found.up[0, 0])),
        (down[0], float(found.down[0, 0])),
        read=(scene.labels[most_read(scene)], float(found.aims[0, 0])),
    )


def rows(scene: Scene, _pattern: np.ndarray, _readers: Iterable[int]) -> pd.DataFrame:
    """The length of the head's write, one row a token."""
    return pd.DataFrame(
        {
            "position": range(scene.count),
            "token": [label.text for label in scene.labels],
            "L2 norm of what the head adds": norms_of(scene),
        }
    )


def norms_of(scene: Scene) -> np.ndarray:
    """(S,): the length of the picked head's write at every token."""
    block = engine.block(scene.source, scene.trace.ids, layer_of(scene.view))
    return block.head_norms[scene.view.head].numpy()


def most_read(scene: Scene) -> int:
    """The position to which the picked head gives most at the token in focus."""
    pattern = engine.attention(scene.source, scene.trace.ids, layer_of(scene.view))  # (H, S, S)
    return int(pattern[scene.view.head, scene.view.token].argmax())


def pushed_at_focus(scene: Scene) -> Pushed:
    """What the picked head's write does to the logits at the token in focus; its aim is what it
    reads most."""
    view, ids = scene.view, scene.trace.ids
    aims = (ids[most_read(scene)],)
    return engine.head_pushes(
        scene.source, ids, (layer_of(view), view.head), view.token, PUSHED, aims=aims
    )
