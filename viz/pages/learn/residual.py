"""Pre-norm: where the norm stands, and what that does to a deep stack."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.depth import HEADS, TOKENS, WIDTH, stacks_at_start
from model.gpt import Block
from model.transformer import ResidualConnection
from viz.learn.depth import through_depth
from viz.pages import chrome
from viz.pages.learn.lesson import Lesson, Section, Shape, reads

DEPTHS = (2, 4, 6, 8, 12, 16, 24, 36, 48)


def text(lesson: Lesson) -> str:
    """x + f(norm(x))."""
    return f"""
<p>A block never replaces the stream. It reads a normalised copy, works on it, and <i>adds</i> the
result: <code>x + f(norm(x))</code>. This is the <b>residual connection</b>, and because the norm
stands before the part it is called <b>pre-norm</b>.</p>
<p>So the stream at the top is the embedding plus everything written on the way: here
1 + 2 · {lesson.config.N} = {2 * lesson.config.N + 1} summands. A sum has two virtues. It can be
read anywhere on the way up, which is what this app does. And a gradient reaches every block
straight from the top, through no norm but the last.</p>
<p>The price: the stream grows with depth. Near the start of training each block adds
roughly as much to its squared length, give or take, as any other. That is why GPT-2 draws
the weights that write to the stream 1/√(2N) narrower, and puts one norm before the output.</p>"""


def since(_lesson: Lesson) -> str:
    """norm(x + f(x))."""
    depth = 12
    pre, post = (stack.norms[-1].item() for stack in measured(depth).values())
    return f"""<p><code>norm(x + f(x))</code>: the norm stood on the stream itself, after each sum
(<b>post-norm</b>). Every block then hands on a stream of length √dmodel. In the experiment above,
with {depth} blocks {WIDTH} wide, it leaves at {post:.2f} (√{WIDTH} = {WIDTH**0.5:.0f}) where
pre-norm has {pre:.1f}. But the gradient at the top blocks then stays as large in a deep stack as
in a shallow one, where pre-norm’s shrinks with depth, and on its way down it passes two norms in
every block. That is why post-norm stacks had to be trained with a slow warm-up (Xiong et al.
2020).</p>"""


@st.cache_resource(show_spinner="Running two random stacks", max_entries=len(DEPTHS))
def measured(depth: int) -> dict:
    """Both stacks at that depth; the seed is fixed, so every visitor sees the same."""
    return stacks_at_start(depth)


def picture(lesson: Lesson) -> go.Figure:
    """Norms and gradients through depth; depth is the reader's."""
    reads(
        lesson,
        f"Two stacks with the same random weights on the same random input, nothing trained: "
        f"width {WIDTH}, {HEADS} heads, {TOKENS} tokens. Left, the stream’s length on the way up; "
        "right, how hard the loss pulls at each block’s weights.",
    )
    depth = st.select_slider("Depth, blocks", DEPTHS, value=12, key="depth")
    stacks = measured(depth)
    norms = {kind: stack.norms.numpy() for kind, stack in stacks.items()}
    gradients = {kind: stack.gradients.numpy() for kind, stack in stacks.items()}
    figure = lesson.show(through_depth(norms, gradients, lesson.theme), "through_depth")
    chrome.stands_out(caption(depth, norms, gradients))
    return figure


def caption(depth: int, norms: dict[str, np.ndarray], gradients: dict[str, np.ndarray]) -> str:
    """Growth of the stream and evenness of the gradients."""
    growth = norms["pre"][-1] / norms["pre"][0]
    return (
        f"Over {depth} blocks the pre-norm stream grows <b>{growth:.1f}</b>-fold; the post-norm "
        f"stream stays at {norms['post'][-1]:.1f}. At the last block the gradient is "
        f"<b>{gradients['pre'][-1]:.1f}</b> with pre-norm and "
        f"<b>{gradients['post'][-1]:.1f}</b> with post-norm."
    )


SECTION = Section(
    name="residual",
    title="The pre-norm residual",
    kind="norm",
    point="A part reads a normalised copy and adds its result; nothing is ever overwritten.",
    text=text,
    picture=picture,
    shapes=(
        Shape("stream before", ("B", "S", "dmodel"), "drop"),
        Shape("what is added", ("B", "S", "dmodel"), "blocks.0.attn"),
        Shape("stream after", ("B", "S", "dmodel"), "blocks.0"),
    ),
    code=(Block.forward,),
    since=since,
    old_code=(ResidualConnection,),
    box="blocks.{}.norm_2",
)
