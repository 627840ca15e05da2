"""From logits to the next token: temperature, top-k, top-p, and draws that can be repeated.

Top-k keeps the k best tokens (Fan et al. 2018); top-p the fewest of the best whose probabilities
reach p together (Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration"). Both cuts
are made on the same probabilities, those of the whole vocabulary at the chosen temperature. What
either leaves out is out, and what stays is scaled to sum to 1.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from model.bounds import within
from model.extend import extended
from model.trace import Trace

ROUNDING = 1e-12  # probabilities whose sum comes that close to top_p reach it


def distribution(
    logits: ArrayLike,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> np.ndarray:
    """What the next token is drawn from. At least the best token is kept.

    Args:
        logits: (V,), an array or a tensor on the CPU.
        temperature: the logits are divided by it; 0 leaves the best token alone.
        top_k: None, or V and more, cuts nothing.
        top_p: None, or 1, cuts nothing.
    Returns:
        (V,) fp64 probabilities. Among tokens of equal logits the lower id counts as the better.
    Raises:
        ValueError: if the temperature is below 0 or not finite, top_k below 1, top_p not above 0
            and at most 1, or the logits are not a row of numbers.
    """
    logits = np.asarray(logits, dtype=np.float64)  # (V,)
    if logits.ndim != 1 or not np.isfinite(logits.max(initial=-math.inf)):
        raise ValueError(f"Logits of shape {logits.shape} are not one row of finite numbers.")
    probs = _softmax(logits, temperature)  # (V,)
    kept = min(_reach_of_top_k(top_k, probs), _reach_of_top_p(top_p, probs))
    if kept < len(probs):
        probs[np.argsort(-logits, kind="stable")[kept:]] = 0
    return probs / probs.sum()


def _softmax(logits: np.ndarray, temperature: float) -> np.ndarray:
    if not 0 <= temperature < math.inf:
        raise ValueError(f"The temperature must be 0 or more, not {temperature:g}.")
    if temperature == 0:
        return np.eye(1, len(logits), logits.argmax())[0]
    with np.errstate(over="ignore"):  # so far below the best that the probability is 0
        odds = np.exp((logits - logits.max()) / temperature)  # (V,)
    return odds / odds.sum()


def _reach_of_top_k(top_k: int | None, probs: np.ndarray) -> int:
    """How many of the best tokens top-k keeps."""
    if top_k is None:
        return len(probs)
    if top_k < 1:
        raise ValueError(f"top_k must be at least 1, not {top_k:,}.")
    return top_k


def _reach_of_top_p(top_p: float | None, probs: np.ndarray) -> int:
    """How many of the best tokens top-p keeps, the one that reaches p among them."""
    if top_p is None or top_p == 1:
        return len(probs)
    if not 0 < top_p < 1:
        raise ValueError(f"top_p must be above 0 and at most 1, not {top_p:g}.")
    reached = np.sort(probs)[::-1].cumsum()  # (V,)
    return int(np.searchsorted(reached, top_p - ROUNDING)) + 1


def sample(probs: np.ndarray, seed: int | Sequence[int] | np.random.Generator) -> int:
    """Draw one token id from (V,) probabilities; the same seed draws the same token everywhere.

    Raises:
        ValueError: if the probabilities are negative, not finite or all 0, or the seed is negative.
    """
    reached = np.cumsum(probs)  # (V,)
    if not (np.min(probs, initial=0) >= 0 and 0 < reached[-1:].sum() < math.inf):
        raise ValueError(f"These {len(probs):,} numbers are no probabilities to draw from.")
    point = np.random.default_rng(seed).random() * reached[-1]
    # The product may round up to the whole sum, where no token stands.
    return min(int(np.searchsorted(reached, point, side="right")), int(np.flatnonzero(probs)[-1]))


def next_token(
    trace: Trace,
    seed: int = 0,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> int:
    """Draw the token that follows the last one of `trace`.

    The draw depends on the seed, the position and the probabilities alone: whoever stops on the
    way, or does single steps, gets the same text.

    Raises:
        ValueError: see `distribution`; or if the seed is not 0 to 4,294,967,295.
    """
    seed = within(seed, "seed", 0, 2**32 - 1)
    logits = trace.logits_at(slice(len(trace.ids) - 1, None))[0]  # (vocabsize,)
    return sample(distribution(logits, temperature, top_k, top_p), [seed, len(trace.ids)])


def generate(
    trace: Trace,
    seed: int = 0,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Iterator[tuple[int, Trace]]:
    """Draw token after token, each with the trace that ends in it, until the context is full.

    Raises:
        ValueError: at the first step; see `next_token`.
    """
    while len(trace.ids) < trace.config.max_seq_len:
        token = next_token(trace, seed, temperature, top_k, top_p)
        trace = extended(trace, token)
        yield token, trace
