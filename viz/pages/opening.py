"""Which head a prompt opens with, so that the first picture has something to show."""

import numpy as np
import streamlit as st

from model import Trace
from viz.captions import FEW_COPIES, ROLE_FROM
from viz.pages import engine

SAID = 2  # how much more a look counts that goes to the token the model then says


@st.cache_data(show_spinner=False, max_entries=64)
def telling_head(source: str, ids: tuple[int, ...]) -> tuple[int, int]:
    """The head to open with: one that finds what came next last time; else the one that looks
    hardest at a single token, at the one that the model then says if any does."""
    trace = engine.trace(source, ids)
    induction = np.nan_to_num(trace.head_scores["induction"].numpy())  # (N, H)
    repeats = len(trace.ids) - len(set(trace.ids)) >= FEW_COPIES
    telling = induction if repeats and induction.max() >= ROLE_FROM else sharp_looks(trace)
    layer, head = np.unravel_index(telling.argmax(), telling.shape)
    return int(layer), int(head)


def sharp_looks(trace: Trace) -> np.ndarray:
    """(N, H): what a head gives, after the last token, to the one token it reads most.

    What it gives to the first token and to its own counts for nothing, and less where it always
    looks at the token before; more where it reads what the model then says. For prompts longer
    than the small pictures, how much it looks at the token before.
    """
    last = len(trace.ids) - 1
    before, own = (
        np.nan_to_num(trace.head_scores[name].numpy()) for name in ("previous", "current")
    )
    if last >= trace.thumbnails.shape[-1]:
        return before
    row = trace.thumbnails[:, :, last, : last + 1].float().numpy()  # (N, H, S)
    row[..., 0] = row[..., last] = 0
    said = int(trace.logits_at(slice(last, last + 1)).argmax())
    row *= np.where(np.array(trace.ids) == said, SAID, 1)
    return row.max(axis=-1) * (1 - np.fmax(before, own))
