"""Where the pages get what they show: one copy of the weights, bounded caches, one pass at a time.

Everything kept here is shared by all visitors and keyed by what was asked: the model's source and
the token ids. Nothing of it is ever changed.
"""

from pathlib import Path

import numpy as np
import streamlit as st

from model import GPT, BlockTrace, Tokenizer, Trace, logit_lens, run_trace
from model.checkpoint import BUILT_IN, here, load_model, offered
from model.lens import Lens
from viz.labels import TokenLabel, token_label
from viz.pages.turnstile import Turnstile

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


@st.cache_resource(show_spinner=False, max_entries=8)
def trace(source: str, ids: tuple[int, ...]) -> Trace:
    """The hooked pass over `ids`. 8 of 1,024 tokens of GPT-2 Small are 0.6 GB."""
    return run_trace(model(source), ids)


@st.cache_resource(show_spinner=False, max_entries=4)
def attention(source: str, ids: tuple[int, ...], layer: int) -> np.ndarray:
    """(H, S, S): the attention of one block, recomputed. 50 MB at 1,024 tokens, so few are kept."""
    return trace(source, ids).attention(layer).numpy()


@st.cache_resource(show_spinner=False, max_entries=2)
def block(source: str, ids: tuple[int, ...], layer: int) -> BlockTrace:
    """Everything inside one block, recomputed. 90 MB at 1,024 tokens, so hardly any are kept."""
    return trace(source, ids).block(layer)


@st.cache_resource(show_spinner=False, max_entries=64)
def lens(
    source: str, ids: tuple[int, ...], rows: tuple[int, ...], positions: tuple[int, ...], k: int
) -> Lens:
    """The logit lens for the rows and positions in view."""
    return logit_lens(model(source), trace(source, ids), k=k, rows=rows, positions=positions)


@st.cache_resource(show_spinner=False, max_entries=16)
def last_row_error(source: str, ids: tuple[int, ...], position: int) -> float:
    """Largest difference between the lens' last row and the model's own probabilities there."""
    last = len(trace(source, ids).writers) - 1
    seen = lens(source, ids, (last,), (position,), 10)
    logits = trace(source, ids).logits_at(slice(position, position + 1))
    own = logits.softmax(dim=-1)[0].numpy()
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


def word(token: int) -> TokenLabel:
    """How a token is written that stands alone: a guess of the model."""
    raw = tokenizer().bytes_of(token)
    special = token == tokenizer().end_of_text
    return token_label(0, int(token), raw, group=0, group_text="a character", special=special)


def unseen(source: str, ids: tuple[int, ...]) -> frozenset[int]:
    """Ids in the prompt that the model in use was never trained on; only known of the built-in."""
    from model.mini.asset import trained_ids

    return frozenset(ids) - trained_ids() if source == BUILT_IN else frozenset()
