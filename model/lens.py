"""The logit lens: what the model would answer if it stopped after each writer to the stream.

The final norm and the head, made for the top of the stream, are applied to every row of it
(nostalgebraist 2020, "interpreting GPT: the logit lens"). The last row is the model's own answer.

For 1,024 tokens of GPT-2 Small those logits would fill 2.7 GB, so they are never all there. The
vocabulary is taken in blocks small enough to stay in the processor's cache, and each block leaves
behind what the answers need: the log of its summed exponentials, two means under its own softmax,
and the peaks of small groups of tokens. The peaks tell which few groups can hold the top k, so the
sort, by far the slowest step on whole rows, sees a hundredth of the vocabulary.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from model.gpt import GPT
from model.trace import Trace

BLOCK = 1024  # tokens of the vocabulary at once
GROUP = 32  # tokens that share a peak
CELLS = 256  # rows of logits at once


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
    ids: np.ndarray  # (R, P, k) int64, best first
    probs: np.ndarray  # (R, P, k) fp32
    entropy: np.ndarray  # (R, P) fp32, nats
    kl: np.ndarray  # (R, P) fp32, nats
    rank: np.ndarray | None  # (R, P) int64; None without a target
    target_prob: np.ndarray | None  # (R, P) fp32; None without a target


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
    top = len(trace.writers) - 1
    k = _within(k, "k", 1, model.config.vocabsize)
    target = None if target is None else _within(target, "target", 0, model.config.vocabsize - 1)
    rows = _chosen_rows(rows, trace.writers)
    positions = _chosen(positions, "position", len(trace.ids))

    computed = list(dict.fromkeys([*rows, top]))  # the final row is what KL is measured against
    shown = [computed.index(row) for row in rows]
    chunk = max(1, CELLS // len(computed))
    parts = [
        _read_out(model, trace.residual[computed][:, some], computed.index(top), k, target)
        for some in torch.tensor(positions, dtype=torch.long).split(chunk)
    ]
    table = (
        torch.cat(cells, dim=0).transpose(0, 1)[shown].cpu().numpy()
        for cells in zip(*parts, strict=True)
    )
    cells = _Cells(*table)
    return Lens(
        rows=rows,
        writers=tuple(trace.writers[row] for row in rows),
        positions=positions,
        target=target,
        ids=cells.ids,
        probs=cells.probs,
        entropy=cells.entropy,
        kl=cells.kl,
        rank=cells.rank if target is not None else None,
        target_prob=cells.target_prob if target is not None else None,
    )


class _Cells(NamedTuple):
    """What the lens says of some positions."""

    ids: Tensor  # (P, R, k)
    probs: Tensor  # (P, R, k)
    entropy: Tensor  # (P, R)
    kl: Tensor  # (P, R)
    rank: Tensor  # (P, R)
    target_prob: Tensor  # (P, R)


def _read_out(model: GPT, stream: Tensor, top: int, k: int, target: int | None) -> _Cells:
    """stream: (R, P, dmodel), few enough positions that (P * R, vocabsize) logits are no burden."""
    R, P, _ = stream.shape
    weight = model.lm_head.weight
    states = model.norm(stream.to(weight.device)).transpose(0, 1).reshape(P * R, -1)
    blocks = weight.split(BLOCK)
    # -inf fills the end of the last block: no token.
    logits = weight.new_full((len(blocks), P * R, BLOCK), -torch.inf)
    softmaxes = [
        _block_softmax(torch.mm(states, block.T, out=z[:, : len(block)]).view(P, R, -1), top)
        for block, z in zip(blocks, logits, strict=True)
    ]
    lse_b, mean_b, cross_b = (
        torch.stack(x).double() for x in zip(*softmaxes, strict=True)
    )  # (blocks, P, R)
    lse = lse_b.logsumexp(dim=0)
    share = (lse_b - lse).exp()  # of the probability that lies in each block
    mean = (share * mean_b).sum(dim=0)  # of the logits, under each row's own softmax
    cross = (share[..., top : top + 1] * cross_b).sum(dim=0)  # and under the final row's
    gap = lse - cross  # the final row's cross-entropy to each row
    kl = (gap - gap[:, top : top + 1]).clamp(min=0)
    values, ids = _top_k(logits, k)
    probs = (values.view(P, R, k) - lse[..., None]).exp()
    target_prob, rank = torch.zeros_like(lse), torch.zeros_like(lse).long()
    if target is not None:
        aim = logits[target // BLOCK, :, target % BLOCK]
        target_prob = (aim.view(P, R) - lse).exp()
        rank = (logits > aim[:, None]).sum(dim=(0, 2)).view(P, R)
    ids = ids.clamp(max=model.config.vocabsize - 1).view(P, R, k)
    return _Cells(ids, probs.float(), (lse - mean).float(), kl.float(), rank, target_prob.float())


def _block_softmax(z: Tensor, top: int) -> tuple[Tensor, Tensor, Tensor]:
    """z: (P, R, n) -> log-sum-exp, mean of z under own softmax, and under the top row's: (P, R)"""
    peak = z.amax(dim=-1, keepdim=True)
    below = z - peak
    weights = below.exp()
    total = weights.sum(dim=-1)
    cross = torch.bmm(below, weights[:, top, :, None])[..., 0] / total[:, top, None]
    mean = below.mul_(weights).sum(dim=-1) / total
    peak = peak[..., 0]
    return peak + total.log(), peak + mean, peak + cross


def _top_k(logits: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """logits: (blocks, cells, BLOCK) -> the k largest of each cell and their tokens, (cells, k)"""
    blocks, cells, _ = logits.shape
    stride = BLOCK // GROUP
    grouped = logits.view(blocks, cells, GROUP, stride)  # group j: columns j, j + stride, ...
    peaks = grouped.amax(dim=2).transpose(0, 1).reshape(cells, -1)  # (cells, blocks * stride)
    # An element of the top k lies in a group whose peak is among the top k peaks.
    groups = peaks.topk(min(k, peaks.shape[1]), dim=-1, sorted=False).indices  # (cells, groups)
    block, column = groups // stride, groups % stride
    found = grouped[block, torch.arange(cells)[:, None], :, column]  # (cells, groups, GROUP)
    values, at = found.flatten(1).topk(k, dim=-1)  # (cells, k)
    start = (block * BLOCK + column).gather(1, at // GROUP)
    return values, start + at % GROUP * stride


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
