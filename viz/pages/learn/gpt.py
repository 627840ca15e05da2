"""The whole GPT, and the one table it uses at both ends."""

import html

import numpy as np
import plotly.graph_objects as go

from model import GPT
from model.count import gpt_parameters
from model.transformer import Projection, Transformer
from viz.captions import at
from viz.labels import probability
from viz.learn.tying import MOST_TOKENS, both_uses
from viz.pages import chrome
from viz.pages.learn.lesson import Lesson, Section, Shape, reads, token_choice
from viz.window import window


def text(lesson: Lesson) -> str:
    """From ids to logits."""
    c = lesson.config
    table = gpt_parameters(c)["wte"]
    return f"""
<p>Everything together: look up and add two rows, run {c.N} blocks, normalise once more, and let
<code>lm_head</code> give every token of the vocabulary a score, its <b>logit</b>: the dot product
of the stream’s last vector with that token’s row. Row i of the output scores what follows token i,
so one pass makes {lesson.count:,} predictions on your prompt. Softmax makes probabilities of the
logits; the model leaves it to whoever needs them.</p>
<p><b>Weight tying.</b> The rows that <code>lm_head</code> compares with are those of
<code>wte</code>: one table, {table:,} parameters, used twice. Two tables would make the model
{100 * table / sum(gpt_parameters(c).values()):.0f}% larger.</p>
<p>The causal mask is made once for {c.max_seq_len:,} positions and cut to the prompt’s length in
each pass. It belongs to the model, but it is no weight, and checkpoints do not hold it.</p>"""


def since(_lesson: Lesson) -> str:
    """log-softmax, and tying that was there before."""
    return """<p>The Transformer took two sequences and returned log-probabilities: the softmax and
its logarithm were part of the model. A logit differs from a log-probability by one number per
position, the logarithm of the sum over the whole vocabulary; the order of the tokens is the same.
Tying is older than GPT-2: the 2017 model already shared one table between source, target and
output. New is the norm before the output, which pre-norm makes necessary.</p>"""


def picture(lesson: Lesson) -> go.Figure:
    """One row of the table as input and as output."""
    reads(
        lesson,
        "Choose a token. Above are the entries of its row, as the embedding adds them; below, the "
        "probability the same row gets as the next token after each position.",
    )
    token_choice(lesson)
    positions = window(lesson.view.token, lesson.count, MOST_TOKENS)
    row = lesson.model.wte.weight[lesson.label.id].detach().numpy()
    shares = as_output(lesson, positions)
    figure = lesson.show(
        both_uses(row, shares, positions, lesson.labels, lesson.theme), "both_uses", 370
    )
    chrome.stands_out(caption(lesson, positions, shares))
    return figure


def as_output(lesson: Lesson, positions: range) -> np.ndarray:
    """(P,): the probability of the token in focus as the next one, after each position."""
    logits = lesson.trace.logits_at(slice(positions.start, positions.stop))  # (P, vocabsize)
    return logits.softmax(dim=-1)[:, lesson.label.id].numpy()


def caption(lesson: Lesson, positions: range, shares: np.ndarray) -> str:
    """Where the row is expected most, and whether it is one row."""
    best = positions[int(shares.argmax())]
    table, head = lesson.model.wte.weight, lesson.model.lm_head.weight
    same = "one tensor in memory" if table is head else "two tables in this checkpoint"
    return (
        f"{lesson.label.html} is expected most after {at(lesson.labels[best])}, with probability "
        f"<b>{html.escape(probability(float(shares.max())))}</b>. <code>wte.weight</code> and "
        f"<code>lm_head.weight</code> are {same}."
    )


SECTION = Section(
    name="gpt",
    title="The whole GPT",
    kind="head",
    point="Embed, run the blocks, normalise, and compare with every row of the embedding table.",
    text=text,
    picture=picture,
    shapes=(
        Shape("wte(ids) + wpe", ("B", "S", "dmodel"), "drop"),
        Shape("stream after every block", ("B", "S", "dmodel"), "blocks.0"),
        Shape("after the final norm", ("B", "S", "dmodel"), "norm"),
        Shape("lm_head’s weights, those of wte", ("vocabsize", "dmodel"), "lm_head.weight"),
        Shape("logits", ("B", "S", "vocabsize"), "lm_head"),
    ),
    code=(GPT,),
    since=since,
    old_code=(Transformer, Projection),
    box="lm_head",
)
