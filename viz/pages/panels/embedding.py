"""Embedding: what is added for each token, and which tokens and which positions are alike."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from viz import captions
from viz.embedding import MOST_ROWS, added, largest_entries, nearest_bars, position_maps, row_norms
from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene, chart, choice, extent, foot
from viz.pages.view import EMBEDDINGS
from viz.window import window

NEAREST = 16  # tokens in the picture
LISTED = 100  # in the CSV
COSINE = (
    '<abbr title="1: the same direction; 0: at right angles; −1: opposite directions">cosine</abbr>'
)


def show(scene: Scene) -> None:
    """The panel."""
    SHOW[scene.view.embedding](scene)


def head(scene: Scene, shape: str, how: str, shown: str = "") -> None:
    """Title, how to read the picture, and the choice of pictures."""
    chrome.heading("Embedding", "embed", shape, "embed")
    chrome.say(how)
    with st.container(horizontal=True, vertical_alignment="center", key="embedding_choices"):
        choice(scene, "embedding", "Shown", EMBEDDINGS)
        if shown:
            chrome.say(shown, "title")


def what_is_added(scene: Scene) -> None:
    """wte, wpe and their sum for the tokens of the prompt."""
    positions = window(scene.view.token, scene.count, MOST_ROWS)
    tables = summands(scene)
    head(
        scene,
        f"(S {scene.count}, dmodel {scene.trace.config.dmodel})",
        "The stream begins as a sum of two learned rows: <code>wte</code> says which token it is, "
        "<code>wpe</code> at which position it stands. Orange entries are positive, blue negative, "
        "on one scale; the entries shown are the largest of the sum.",
        extent(positions, scene.count),
    )
    pictures(scene, tables, positions)
    token = scene.view.token
    chrome.stands_out(captions.embedding(tables["wte"][token], tables["wpe"][token], scene.label))
    foot(
        scene,
        "embedding",
        lambda: norms(scene, tables),
        lambda: norms(scene, tables).join(vectors(tables)),
    )


def pictures(scene: Scene, tables: Mapping[str, np.ndarray], positions: range) -> None:
    """The rows and their norms; a click picks a token."""
    shown = {"positions": positions, "labels": scene.labels, "theme": scene.theme}
    entries = largest_entries(tables["sum"])
    lengths = {name: np.linalg.norm(table, axis=1) for name, table in tables.items()}
    left, right = st.columns([0.7, 0.3], gap="small")
    pick = lambda point: scene.choose(token=int(point["y"]))  # noqa: E731
    with left:
        chart(added(tables, entries, focus=scene.view.token, **shown), "added", pick)
    with right:
        chart(row_norms(lengths, **shown), "row_norms", pick)


def summands(scene: Scene) -> dict[str, np.ndarray]:
    """wte, wpe and their sum, (S, dmodel) each."""
    model = engine.model(scene.source)
    wte = model.wte.weight.detach()[list(scene.trace.ids)].numpy()
    wpe = model.wpe.weight.detach()[: scene.count].numpy()
    return {"wte": wte, "wpe": wpe, "sum": wte + wpe}


def nearest(scene: Scene) -> None:
    """The tokens whose rows of wte are most like that of the token in focus."""
    config, label = scene.trace.config, scene.label
    head(
        scene,
        f"(vocabsize {config.vocabsize:,}, dmodel {config.dmodel})",
        "Tokens used alike tend to get rows of <code>wte</code> that point the same way. Shown are "
        f"those with the largest {COSINE} to the row of {captions.at(label)}; position plays no "
        "part.",
    )
    if config.vocabsize == 1:
        chrome.say("This model has no other token.")
        return
    ids, cosines, typical = engine.nearest(scene.source, label.id, LISTED)
    words = [engine.word(token) for token in ids]
    chart(nearest_bars(words[:NEAREST], cosines[:NEAREST], typical, scene.theme), "nearest")
    unseen = label.id in engine.unseen(scene.source, scene.trace.ids)
    chrome.stands_out(captions.nearest(words, cosines, typical, label, unseen))
    table = pd.DataFrame(
        {
            "token": [word.text for word in words],
            "id": [word.id for word in words],
            "cosine": cosines.astype(float),
        }
    )
    foot(scene, "nearest", lambda: table.head(NEAREST), lambda: table)


def positions(scene: Scene) -> None:
    """How alike positions are: learned, and by the formula of 2017."""
    config, token = scene.trace.config, scene.view.token
    head(
        scene,
        f"(max_seq_len {config.max_seq_len:,}, dmodel {config.dmodel})",
        f"Every position against every other: the {COSINE} of their rows, orange where they point "
        "the same way. GPT-2 learned its rows of <code>wpe</code>; the Transformer of 2017 "
        f"computed them from sines and cosines. The line is position {token}.",
    )
    learned, fixed = engine.position_cosines(scene.source)
    tables = {"wpe, learned": learned, "sinusoids, 2017": fixed}
    for column, (title, table) in zip(st.columns(2), tables.items(), strict=True):
        with column:
            chart(position_maps({title: table}, token, scene.theme), f"positions {title}")
    chrome.stands_out(captions.positions(learned, fixed, token))
    table = pd.DataFrame(
        {
            "position": range(len(learned)),
            f"cosine to position {token}, wpe": learned[token].astype(float),
            f"cosine to position {token}, sinusoids": fixed[token].astype(float),
        }
    )
    foot(scene, f"position-{token}", *[lambda: table] * 2)


SHOW = {"added": what_is_added, "nearest": nearest, "positions": positions}


def norms(scene: Scene, tables: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """The norm of each token's rows."""
    lengths = {f"norm of {name}": np.linalg.norm(table, axis=1) for name, table in tables.items()}
    return pd.DataFrame(
        {
            "position": range(scene.count),
            "token": [label.text for label in scene.labels],
            **lengths,
        }
    )


def vectors(tables: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Every entry of the three tables, one column each."""
    return pd.concat(
        [pd.DataFrame(table).add_prefix(f"{name} ") for name, table in tables.items()], axis=1
    )
