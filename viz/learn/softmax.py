"""From scores to attention on a matrix small enough to change by hand."""

from collections.abc import Sequence

import numpy as np

from viz.labels import TokenLabel, decimals
from viz.theme import Theme, mix, text_on

FILLS = {"inf": -np.inf, "big": -1e9, "none": None}  # what a forbidden score is replaced with
LARGEST = 99.0  # scores beyond this say nothing new, and would not fit their cells


def masked(scores: np.ndarray, fill: float | None) -> np.ndarray:
    """(S, S) -> (S, S): `fill` above the diagonal, where a token would look ahead."""
    if fill is None:
        return scores.copy()
    return np.where(np.tri(len(scores), dtype=bool), scores, fill)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Each row to positive numbers that sum to 1: exp of each score, over the sum of them all."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def changed(scores: np.ndarray, row: int, column: int, value: float) -> np.ndarray:
    """A copy of `scores` with one entry set, kept within ±LARGEST; unchanged if it is no number."""
    out = scores.copy()
    if np.isfinite(value) and 0 <= row < len(scores) and 0 <= column < len(scores):
        out[row, column] = np.clip(value, -LARGEST, LARGEST)
    return out


def matrices(
    scores: np.ndarray, labels: Sequence[TokenLabel], fill: str, theme: Theme
) -> dict[str, object]:
    """Data for the three matrices of assets/learn_scores.js: scores, after the mask, softmax."""
    hidden = masked(scores, FILLS[fill])
    shares = softmax(hidden)
    return {
        "labels": [label.short for label in labels],
        "scores": [[f"{x:.2f}" for x in row] for row in scores],
        "masked": [[_score(x) for x in row] for row in hidden],
        "shares": [[_cell(float(x), theme) for x in row] for row in shares],
        "sums": [f"{row.sum():.2f}" for row in shares],
        "ahead": fill != "none",
    }


def _score(value: float) -> str:
    if np.isneginf(value):
        return "−∞"
    return "−1e9" if value < -LARGEST else decimals(value)


def _cell(share: float, theme: Theme) -> dict[str, str]:
    fill = mix(theme.surface, theme.attn, share)
    return {"text": f"{share:.2f}", "fill": fill, "ink": text_on(fill)}
