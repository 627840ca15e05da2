"""Causal self-attention: mask and softmax on a matrix the reader can change."""

import numpy as np
import streamlit as st

from model import CausalSelfAttention, Trace
from model.transformer import MultiHeadAttention
from viz.captions import at
from viz.labels import decimals
from viz.learn.softmax import FILLS as VALUES
from viz.learn.softmax import changed, masked, matrices, softmax
from viz.pages import chrome, components, engine
from viz.pages.learn.lesson import Lesson, Section, Shape, block_slider, pick_one, reads

MOST_TOKENS = 4
STAGE_TOKENS = 3
FEW = 0.7  # nats of entropy: as among two tokens
TITLES = {"inf": "mask with −∞", "big": "mask with −1e9", "none": "no mask"}


def text(lesson: Lesson) -> str:
    """Queries, keys, values, scores, mask, softmax."""
    c = lesson.config
    return f"""
<p>Attention is how positions exchange what they know. From its normalised vector each position
makes a <b>query</b> (what it looks for), a <b>key</b> (what it can be found by) and a <b>value</b>
(what it gives), each by a linear layer: <code>wq</code>, <code>wk</code>, <code>wv</code>.
They are split among {c.H} heads of width {c.dk}.</p>
<p>In every head the <b>score</b> of a reading position for a read one is the dot product of query
and key over √dk = {c.dk**0.5:.2f}, which keeps its spread near 1 until training widens it. To the
right of the diagonal a score would look ahead, so the <b>causal mask</b> puts −∞ there. Softmax
turns each row into shares that sum to 1, and these weigh the values. <code>wo</code> mixes the
heads back into one vector of {c.dmodel:,}.</p>
<p>Some code masks with −1e9 instead. After softmax both are exactly 0 in 32 bits, as long as a row
has one score that is not masked.</p>"""


def since(lesson: Lesson) -> str:
    """Both directions, and cross-attention."""
    return f"""<p>One module served three uses: in the encoder every position read every other, no
mask but for padding; in the decoder it was causal as here; and in <b>cross-attention</b> the
queries came from the target and keys and values from the encoder’s output. GPT-2 keeps the second
alone. Without the mask a prompt of {lesson.count} tokens fills all {lesson.count**2:,} cells of a
pattern; with it, {lesson.count * (lesson.count + 1) // 2:,}. Choose “no mask” above to see an
encoder’s pattern.</p>"""


def picture(lesson: Lesson) -> None:
    """Three matrices; the first can be edited."""
    reads(
        lesson,
        "Row: the token that reads. Column: the token it reads. The scores begin as this head’s "
        "own, for the first tokens of your prompt; change one and watch its row.",
    )
    fields = st.columns([0.36, 0.36, 0.28], gap="medium", vertical_alignment="bottom")
    with fields[0]:
        block_slider(lesson, "attn")
    with fields[1]:
        head_slider(lesson)
    scores = edited_scores(lesson)
    with fields[2]:
        st.button("Reset scores", on_click=lambda: st.session_state.pop("edited", None))
    fill = pick_one("Mask", TITLES, "mask_fill")
    data = matrices(scores, lesson.labels, fill, lesson.theme)
    data["labels"] = data["labels"][: len(scores)]
    components.scores(data | {"size": lesson.size}, put_score)
    chrome.stands_out(caption(lesson, scores, fill))


def sharing_head(trace: Trace) -> tuple[int, int]:
    """The (block, head) whose rows a few tokens share, so that softmax has work to do."""
    distance = (trace.head_scores["entropy"] - FEW).abs().numpy()  # (N, H)
    layer, head = np.unravel_index(distance.argmin(), distance.shape)
    return int(layer), int(head)


def head_slider(lesson: Lesson) -> None:
    """The head whose scores are shown first."""
    if lesson.config.H == 1:
        return
    st.session_state["head_slider"] = lesson.view.head
    st.slider(
        "Head",
        0,
        lesson.config.H - 1,
        key="head_slider",
        on_change=lambda: lesson.choose(head=st.session_state["head_slider"], at=here(lesson)),
    )


def here(lesson: Lesson) -> str:
    """The attention of the block in view."""
    return f"blocks.{lesson.block}.attn"


def edited_scores(lesson: Lesson) -> np.ndarray:
    """The visitor's scores for this head and prompt, which begin as the model's own."""
    count = min(lesson.count, STAGE_TOKENS if lesson.stage else MOST_TOKENS)
    ids, block, head = lesson.trace.ids[:count], lesson.block, lesson.view.head
    asked = (lesson.source, ids, block, head)
    if st.session_state.get("edited", (None,))[0] != asked:
        st.session_state["edited"] = (asked, first_scores(*asked))
    return st.session_state["edited"][1]


@st.cache_data(show_spinner=False, max_entries=64)
def first_scores(source: str, ids: tuple[int, ...], block: int, head: int) -> np.ndarray:
    """(S, S) scaled scores of one head. Later tokens change nothing here: the model is causal."""
    scaled = engine.trace(source, ids).block(block).scaled[head].numpy().astype(float)
    return scaled.round(2)


def put_score(change: dict) -> None:
    """One score was edited."""
    asked, scores = st.session_state["edited"]
    value = change["value"]
    value = float("nan") if value is None else float(value)
    edited = changed(scores, int(change["row"]), int(change["column"]), value)
    st.session_state["edited"] = (asked, edited)


def caption(lesson: Lesson, scores: np.ndarray, fill: str) -> str:
    """What the last of the tokens shown makes of its scores."""
    row = softmax(masked(scores, VALUES[fill]))[-1]
    best = np.flatnonzero(np.isclose(row, row.max()))
    gives = f"{at(lesson.labels[len(row) - 1])} gives <b>{decimals(row.max())}</b> of its attention"
    score, more = decimals(scores[-1, best[0]]), f"counts {np.e:.2f} times as much."
    if 1 < len(best) == len(row):
        return f"{gives} to each token: all scores are {score}. A score one higher {more}"
    to = f"{'each of ' if len(best) > 1 else ''}{' and '.join(at(lesson.labels[i]) for i in best)}"
    return (
        f"{gives} to {to}: a score of {score} against a mean of "
        f"{decimals(scores[-1].mean())}. A score one higher {more}"
    )


SECTION = Section(
    name="attention",
    title="Causal self-attention",
    kind="attn",
    point="Each position takes a weighted mean of what it and earlier positions offer.",
    text=text,
    picture=picture,
    shapes=(
        Shape("what it reads, norm_1(x)", ("B", "S", "dmodel"), "blocks.0.norm_1"),
        Shape("q, and the same for k and v", ("B", "H", "S", "dk"), "blocks.0.attn.wq"),
        Shape("scores and pattern", ("B", "H", "S", "S"), "blocks.0.attn.attn_dropout"),
        Shape("heads, joined again", ("B", "S", "dmodel"), "blocks.0.attn.wo"),
        Shape("what it writes", ("B", "S", "dmodel"), "blocks.0.attn"),
    ),
    code=(CausalSelfAttention,),
    since=since,
    old_code=(MultiHeadAttention,),
    box="blocks.{}.attn",
    panel="attention",
    share=0.64,
)
