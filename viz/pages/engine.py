"""Where the pages get what they show: one copy of each model's weights, and bounded caches.

Everything kept here is shared by all visitors and keyed by what was asked: the model's source and
the token ids. Nothing of it is ever changed.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import streamlit as st
from torch import Tensor

from model import GPT, BlockTrace, Tokenizer, Trace, logit_lens, readout, run_trace, sampling
from model.checkpoint import BUILT_IN, here, load_model, offered
from model.circuits import repetition_scores
from model.extend import extended
from model.lens import Lens
from model.memory import give_back
from model.mini.asset import trained_ids
from model.transformer import sinusoids
from viz.embedding import likeness
from viz.labels import TokenLabel, token_label, unseen_word
from viz.pages.shelf import Shelf
from viz.pages.turnstile import Turnstile
from viz.pixels import lower_triangles

TITLES = {
    BUILT_IN: "Built-in model",
    "gpt2": "GPT-2 Small",
    "gpt2-medium": "GPT-2 Medium",
    "gpt2-large": "GPT-2 Large",
    "gpt2-xl": "GPT-2 XL",
    "distilgpt2": "DistilGPT-2",
}


@st.cache_resource(show_spinner=False)
def tokenizer() -> Tokenizer:
    """GPT-2's byte-pair encoding."""
    return Tokenizer()


@st.cache_resource(show_spinner=False)
def model(source: str) -> GPT:
    """The one copy of a model's weights, loaded once however many visitors ask."""
    return load_model(source)


def can_read(source: str, ids: tuple[int, ...]) -> bool:
    """Whether the model has all these tokens and room for them."""
    config = model(source).config
    return len(ids) <= config.max_seq_len and max(ids) < config.vocabsize


def listed(source: str, k: int) -> int:
    """`k`, or as many tokens as the model has: a checkpoint may have fewer than a list shows."""
    return min(k, model(source).config.vocabsize)


def parameters(source: str) -> int:
    """Parameters of the loaded model, each shared table counted once."""
    return sum(p.numel() for p in model(source).parameters())


@st.cache_resource(show_spinner=False)
def turnstile() -> Turnstile:
    """The queue all prompts stand in."""
    return Turnstile()


def sources() -> tuple[str, ...]:
    """The models a visitor may choose now: those the page offers that are on this machine."""
    return tuple(source for source in offered() if here(source)) or (BUILT_IN,)


@st.cache_resource(show_spinner=False)
def first_source() -> str:
    """What the page starts on. What is fetched later does not change it under a visitor's eyes."""
    return sources()[0]


def title(source: str) -> str:
    """A model's name for people; a folder shows its last part, never the host's whole path."""
    return TITLES.get(source, Path(source).name or source)


@st.cache_resource(show_spinner=False)
def traces() -> Shelf:
    """The traces used last. 8 of 1,024 tokens of GPT-2 Small are 0.6 GB."""
    return Shelf(most=8)


def trace(source: str, ids: tuple[int, ...]) -> Trace:
    """The hooked pass over `ids`; grown by one token where the trace of the others is at hand."""

    def make() -> Trace:
        shorter = traces().look((source, ids[:-1]))
        if shorter:
            return extended(shorter, ids[-1])
        give_back()  # what the prompts and pictures before have left behind
        return run_trace(model(source), ids)

    return traces().get((source, ids), make)


@st.cache_resource(show_spinner=False, max_entries=16)
def logits(source: str, ids: tuple[int, ...], position: int) -> np.ndarray:
    """(vocabsize,): the model's scores for the token after one position."""
    return trace(source, ids).logits_at(slice(position, position + 1))[0].numpy()


@st.cache_resource(show_spinner=False, max_entries=4)
def attention(source: str, ids: tuple[int, ...], layer: int) -> np.ndarray:
    """(H, S, S): the attention of one block, recomputed. 50 MB at 1,024 tokens, so few are kept."""
    return trace(source, ids).attention(layer).numpy()


@st.cache_resource(show_spinner=False, max_entries=16)
def thumbnails(source: str, ids: tuple[int, ...]) -> str:
    """The small pictures of all heads, ready to be sent: they stay the same whatever is picked."""
    return lower_triangles(trace(source, ids).thumbnails.numpy())


@st.cache_resource(show_spinner=False, max_entries=2)
def block(source: str, ids: tuple[int, ...], layer: int) -> BlockTrace:
    """Everything inside one block, recomputed. 90 MB at 1,024 tokens, so hardly any are kept."""
    return trace(source, ids).block(layer)


@st.cache_resource(show_spinner=False, max_entries=64)
def head_pushes(
    source: str,
    ids: tuple[int, ...],
    where: tuple[int, int],
    token: int,
    k: int,
    *,
    aims: tuple[int, ...] = (),
) -> readout.Pushed:
    """The tokens that one head's write at one position raises and lowers most, against the mean.

    Args:
        where: the head, as (block, head).
        aims: tokens asked for by name.
    """
    layer, head = where
    write = readout.head_write(model(source), block(source, ids, layer), head)[token : token + 1]
    scale = readout.final_scale(trace(source, ids))[token]
    k, among = listed(source, k), known(source)
    return readout.pushed(model(source), write, k, scale, among, aims=aims).centred()


@st.cache_resource(show_spinner=False, max_entries=16)
def writes(source: str, ids: tuple[int, ...]) -> readout.Writes:
    """Size and direction of every write against the stream it is added to."""
    return readout.writes(trace(source, ids))


