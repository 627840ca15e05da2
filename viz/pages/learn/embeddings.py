"""Token and position embeddings: where the stream begins."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st
import torch

from model import GPT
from model.transformer import InputEmbedding, PositionalEncoding, sinusoids
from viz import captions
from viz.embedding import position_maps
from viz.learn.positions import MOST_COLUMNS, MOST_ROWS, summands
from viz.pages import chrome, engine
from viz.pages.learn.lesson import Lesson, Section, Shape, pick_one, reads

PICTURES = {"summands": "What is added", "likeness": "How alike positions are"}


def text(lesson: Lesson) -> str:
    """Two look-ups and a sum."""
    c = lesson.config
    return f"""
<p>A token enters as a number, its id. <code>wte</code> (word token embedding) is a table with one
row of {c.dmodel:,} learned numbers for each of the {c.vocabsize:,} tokens, and looking up an id
gives that row: <i>what</i> the token is.</p>
<p>Attention by itself does not know order. So <code>wpe</code> (word position embedding) holds one
learned row for each of the {c.max_seq_len:,} places: <i>where</i> the token stands. Row 0 is added
to the first token, row 1 to the second, and the sum begins the residual stream. There is no row
{c.max_seq_len:,}, and that is why the model cannot read further.</p>"""


def since(lesson: Lesson) -> str:
    """Sinusoids and the factor that goes with them."""
    table = sinusoids(lesson.config.max_seq_len, lesson.config.dmodel).numpy()
    ours = lesson.model.wpe.weight.detach().numpy()
    return f"""<p>Positions were not learned but computed: sines and cosines whose waves grow longer
from entry to entry. Every row has the same length, {np.linalg.norm(table[0]):.1f} at this width, so
the token’s row was first multiplied by √dmodel = {lesson.config.dmodel**0.5:.1f} to hold its own
against it. Learned rows need no such factor: here the {len(ours):,} of wpe have length
{np.linalg.norm(ours, axis=1).mean():.2f} on average. Sinusoids can be continued to any length; a
learned table ends.</p>"""


def picture(lesson: Lesson) -> go.Figure:
    """The tables that are added, or how alike their rows are."""
    chosen = pick_one("Picture", PICTURES, "embedding_picture")
    return added(lesson) if chosen == "summands" else alike(lesson)


def added(lesson: Lesson) -> go.Figure:
    """wte, wpe, their sum and the sinusoids for the first tokens of the prompt."""
    reads(
        lesson,
        "One row a token, one column an entry of its vector. Orange is positive, blue negative, "
        "the pale ground zero; the full colour is the value in the table’s title.",
    )
    S, d = min(lesson.count, MOST_ROWS), lesson.config.dmodel
    ids = torch.tensor(lesson.trace.ids[:S])
    wte = lesson.model.wte.weight.detach()[ids].numpy()  # (S, dmodel)
    wpe = lesson.model.wpe.weight.detach()[:S].numpy()  # (S, dmodel)
    first = 0
    if d > MOST_COLUMNS and not lesson.stage:
        last = d - MOST_COLUMNS
        first = st.slider("First entry shown", 0, last, step=8, key="first_entry")
    tables = {
        "wte: token": wte,
        "wpe: position": wpe,
        "wte + wpe": wte + wpe,
        "sinusoids, 2017": sinusoids(S, d).numpy(),
    }
    figure = lesson.show(summands(tables, lesson.labels, first, lesson.theme), "summands", 440)
    chrome.stands_out(added_caption(lesson, wte, wpe))
    return figure


def added_caption(lesson: Lesson, wte: np.ndarray, wpe: np.ndarray) -> str:
    """The lengths of the two summands, and where the prompt is cut."""
    what, where = (np.linalg.norm(table, axis=1).mean() for table in (wte, wpe))
    if lesson.count == 1:
        return f"The token’s row has length {what:.2f}, the position’s {where:.2f}."
    few, many = f"first {len(wte)} of {lesson.count} tokens, shown here", f"{len(wte)} tokens"
    return (
        f"On average over this prompt’s {few if lesson.count > len(wte) else many}, the token’s "
        f"row has length {what:.2f} and the position’s {where:.2f}."
    )


def alike(lesson: Lesson) -> go.Figure:
    """Cosines between positions: learned, and by formula."""
    reads(
        lesson,
        "The colour says how alike the rows of two positions are: cosine 1 (orange) is the same "
        "direction, 0 a right angle, −1 (blue) the opposite. The line is the position in focus.",
    )
    learned, fixed = engine.position_cosines(lesson.source)
    tables = {"wpe: learned": learned, "sinusoids, 2017": fixed}
    figure = lesson.show(position_maps(tables, lesson.view.token, lesson.theme), "likeness", 430)
    chrome.stands_out(captions.positions(learned, fixed, lesson.view.token))
    return figure


SECTION = Section(
    name="embeddings",
    title="Token and position embeddings",
    kind="embed",
    point="A token’s vector is the sum of two learned rows: what it is and where it stands.",
    text=text,
    picture=picture,
    shapes=(
        Shape("token table", ("vocabsize", "dmodel"), "wte.weight"),
        Shape("wte(ids)", ("B", "S", "dmodel"), "wte"),
        Shape("wpe(0 … S−1)", ("S", "dmodel"), "wpe"),
        Shape("their sum, the stream", ("B", "S", "dmodel"), "drop"),
    ),
    code=(GPT.__init__, GPT.stream),
    since=since,
    old_code=(InputEmbedding, sinusoids, PositionalEncoding),
    box="embed",
)
