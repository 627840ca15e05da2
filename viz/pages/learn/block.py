"""The Block: attention, then MLP, each around the stream."""

from model import Block
from model.config import GPTConfig
from model.count import gpt_parameters, transformer_parameters
from model.transformer import DecoderBlock, EncoderBlock, TransformerConfig
from viz.captions import at
from viz.labels import magnitude
from viz.learn.drawing import block_flow
from viz.pages import chrome, components, engine
from viz.pages.learn.lesson import (
    Lesson,
    Section,
    Shape,
    reads,
    token_and_block,
)


def text(lesson: Lesson) -> str:
    """Two reads, two writes."""
    counts, N = gpt_parameters(lesson.config), lesson.config.N
    one = (counts["attn"] + counts["ff"]) // N + 4 * lesson.config.dmodel
    return f"""
<p>A block is two steps on the stream. First attention: each position gathers from earlier ones.
Then the MLP: each position works on what it now holds. Shape in and shape out are the same, so
blocks can be stacked; this model stacks {N}.</p>
<p>One block has {one:,} parameters here: {counts["attn"] // N:,} in attention,
{counts["ff"] // N:,} in the MLP and {4 * lesson.config.dmodel:,} in its two norms. The MLP has
twice the weights of attention at every size, since 4·d² stand against 8·d².</p>"""


def since(_lesson: Lesson) -> str:
    """Encoder and decoder blocks."""
    old = transformer_parameters(TransformerConfig())
    per = TransformerConfig().N
    small = gpt_parameters(GPTConfig())
    own = (small["attn"] + small["ff"]) // GPTConfig().N + 4 * GPTConfig().dmodel
    return f"""<p>There were two kinds. The encoder’s block is this one with post-norm and no causal
mask ({old["encoder"] // per:,} parameters in the base model). The decoder’s has a third step in the
middle, cross-attention to the encoder’s output ({old["decoder"] // per:,}). GPT-2 takes the
decoder’s block and removes that step: with no source sentence there is nothing to look across to.
GPT-2 Small’s block has {own:,}.</p>"""


def picture(lesson: Lesson) -> None:
    """The block as a drawing with the numbers of this run."""
    reads(
        lesson,
        "Bottom to top, as the stream runs. Numbers are lengths (the L2 norm, the root of the "
        "sum of squares) at the token you choose: of the stream, of the copy that is read, and of "
        "what is added (+).",
    )
    token_and_block(lesson, "attn")
    norms = flow(lesson)
    drawn = block_flow(norms, written_shapes(lesson), lesson.size, 1 if lesson.stage else 1.7)
    components.drawing({"drawings": [drawn], "size": lesson.size}, lambda _: None)
    chrome.stands_out(caption(lesson, norms))


def flow(lesson: Lesson) -> dict[str, float]:
    """L2 norms at the token in focus, through the block in view."""
    inside, token = engine.block(lesson.source, lesson.trace.ids, lesson.block), lesson.view.token
    stream = lesson.trace.residual[2 * lesson.block : 2 * lesson.block + 3, token]
    enters, middle, leaves = stream.norm(dim=-1).tolist()
    parts = {
        "norm_1": inside.norm_1,
        "attn": inside.attn_out,
        "norm_2": inside.norm_2,
        "ff": inside.mlp_out,
    }
    read = {name: float(x[token].norm()) for name, x in parts.items()}
    return read | {"enters": enters, "middle": middle, "leaves": leaves}


def written_shapes(lesson: Lesson) -> dict[str, str]:
    """The shapes in the drawing, with numbers."""
    c, S = lesson.config, lesson.count
    return {
        "stream": f"(B 1, S {S}, dmodel {c.dmodel:,})",
        "attn": f"pattern ({c.H}, {S}, {S})",
        "ff": f"hidden ({S}, {c.dff:,})",
    }


def caption(lesson: Lesson, norms: dict[str, float]) -> str:
    """Which of the two steps writes more here."""
    attn, ff = norms["attn"], norms["ff"]
    takes = (
        f"At {at(lesson.label)} block {lesson.block} takes the stream from "
        f"{magnitude(norms['enters'])} to <b>{magnitude(norms['leaves'])}</b>."
    )
    if attn == ff == 0:
        return f"{takes} Neither attention nor the MLP writes anything."
    more, less = ("Attention", "the MLP") if attn > ff else ("The MLP", "attention")
    return (
        f"{takes} {more} writes more, {magnitude(max(attn, ff))} against "
        f"{magnitude(min(attn, ff))} by {less}; lengths do not add up, since directions differ."
    )


SECTION = Section(
    name="block",
    title="The Block",
    kind="attn",
    point="Attention gathers, the MLP works on what was gathered; both add to the same stream.",
    text=text,
    picture=picture,
    shapes=(
        Shape("stream in", ("B", "S", "dmodel"), "drop"),
        Shape("written by attention", ("B", "S", "dmodel"), "blocks.0.attn"),
        Shape("written by the MLP", ("B", "S", "dmodel"), "blocks.0.ff"),
        Shape("stream out", ("B", "S", "dmodel"), "blocks.0"),
    ),
    code=(Block,),
    since=since,
    old_code=(EncoderBlock, DecoderBlock),
    box="blocks.{}.attn",
    panel="residual",
)
