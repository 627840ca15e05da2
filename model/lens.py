"""The logit lens: what the model would answer if it stopped after each writer to the stream.

The final norm and the head, made for the top of the stream, are applied to every row of it
(nostalgebraist 2020, "interpreting GPT: the logit lens"). The last row is the model's own answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from model.blockwise import CELLS, Head
from model.bounds import within
from model.gpt import GPT
from model.trace import Trace


@dataclass(frozen=True, eq=False)
class Lens:
    """The lens' table: R rows of the stream by P positions, k guesses a cell. NumPy arrays.

    `kl` is KL(final || row), in nats: what is lost by taking the row's answer for the model's; 0
    in the final row. `rank` counts the tokens ahead of the target: 0 means it is the best guess.
    """

    rows: tuple[int, ...]  # R indexes of writers
    writers: tuple[str, ...]  # their R names
    positions: tuple[int, ...]  # P
    target: int | None
    ids: np.ndarray = field(repr=False)  # (R, P, k) int64, best first
    probs: np.ndarray = field(repr=False)  # (R, P, k) fp32
    entropy: np.ndarray = field(repr=False)  # (R, P) fp32, nats
    kl: np.ndarray = field(repr=False)  # (R, P) fp32, nats
    rank: np.ndarray | None = field(repr=False)  # (R, P) int64; None without a target
    target_prob: np.ndarray | None = field(repr=False)  # (R, P) fp32; None without a target


@torch.inference_mode()
def logit_lens(  # noqa: PLR0917 - all six are the interface
    model: GPT,
    trace: Trace,
    k: int = 10,
    rows: Sequence[int | str] | None = None,
    positions: Sequence[int] | None = None,
    target: int | None = None,
) -> Lens:
    """Read the stream of `trace` with the model's own final norm and head.

    Args:
        k: guesses a cell, 1 to vocabsize.
        rows: which writers' rows, by index or name; all 2N + 1 when None.
        positions: which tokens' columns; all S when None.
        target: a token id to follow through all cells.
    Raises:
        ValueError: if one of them is out of range, or the trace is not of this model's shape.
    """
    if model.config != trace.config:
        raise ValueError("The trace comes from a model of another shape.")
    k = within(k, "k", 1, model.config.vocabsize)
    target = None if target is None else within(target, "target", 0, model.config.vocabsize - 1)
    rows = _chosen_rows(rows, trace.writers)
    positions = _chosen(positions, "position", len(trace.ids))
    final = len(trace.writers) - 1
    computed = list(dict.fromkeys([*rows, final]))  # KL is measured against the final row
    top, shown = computed.index(final), [computed.index(row) for row in rows]
    read = [
        head.read(states, top, k, target)
        for head, states in _states(model, trace.residual, computed, positions)
    ]
    cells = (_as_array(parts, shown) for parts in zip(*read, strict=True))
    return Lens(rows, tuple(trace.writers[row] for row in rows), positions, target, *cells)


def _states(
    model: GPT, residual: Tensor, rows: Sequence[int], positions: Sequence[int]
) -> Iterator[tuple[Head, Tensor]]:
    """The head, and what it is to read: normed states (P, R, dmodel), some positions at a time."""
    weight = model.lm_head.weight
    parts = -(-len(positions) * len(rows) // CELLS)  # rounded up
    chunks = torch.tensor(positions).tensor_split(min(parts, len(positions)))
    head = Head(weight, len(chunks[0]) * len(rows))
    for chunk in chunks:
        stream = residual[torch.tensor(rows), chunk[:, None]]  # (P, R, dmodel)
        yield head, model.norm(stream.to(weight.device))


def _as_array(parts: Sequence[Tensor | None], rows: list[int]) -> np.ndarray | None:
    """Chunks of (P, R, ...) -> the given rows of (R, P, ...); fp32, or int64 where whole."""
    if parts[0] is None:
        return None
    values = torch.cat(parts).transpose(0, 1)[rows]
    return (values.float() if values.is_floating_point() else values).cpu().numpy()


def _chosen(wanted: Sequence[int] | None, name: str, count: int) -> tuple[int, ...]:
    """`wanted` as indexes below `count`; all of them when None."""
    if wanted is None:
        return tuple(range(count))
    if not len(wanted):
        raise ValueError(f"The lens needs at least one {name}.")
    return tuple(within(index, name, 0, count - 1) for index in wanted)


def _chosen_rows(rows: Sequence[int | str] | None, writers: Sequence[str]) -> tuple[int, ...]:
    if rows is None:
        return tuple(range(len(writers)))
    unknown = [row for row in rows if isinstance(row, str) and row not in writers]
    if unknown:
        raise ValueError(f"No writer is called {unknown[0]!r}; they are {', '.join(writers)}.")
    indexes = [writers.index(row) if isinstance(row, str) else row for row in rows]
    return _chosen(indexes, "row", len(writers))
