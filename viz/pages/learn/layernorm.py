"""LayerNorm, one step after another, on a vector of the current prompt."""

import numpy as np
import plotly.graph_objects as go
import torch

from model.gpt import Block
from model.transformer import LayerNormalization, TransformerConfig
from viz.captions import at
from viz.labels import error_size, magnitude
from viz.learn.normalising import Step, spread_bars, steps
from viz.pages import chrome
from viz.pages.learn.lesson import (
    Lesson,
    Section,
    Shape,
    pick_one,
    reads,
    token_and_block,
)


def text(lesson: Lesson) -> str:
    """The four steps."""
    return f"""
<p>The stream grows as the blocks add to it, and its size differs from token to token. Before a part
reads it, <code>nn.LayerNorm</code> brings each position’s vector to a common size, looking at that
vector alone:</p>
<ol><li>subtract the <b>mean</b> of its {lesson.config.dmodel:,} entries;</li>
<li>divide by their <b>standard deviation</b>, the root of the mean squared distance from the mean
(plus eps = {lesson.model.norm.eps:g} under the root);</li>
<li>multiply entry by entry with a learned <code>weight</code>;</li>
<li>add a learned <code>bias</code>.</li></ol>
<p>The stream itself stays as it is: only the copy that is read is normalised. Each block has two
norms, <code>norm_1</code> before attention and <code>norm_2</code> before the MLP, and one more
stands before the output.</p>"""


def since(lesson: Lesson) -> str:
    """Same arithmetic, other place."""
    return f"""<p>The arithmetic is unchanged. Written out as below and given the weights of
<code>blocks.{lesson.block}.norm_1</code>, it differs from PyTorch’s module by
{error_size(difference(lesson))} at most on this prompt. What moved is the place: in 2017 the norm
stood <i>after</i> the sum, on the stream itself, and every later part saw a stream that had been
rescaled.</p>"""


def difference(lesson: Lesson) -> float:
    """Largest difference between nn.LayerNorm and the one written out, on this prompt's stream."""
    norm, x = lesson.model.blocks[lesson.block].norm_1, lesson.trace.residual[2 * lesson.block]
    ours = LayerNormalization(TransformerConfig(dmodel=lesson.config.dmodel), eps=norm.eps)
    with torch.no_grad():
        ours.weight.copy_(norm.weight)
        ours.bias.copy_(norm.bias)
        return float((ours(x) - norm(x.to(norm.weight.device)).cpu()).abs().max())


def picture(lesson: Lesson) -> go.Figure:
    """The vector after each step; the reader goes through them."""
    reads(
        lesson,
        "Each bar is one entry of the vector. The blue line is the mean, the blue band one "
        "standard deviation to either side. Go through the steps in turn.",
    )
    token_and_block(lesson, "norm_1")
    all_steps = states(lesson)
    names = {str(i): step.name for i, step in enumerate(all_steps)}
    chosen = all_steps[int(pick_one("Step", names, "norm_step"))]
    figure = lesson.show(spread_bars(chosen.values, lesson.theme), "spread_bars", 310)
    chrome.stands_out(caption(lesson, chosen))
    return figure


def states(lesson: Lesson) -> tuple[Step, ...]:
    """The steps of norm_1 of the block in view, at the token in focus."""
    norm = lesson.model.blocks[lesson.block].norm_1
    x = lesson.trace.residual[2 * lesson.block, lesson.view.token].numpy()
    return steps(x, norm.weight.detach().numpy(), norm.bias.detach().numpy(), norm.eps)


def caption(lesson: Lesson, step: Step) -> str:
    """Mean, spread and the largest entry, in numbers."""
    v = step.values
    largest = int(np.abs(v).argmax())
    return (
        f"<code>{step.formula}</code> at {at(lesson.label)}: mean <b>{_rounded(v.mean())}</b>, "
        f"standard deviation <b>{_rounded(v.std())}</b>; the largest entry is number {largest}, "
        f"{magnitude(float(v[largest]))}."
    )


def _rounded(value: float) -> str:
    """Three digits; what is left of a zero after rounding counts as zero."""
    return "0" if abs(value) < 5e-6 else magnitude(float(value))


SECTION = Section(
    name="layernorm",
    title="LayerNorm",
    kind="norm",
    point="Each part reads a copy of the stream that is centred and brought to unit spread.",
    text=text,
    picture=picture,
    shapes=(
        Shape("stream that is read", ("B", "S", "dmodel"), "drop"),
        Shape("weight, and the same for bias", ("dmodel",), "blocks.0.norm_1.weight"),
        Shape("norm_1(x)", ("B", "S", "dmodel"), "blocks.0.norm_1"),
    ),
    code=(Block.__init__,),
    since=since,
    old_code=(LayerNormalization,),
    box="blocks.{}.norm_1",
)