@st.cache_resource(show_spinner=False, max_entries=16)
def read_norms(source: str, ids: tuple[int, ...]) -> np.ndarray:
    """(2N+1, S): the length of the stream as it is read, after each LayerNorm."""
    return readout.read_norms(trace(source, ids))


@st.cache_resource(show_spinner=False, max_entries=16)
def largest_entries(source: str, ids: tuple[int, ...], k: int) -> readout.Entries:
    """The k largest single numbers of the stream."""
    return readout.largest_entries(trace(source, ids), k)


@st.cache_resource(show_spinner=False)
def known(source: str) -> frozenset[int] | None:
    """Ids the model was trained on where that is fewer than all, as in the built-in; else None."""
    return trained_ids() if source == BUILT_IN else None


@st.cache_resource(show_spinner=False)
def repetition(source: str) -> Mapping[str, Tensor]:
    """Each head's scores on repeated random tokens, name -> (N, H); a property of the model."""
    among = known(source)
    return repetition_scores(model(source), None if among is None else sorted(among))


@st.cache_resource(show_spinner=False, max_entries=4)
def mlp(source: str, ids: tuple[int, ...], layer: int) -> tuple[np.ndarray, np.ndarray]:
    """(S, dff) before and after the GELU of one block, recomputed. 25 MB at 1,024 tokens."""
    before, after = trace(source, ids).mlp(layer)
    return before.numpy(), after.numpy()


@st.cache_resource(show_spinner=False, max_entries=64)
def neuron_pushes(
    source: str, ids: tuple[int, ...], layer: int, *, neuron: int, token: int, k: int
) -> readout.Pushed:
    """The tokens that one unit of a neuron's activation at one position raises and lowers most.

    Changes are those against the mean.
    """
    write = readout.neuron_write(model(source), layer, neuron)[None]  # (1, dmodel)
    scale = readout.final_scale(trace(source, ids))[token]
    k = listed(source, k)
    return readout.pushed(model(source), write, k, scale, known(source)).centred()


@st.cache_resource(show_spinner=False, max_entries=64)
def nearest(source: str, token: int, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The k tokens nearest to `token` by cosine in wte, their cosines, and the median of all."""
    among = known(source)
    others = model(source).config.vocabsize - 1 if among is None else len(among - {token})
    ids, found = readout.nearest_tokens(model(source), token, others, among)
    return ids[:k], found[:k], float(np.median(found))


@st.cache_resource(show_spinner=False, max_entries=4)
def position_cosines(source: str) -> tuple[np.ndarray, np.ndarray]:
    """(P, P) twice: the cosines between learned positions, and between the sinusoids of 2017."""
    wpe = model(source).wpe.weight.detach()
    return likeness(wpe.numpy()), likeness(sinusoids(*wpe.shape).numpy())


@st.cache_resource(show_spinner=False, max_entries=64)
def lens(
    source: str,
    ids: tuple[int, ...],
    rows: tuple[int, ...],
    positions: tuple[int, ...],
    k: int,
    *,
    target: int | None = None,
) -> Lens:
    """The logit lens for the rows and positions in view."""
    seen = trace(source, ids)
    k = listed(source, k)
    return logit_lens(model(source), seen, k=k, rows=rows, positions=positions, target=target)


def answer(source: str, ids: tuple[int, ...], position: int, k: int) -> Lens:
    """The model's own k best next tokens after one position: the lens' last row."""
    return lens(source, ids, (len(trace(source, ids).writers) - 1,), (position,), k)


@st.cache_resource(show_spinner=False, max_entries=32)
def courses(
    source: str, ids: tuple[int, ...], position: int, rows: tuple[int, ...], target: int
) -> readout.Courses:
    """The leading tokens of all rows, and the target, followed through depth."""
    seen = trace(source, ids)
    lead = readout.token_courses(model(source), seen, position, rows=rows)
    if target in lead.tokens:
        return lead
    return readout.token_courses(model(source), seen, position, [target, *lead.tokens], rows)


@st.cache_resource(show_spinner=False, max_entries=16)
def last_row_error(source: str, ids: tuple[int, ...], position: int) -> float:
    """Largest difference between the lens' last row and the model's own probabilities there."""
    seen = answer(source, ids, position, 10)
    own = sampling.distribution(logits(source, ids, position))
    return float(np.abs(own[seen.ids[0, 0]] - seen.probs[0, 0]).max())


@st.cache_resource(show_spinner=False, max_entries=16)
def labels(ids: tuple[int, ...]) -> tuple[TokenLabel, ...]:
    """How each token of a prompt is written."""
    pieces = tokenizer().pieces(list(ids))
    return tuple(
        token_label(
            position, p.id, p.raw, group=p.group, group_text=p.group_text, special=p.special
        )
        for position, p in enumerate(pieces)
    )


def guess(source: str, token: int) -> TokenLabel:
    """How a guess of the model is written.

    To the built-in model all tokens it was never trained on are one: each is as likely as the next,
    so that a guess of one of them stands for them all.
    """
    among = known(source)
    return word(token) if among is None or token in among else unseen_word(int(token))


def word(token: int) -> TokenLabel:
    """How a token is written that stands alone."""
    raw = tokenizer().bytes_of(token)
    special = token == tokenizer().end_of_text
    return token_label(0, int(token), raw, group=0, group_text="a character", special=special)


def words(ids: Iterable[int]) -> list[TokenLabel]:
    """A row of tokens, each as `word` has it."""
    return [word(token) for token in ids]


def unseen(source: str, ids: tuple[int, ...]) -> frozenset[int]:
    """Ids in the prompt that the model in use was never trained on; only known of the built-in."""
    return frozenset(ids) - (known(source) or frozenset(ids))
