"""The logit lens: what the model would answer if it stopped after each writer to the stream.

The final norm and the head, made for the top of the stream, are applied to every row of it
(nostalgebraist 2020, "interpreting GPT: the logit lens"). The last row is the model's own answer.

For 1,024 tokens of GPT-2 Small all those logits would fill 5 GB, so they are never all there. A
few positions are taken at a time, and for them the vocabulary in blocks that fit the processor's
cache. While a block is there it gives up what the answers need: its log-sum-exp, means of its
logits under its own softmaxes, and the peaks of small groups of tokens. Only groups whose peaks
are among the k highest can hold one of the top k tokens, so the search for them, by far the
slowest step on whole rows, sees a fiftieth of the vocabulary. Nothing is approximated.
"""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from model.gpt import GPT
from model.trace import Trace

BLOCK = 1024  # tokens of the vocabulary at once
STRIDE = 32  # tokens j, j + STRIDE, j + 2 * STRIDE ... of a block form a group with one peak
CELLS = 512  # states at once: a cell is one row of the stream at one position


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
    k = _within(k, "k", 1, model.config.vocabsize)
    target = None if target is None else _within(target, "target", 0, model.config.vocabsize - 1)
    rows = _chosen_rows(rows, trace.writers)
    positions = _chosen(positions, "position", len(trace.ids))
    final = len(trace.writers) - 1
    computed = list(dict.fromkeys([*rows, final]))  # KL is measured against the final row
    top, shown = computed.index(final), [computed.index(row) for row in rows]
    read = [
        _read_out(head, states, top, k, target)
        for head, states in _at_the_head(model, trace.residual, computed, positions)
    ]
    cells = (_as_array(parts, shown) for parts in zip(*read, strict=True))
    return Lens(rows, tuple(trace.writers[row] for row in rows), positions, target, *cells)


