"""MLP: the neurons of one block, one of them along the prompt, and the GELU they pass."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.readout import Pushed
from viz import captions
from viz.bars import pushed_bars
from viz.labels import TokenLabel
from viz.mlp import COURSE_HEIGHT, MOST_COLUMNS, gelu_curve, most_active, neuron_course, neuron_map
from viz.pages import chrome, engine
from viz.pages.panels.scene import Scene, chart, choice, extent, foot
from viz.pages.view import MLP_VIEWS, STAGES, layer_of
from viz.window import window

PUSHED = 8  # tokens shown each way
NEURON = (
    '<abbr title="one of the MLP’s dff hidden units: row n of w1 says what it looks for in the '
    'stream, column n of w2 what it adds to it">neuron</abbr>'
)
GELU = (
    '<abbr title="Gaussian error linear unit: x times the share of a standard normal variable '
    'below x; GPT-2 computes it with tanh">GELU</abbr>'
)


@dataclass(frozen=True)
class Activity:
    """What the neurons of one block do over the prompt, and the one that is picked."""

    block: int
    before: np.ndarray  # (S, dff), what enters the GELU
    after: np.ndarray  # (S, dff), what leaves it
    neuron: int

    def values(self, stage: str) -> np.ndarray:
        """(S, dff) of that stage, a key of STAGES."""
        return {"before": self.before, "after": self.after}[stage]


def show(scene: Scene) -> None:
    """The panel."""
    block, dff = layer_of(scene.view), scene.trace.config.dff
    before, after = engine.mlp(scene.source, scene.trace.ids, block)
    neuron = scene.view.neuron
    if neuron is None:
        neuron = int(most_active(after[scene.view.token], 1)[0])
    chrome.heading(
        f"MLP, block {block}", f"blocks.{block}.ff", f"(S {scene.count}, dff {dff:,})", "ff"
    )
    SHOW[scene.view.mlp](scene, Activity(block, before, after, neuron))


def active(scene: Scene, activity: Activity) -> None:
    """The most active neurons at the token in focus, by token."""
    token = scene.view.token
    chrome.say(
        f"Each {NEURON} turns the stream at a token into one number, which passes a {GELU}; then "
        "it adds its own vector in that proportion. Rows are the neurons furthest from zero after "
        "the GELU at the token in focus (bars), columns are tokens. Pick a row to open it."
    )
    positions = window(token, scene.count, MOST_COLUMNS)
    choices(scene, extent(positions, scene.count))
    neurons = most_active(activity.after[token])
    figure = neuron_map(
        activity.values(scene.view.stage),
        neurons,
        positions=positions,
        labels=scene.labels,
        focus=token,
        picked=activity.neuron,
        theme=scene.theme,
    )
    chart(figure, "neuron_map", lambda point: open_neuron(scene, neurons[int(point["y"])]))
    chrome.stands_out(captions.neurons(activity.after, scene.labels, token))
    foot(
        scene,
        f"mlp-{activity.block}",
        lambda: rows(scene, activity, [token], neurons),
        lambda: rows(scene, activity, range(scene.count), neurons),
    )


def one_neuron(scene: Scene, activity: Activity) -> None:
    """One neuron along the prompt, and what it writes."""
    neuron, token = activity.neuron, scene.view.token
    chrome.say(
        f"How strongly one {NEURON} answers to each token, and what it then writes: its vector, "
        "read as if it reached the top unchanged, makes some tokens more likely and others less."
    )
    positions = window(token, scene.count, MOST_COLUMNS)
    choices(scene, activity=activity)
    pushes = engine.neuron_pushes(
        scene.source, scene.trace.ids, activity.block, neuron=neuron, token=token, k=PUSHED
    )
    up, down = engine.words(pushes.up_ids[0]), engine.words(pushes.down_ids[0])
    left, right = st.columns([0.6, 0.4], gap="medium")
    name = f"{activity.block}.{neuron}"
    with left:
        chrome.say(f"Neuron {name} · {extent(positions, scene.count)}", "title")
        values = activity.values(scene.view.stage)[:, neuron]
        figure = neuron_course(values, positions, scene.labels, token, scene.theme)
        chart(figure, "neuron_course", lambda point: scene.choose(token=int(point["x"])))
    with right:
        chrome.say("Logits pushed up and down by one unit of activation", "title")
        figure = pushed_bars(up, pushes.up[0], down, pushes.down[0], theme=scene.theme)
        chart(figure.update_layout(height=COURSE_HEIGHT), "neuron_pushes")
    said = captions.neuron(activity.after[:, neuron], scene.labels, token, name)
    speaks = captions.pushes(up, down, activity.after[token, neuron])
    apart = pushes.up[0, 0] > pushes.down[0, 0]
    chrome.stands_out(f"{said} {speaks if apart else 'It moves no logit against another.'}")
    foot(
        scene,
        f"mlp-{activity.block}-{neuron}",
        lambda: written(pushes, up, down),
        lambda: rows(scene, activity, range(scene.count), [neuron]),
    )


def curve(scene: Scene, activity: Activity) -> None:
    """The GELU with the values of the token in focus on it."""
    token = scene.view.token
    chrome.say(
        f"Each dot is a {NEURON} at the token in focus. The {GELU} lets large values through, "
        "holds negative ones near 0 and is smooth between; ReLU, its forerunner, cuts at 0."
    )
    choices(scene)
    before, after = activity.before[token], activity.after[token]
    figure = gelu_curve(before, after, activity.neuron, scene.label, scene.theme)
    chart(figure, "gelu_curve", lambda point: open_neuron(scene, point["point_index"]))
    chrome.stands_out(captions.gelu(before, after, scene.label))
    everyone = range(len(before))
    foot(
        scene,
        f"gelu-{activity.block}",
        *[lambda: rows(scene, activity, [token], most_active(after, len(everyone)))] * 2,
    )


SHOW = {"active": active, "neuron": one_neuron, "gelu": curve}


def choices(scene: Scene, shown: str = "", activity: Activity | None = None) -> None:
    """Which side of the MLP, which stage, which neuron."""
    with st.container(horizontal=True, vertical_alignment="center", key="mlp_choices"):
        choice(scene, "mlp", "Shown", MLP_VIEWS)
        if scene.view.mlp != "gelu":
            choice(scene, "stage", "Activations", STAGES)
        if activity:
            neuron_field(scene, activity)
        if shown:
            chrome.say(shown, "title")


def neuron_field(scene: Scene, activity: Activity) -> None:
    """The picked neuron's number, to type or step."""
    st.session_state["neuron"] = activity.neuron
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="of"):
        st.html('<p class="gb-title">neuron</p>', width="content")
        st.number_input(
            "Neuron",
            min_value=0,
            max_value=scene.trace.config.dff - 1,
            key="neuron",
            width=130,
            label_visibility="collapsed",
            on_change=lambda: scene.choose(neuron=int(st.session_state["neuron"])),
        )


def open_neuron(scene: Scene, neuron: int) -> None:
    """Show one neuron."""
    scene.choose(neuron=int(neuron), mlp="neuron")


def rows(
    scene: Scene, activity: Activity, tokens: Iterable[int], neurons: Sequence[int]
) -> pd.DataFrame:
    """Activations, one row a neuron and token."""
    cells = [(t, n) for t in tokens for n in neurons]
    return pd.DataFrame(
        {
            "position": [t for t, _ in cells],
            "token": [scene.labels[t].text for t, _ in cells],
            "neuron": [int(n) for _, n in cells],
            "before GELU": [float(activity.before[cell]) for cell in cells],
            "after GELU": [float(activity.after[cell]) for cell in cells],
        }
    )


def written(pushes: Pushed, up: Sequence[TokenLabel], down: Sequence[TokenLabel]) -> pd.DataFrame:
    """The tokens a neuron pushes up, then those it pushes down, one row each."""
    return pd.DataFrame(
        {
            "token": [word.text for word in [*up, *down]],
            "id": [word.id for word in [*up, *down]],
            "change of the logit against the mean": [
                *map(float, pushes.up[0]),
                *map(float, pushes.down[0]),
            ],
        }
    )
