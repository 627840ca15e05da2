"""The MLP and its nonlinearity."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model import MLP
from model.transformer import FeedForward
from viz.labels import decimals, error_size
from viz.learn.activations import curves, gelu_exact, gelu_tanh, relu
from viz.pages import chrome, engine
from viz.pages.learn.lesson import Lesson, Section, Shape, block_slider, reads


def text(lesson: Lesson) -> str:
    """Expand, bend, contract."""
    c = lesson.config
    return f"""
<p>The MLP (multi-layer perceptron) works on each position by itself; what it knows of other
positions, attention has brought. <code>w1</code> takes the {c.dmodel:,} numbers to
{c.dff:,}, a bend acts on each of these alone, and <code>w2</code> leads back to {c.dmodel:,}.
Without the bend the two linear layers would be one.</p>
<p>The bend is the <b>GELU</b> (Gaussian error linear unit): x times the share of a normal
distribution below x. Large inputs pass, very negative ones become nearly 0, and in between the
curve is smooth. GPT-2 was trained with an approximation by tanh, so that is what must run: with the
exact form the activations would move by up to {gap():.5f}, small, but enough to see in the
logits.</p>"""


def gap() -> float:
    """The largest distance between the two GELUs."""
    x = np.linspace(-6, 6, 2401)
    return float(np.abs(gelu_tanh(x) - gelu_exact(x)).max())


def since(lesson: Lesson) -> str:
    """ReLU."""
    inputs = seen_inputs(lesson)
    return f"""<p>Same two layers, another bend: ReLU keeps what is positive and sets the rest to
exactly 0, with a kink where GELU is smooth. Of the inputs that reach this block’s bend on your
prompt, {(inputs < 0).sum():,} of {inputs.size:,} are negative. ReLU would silence all of them, and
no gradient would flow there; GELU lets them through in part, down to
{decimals(gelu_tanh(np.linspace(-2, 0, 2001)).min())}.</p>"""


def seen_inputs(lesson: Lesson) -> np.ndarray:
    """(S, dff): what reaches the nonlinearity of the block in view."""
    return engine.mlp(lesson.source, lesson.trace.ids, lesson.block)[0]


def picture(lesson: Lesson) -> go.Figure:
    """Three curves, the gap between two of them, and the inputs of this prompt."""
    reads(
        lesson,
        "Top, output against input. Middle, by how much the tanh form differs from the exact one, "
        "in ten-thousandths. Bottom, where the inputs of this block lie on the current prompt, as "
        "far as they are between −4 and 4.",
    )
    left, right = st.columns(2, gap="medium")
    with left:
        x = st.slider("Input", -4.0, 4.0, -0.75, step=0.05, key="bend_input")
    with right:
        block_slider(lesson, "ff")
    figure = lesson.show(curves(x, seen_inputs(lesson), lesson.theme), "curves", 380)
    chrome.stands_out(caption(x))
    return figure


def caption(x: float) -> str:
    """The three values at the chosen input."""
    at = np.array([x])
    tanh, exact, kink = (float(f(at)[0]) for f in (gelu_tanh, gelu_exact, relu))
    return (
        f"At {decimals(x)}: GELU by tanh <b>{decimals(tanh, 5)}</b>, "
        f"exact <b>{decimals(exact, 5)}</b>, ReLU <b>{kink:.2f}</b>; "
        f"the two GELUs differ by {error_size(abs(tanh - exact))}."
    )


SECTION = Section(
    name="mlp",
    title="The MLP with GELU",
    kind="ff",
    point="Widen fourfold, bend every number with a GELU, narrow again: each position alone.",
    text=text,
    picture=picture,
    shapes=(
        Shape("what it reads, norm_2(x)", ("B", "S", "dmodel"), "blocks.0.norm_2"),
        Shape("weights of w1", ("dff", "dmodel"), "blocks.0.ff.w1.weight"),
        Shape("hidden, before and after GELU", ("B", "S", "dff"), "blocks.0.ff.w1"),
        Shape("what it writes", ("B", "S", "dmodel"), "blocks.0.ff"),
    ),
    code=(MLP,),
    since=since,
    old_code=(FeedForward,),
    box="blocks.{}.ff",
)
