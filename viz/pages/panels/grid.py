"""What colours the grid of heads: their patterns on this prompt, or a score of the model's own."""

import numpy as np
import streamlit as st

from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene
from viz.pages.view import GRIDS


def choice(scene: Scene) -> None:
    """The line above the grid: what it shows, and a menu of what may colour it."""
    key = "choice_grid"
    st.session_state[key] = scene.view.grid
    with st.container(horizontal=True, vertical_alignment="center", key="grid_choice"):
        chrome.say("All heads by", "title")
        st.selectbox(
            "What colours the grid",
            list(GRIDS),
            format_func=GRIDS.get,
            key=key,
            on_change=lambda: scene.choose(grid=st.session_state[key]),
            label_visibility="collapsed",
            width=190,
        )
        if scene.view.grid != "pattern":
            sort_switch(scene)


def sort_switch(scene: Scene) -> None:
    """Whether the heads stand by block or by their score."""
    key = "choice_sort"
    st.session_state[key] = scene.view.sort == "1"
    st.toggle(
        "Sort",
        key=key,
        on_change=lambda: scene.choose(sort="1" if st.session_state[key] else None),
    )


def colouring(scene: Scene) -> dict:
    """Data for the grid: a share from 0 to 1 a head and what it stands for; none for patterns."""
    name = scene.view.grid
    if name == "pattern":
        return {"colouring": None, "order": None}
    values = engine.repetition(scene.source)[name].numpy()  # (N, H)
    top = float(np.nanmax(values)) if name == "entropy" else 1.0
    unit = "full colour is 1"
    if name == "entropy":
        unit = f"0 nats looks at one token, full colour is {top:.1f}"
    return {
        "order": ordered(values) if scene.view.sort else None,
        "colouring": {
            "title": GRIDS[name],
            "values": values.round(3).tolist(),
            "shares": np.nan_to_num(values / top).round(3).tolist(),
            "says": f"on random tokens that come twice, {unit}",
        },
    }


def ordered(values: np.ndarray) -> list[str]:
    """Names of all heads, the highest score first; (N, H) scores, unknown ones last."""
    places = np.argsort(-np.nan_to_num(values, nan=-np.inf), axis=None, kind="stable")
    return [f"{layer}.{head}" for layer, head in (divmod(int(p), values.shape[1]) for p in places)]