def _at_the_head(
    model: GPT, residual: Tensor, rows: Sequence[int], positions: Sequence[int]
) -> Iterator[tuple["_Head", Tensor]]:
    """The head, and the normed states (P, R, dmodel) it is to read, some positions at a time."""
    weight = model.lm_head.weight
    parts = -(-len(positions) * len(rows) // CELLS)  # rounded up
    chunks = torch.tensor(positions).tensor_split(min(parts, len(positions)))
    head = _Head(weight, len(chunks[0]) * len(rows))
    for chunk in chunks:
        stream = residual[torch.tensor(rows), chunk[:, None]]  # (P, R, dmodel)
        yield head, model.norm(stream.to(weight.device))


def _as_array(parts: Sequence[Tensor | None], rows: list[int]) -> np.ndarray | None:
    """Chunks of (P, R, ...) -> the given rows of (R, P, ...); fp32, or int64 where whole."""
    if parts[0] is None:
        return None
    values = torch.cat(parts).transpose(0, 1)[rows]
    return (values.float() if values.is_floating_point() else values).cpu().numpy()


class _Cells(NamedTuple):
    """The lens at some positions."""

    ids: Tensor  # (P, R, k)
    probs: Tensor  # (P, R, k)
    entropy: Tensor  # (P, R)
    kl: Tensor  # (P, R)
    rank: Tensor | None  # (P, R)
    target_prob: Tensor | None  # (P, R)


class _Head:
    """The head's table cut into blocks, with room for a few cells' logits, used again and again.

    Fresh memory costs a page fault every 4 KB, which for logits is as slow as computing on them.
    """

    def __init__(self, weight: Tensor, cells: int):
        self.vocabsize = len(weight)
        self.blocks = weight.split(BLOCK)
        self.logits = weight.new_empty(len(self.blocks), cells, BLOCK)
        self.logits[-1] = -torch.inf  # the last block is not full: no token there
        self.odds = weight.new_empty(cells, BLOCK)

    def read(self, states: Tensor, top: int) -> tuple[Tensor, ...]:
        """states: (P, R, dmodel) -> what each block leaves behind, its logits stay in `logits`.

        lse_b: (blocks, P, R), log-sum-exp; mean_b: (blocks, P, R), of the logits under their own
        softmax; cross_b: the same under the softmax of row `top`; peaks: (blocks, P * R, STRIDE).
        """
        left = [self._read_block(b, states, top) for b in range(len(self.blocks))]
        return tuple(torch.stack(parts) for parts in zip(*left, strict=True))

    def _read_block(self, b: int, states: Tensor, top: int) -> tuple[Tensor, ...]:
        P, R, _ = states.shape
        block, cells = self.blocks[b], P * R
        logits = self.logits[b, :cells]
        z = torch.mm(states.flatten(0, 1), block.T, out=logits[:, : len(block)])
        odds = torch.softmax(z, dim=-1, out=self.odds[:cells, : len(block)])
        # Every row's mean logit under every row's softmax at the same position.
        means = odds.view(P, R, -1) @ z.view(P, R, -1).transpose(1, 2)  # (P, R, R)
        peaks = logits.view(cells, -1, STRIDE).amax(dim=1)  # (cells, STRIDE)
        # The likeliest token's odds are exp(peak - lse).
        lse = peaks.amax(dim=-1) - odds.amax(dim=-1).log()
        return lse.view(P, R), means.diagonal(dim1=1, dim2=2), means[:, top], peaks


def _read_out(head: _Head, states: Tensor, top: int, k: int, target: int | None) -> _Cells:
    """states: (P, R, dmodel), normed; `top` is the final row's place among the R."""
    P, R, _ = states.shape
    lse_b, mean_b, cross_b, peaks = head.read(states, top)
    lse = lse_b.double().logsumexp(dim=0)  # (P, R)
    share = (lse_b - lse).exp()  # (blocks, P, R), of the probability in each block
    entropy = lse - (share * mean_b).sum(dim=0)
    # The final row's cross-entropy to each row; its own is its entropy. KL is the difference.
    cross = lse - (share[..., top, None] * cross_b).sum(dim=0)
    kl = (cross - cross[:, top, None]).clamp(min=0)
    logits = head.logits[:, : P * R]
    values, ids = (found.view(P, R, k) for found in _top_k(logits, peaks, k))
    probs = (values - lse[..., None]).exp()
    ids = ids.clamp(max=head.vocabsize - 1)  # only where logits are not finite is there more
    if target is None:
        return _Cells(ids, probs, entropy, kl, None, None)
    aim = logits[target // BLOCK, :, target % BLOCK, None]  # (cells, 1)
    rank = (logits > aim).sum(dim=(0, 2))
    return _Cells(ids, probs, entropy, kl, rank.view(P, R), (aim.view(P, R) - lse).exp())


def _top_k(logits: Tensor, peaks: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each cell's logits, and their tokens: (cells, k) each.

    logits: (blocks, cells, BLOCK), peaks: (blocks, cells, STRIDE) the largest of each group.
    """
    cells = logits.shape[1]
    peaks = peaks.transpose(0, 1).flatten(1)  # (cells, blocks * STRIDE)
    # k groups with the highest peaks hold k elements no smaller than any element elsewhere.
    groups = peaks.topk(min(k, peaks.shape[1]), dim=-1).indices  # (cells, groups)
    block, column = groups // STRIDE, groups % STRIDE
    grouped = logits.unflatten(-1, (-1, STRIDE))  # (blocks, cells, BLOCK / STRIDE, STRIDE)
    found = grouped[
        block, torch.arange(cells, device=block.device)[:, None], :, column
    ]  # (cells, groups, size)
    values, place = found.flatten(1).topk(k, dim=-1)  # (cells, k)
    group, step = place // found.shape[-1], place % found.shape[-1]
    return values, (block * BLOCK + column).gather(1, group) + step * STRIDE


def _within(value: int, name: str, low: int, high: int) -> int:
    value = operator.index(value)
    if not low <= value <= high:
        raise ValueError(f"{name} must be {low} to {high:,}, not {value:,}.")
    return value


def _chosen(wanted: Sequence[int] | None, name: str, count: int) -> tuple[int, ...]:
    """`wanted` as indexes below `count`; all of them when None."""
    if wanted is None:
        return tuple(range(count))
    if not len(wanted):
        raise ValueError(f"The lens needs at least one {name}.")
    return tuple(_within(index, name, 0, count - 1) for index in wanted)


def _chosen_rows(rows: Sequence[int | str] | None, writers: Sequence[str]) -> tuple[int, ...]:
    if rows is None:
        return tuple(range(len(writers)))
    unknown = [row for row in rows if isinstance(row, str) and row not in writers]
    if unknown:
        raise ValueError(f"No writer is called {unknown[0]!r}; they are {', '.join(writers)}.")
    indexes = [writers.index(row) if isinstance(row, str) else row for row in rows]
    return _chosen(indexes, "row", len(writers))
