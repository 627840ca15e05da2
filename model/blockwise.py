"""The head, read for what a lens asks, without ever holding whole rows of logits.

The lens wants a logit for every word of the vocabulary, at every position, after every writer: 5 GB
for 1,024 tokens of GPT-2 Small. It keeps a dozen numbers of each row. So a few states are taken at
a time, and for them the vocabulary in blocks that fit the processor's cache. Before the next block
takes its place, a block gives up its log-sum-exp, the means of its logits under its own softmaxes
and its largest logits; then the blocks' answers are put together. Nothing is approximated.
"""

from typing import NamedTuple

import torch
from torch import Tensor

CELLS = 1024  # states at once
BLOCK = 2048  # words of the vocabulary at once
SHELF = 5  # blocks whose logits are kept together for one search for the largest
STRIDE = 128  # words j, j + STRIDE, j + 2 * STRIDE ... of a block form a group with one peak
ROWS = 64  # whole rows of logits at once, where words tie: 13 MB for GPT-2
DEPTH = 70.0  # odds below e^-70 count as that: too small to be felt, and smaller ones are slow


class Reading(NamedTuple):
    """What was read of P positions in R rows of the stream. Nats; fp64 where not whole."""

    ids: Tensor  # (P, R, k), best first
    probs: Tensor  # (P, R, k)
    entropy: Tensor  # (P, R)
    kl: Tensor  # (P, R), KL(row `top` || row)
    rank: Tensor | None  # (P, R), how many words are ahead of the target; None without one
    target_prob: Tensor | None  # (P, R); None without a target


class Head:
    """The output layer's table in blocks, and room for their logits that is used again and again.

    Fresh memory costs a page fault every 4 KB: for logits, a fifth of the time to compute them.
    """

    def __init__(self, weight: Tensor, cells: int):
        """weight: (vocabsize, dmodel); at most `cells` states are read at once."""
        self.vocabsize, self.weight = len(weight), weight
        self.blocks = weight.split(BLOCK)
        self.logits = weight.new_empty(min(SHELF, len(self.blocks)), cells, BLOCK)
        self.odds, self.below = weight.new_empty(2, cells, BLOCK)

    def read(self, states: Tensor, top: int, k: int, target: int | None = None) -> Reading:
        """states: (P, R, dmodel), past the final norm; KL is measured against row `top`."""
        P, R, _ = states.shape
        aim = None if target is None else self._logit(states, target)  # (P * R, 1)
        starts = range(0, len(self.blocks), SHELF)
        more = min(k + 1, self.vocabsize)  # one more shows whether the last has equals
        shelves = (self._read_shelf(start, states, top, more, aim) for start in starts)
        softmaxes, values, ids, ahead = zip(*shelves, strict=True)

        lse, entropy, kl = _joined(*torch.cat(softmaxes, dim=1), top)  # (P, R) each
        values, place = torch.cat(values, dim=-1).topk(more)  # (P * R, more)
        probs = (values[:, :k].reshape(P, R, k) - lse[..., None]).exp()
        # An id beyond the vocabulary can come up only where logits are not finite.
        ids = torch.cat(ids, dim=-1).gather(1, place[:, :k]).clamp(max=self.vocabsize - 1)
        tied = _tied(values, k)
        if tied.any():
            ids[tied] = self._ids(states.flatten(0, 1)[tied], k)
        ids = ids.view(P, R, k)
        if aim is None:
            return Reading(ids, probs, entropy, kl, None, None)
        return Reading(ids, probs, entropy, kl, sum(ahead).view(P, R), (aim.view(P, R) - lse).exp())

    def _ids(self, states: Tensor, k: int) -> Tensor:
        """The k best words of each state, (cells, k), by whole rows: slow, but right among equals.

        states: (cells, dmodel)
        """
        return torch.cat([best(part @ self.weight.T, k)[1] for part in states.split(ROWS)])

    def _read_shelf(
        self, start: int, states: Tensor, top: int, k: int, aim: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """The blocks from number `start` on: their softmaxes (3, blocks, P, R), see `_joined`,
        the shelf's largest logits and their words (P * R, k), and how many (P * R,) exceed `aim`.
        """
        shelf = self.blocks[start : start + SHELF]
        read = [self._read_block(slot, block, states, top) for slot, block in enumerate(shelf)]
        softmaxes, peaks = (torch.stack(parts, dim=1) for parts in zip(*read, strict=True))
        logits = self.logits[: len(shelf), : len(peaks)]  # (blocks, P * R, BLOCK)
        values, ids = _largest(logits, peaks, k)
        ahead = None if aim is None else (logits > aim).sum(dim=(0, 2))
        return softmaxes, values, ids + start * BLOCK, ahead

    def _multiply(self, slot: int, block: Tensor, states: Tensor) -> Tensor:
        """The logits (P * R, BLOCK) of a block, in their slot; -inf beyond the vocabulary's end."""
        logits = self.logits[slot, : states.shape[0] * states.shape[1]]
        logits[:, len(block) :] = -torch.inf
        torch.mm(states.flatten(0, 1), block.T, out=logits[:, : len(block)])
        return logits

    def _logit(self, states: Tensor, word: int) -> Tensor:
        """One word's logit, (P * R, 1), to the bit as it will come up among all others."""
        logits = self._multiply(0, self.blocks[word // BLOCK], states)
        return logits[:, word % BLOCK, None].clone()

    def _read_block(
        self, slot: int, block: Tensor, states: Tensor, top: int
    ) -> tuple[Tensor, Tensor]:
        """One block's softmaxes (3, P, R), see `_joined`, and its peaks (P * R, STRIDE)."""
        P, R, _ = states.shape
        logits = self._multiply(slot, block, states)
        peaks = logits.view(P * R, -1, STRIDE).amax(dim=1)  # (P * R, STRIDE)
        peak = peaks.amax(dim=-1, keepdim=True)  # (P * R, 1)
        z = logits[:, : len(block)]
        below = self.below[: P * R, : len(block)]  # the likeliest word's logit
        odds = self.odds[: P * R, : len(block)]  # against the likeliest word's
        torch.sub(z, peak, out=below)
        torch.clamp(below, min=-DEPTH, out=odds).exp_()
        total = odds.sum(dim=-1).view(P, R)
        # Mean of every row's logits under every row's softmax, at the same position. Taken from
        # the likeliest word's logit, so that rounding is small against their spread.
        means = odds.view(P, R, -1) @ below.view(P, R, -1).transpose(1, 2)  # (P, R, R)
        means = means / total[..., None] + peak.view(P, 1, R)
        lse = peak.view(P, R) + total.log()
        return torch.stack([lse, means.diagonal(dim1=1, dim2=2), means[:, top]]), peaks


def _joined(lse_b: Tensor, mean_b: Tensor, cross_b: Tensor, top: int) -> tuple[Tensor, ...]:
    """From each block's to the whole vocabulary's: log-sum-exp, entropy, KL; (P, R) each, fp64.

    All (blocks, P, R): lse_b is the log-sum-exp of a block's logits; mean_b their mean under their
    own softmax within the block; cross_b their mean under that of row `top`. With p the share of a
    row's probability that lies in a block, entropy = lse - sum of p * mean_b; likewise for KL.
    """
    lse = lse_b.double().logsumexp(dim=0)
    share = (lse_b - lse).exp()  # (blocks, P, R), of the probability in each block
    entropy = lse - (share * mean_b).sum(dim=0)
    cross = lse - (share[..., top, None] * cross_b).sum(dim=0)  # cross-entropy of top to each row
    kl = cross - cross[:, top, None]  # a row's cross-entropy to itself is its entropy
    return lse, entropy.clamp(min=0), kl.clamp(min=0)  # below 0 by rounding only


def best(rows: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row (n, V), and their places; (n, k) each. Of equals the first is best.

    `topk` alone takes any of them, others for another k.
    """
    values, places = rows.topk(min(k + 1, rows.shape[-1]))
    tied = _tied(values, k)
    values, places = values[:, :k], places[:, :k]
    if tied.any():
        places[tied] = _first_of_equals(rows[tied], values[tied, -1:], k)
    return values, places


def _tied(values: Tensor, k: int) -> Tensor:
    """values: (n, k or k + 1), largest first -> (n,) whether one of the first k has an equal."""
    return (values[:, 1:] == values[:, :-1]).any(dim=-1) & values[:, :k].isfinite().all(dim=-1)


def _first_of_equals(rows: Tensor, last: Tensor, k: int) -> Tensor:
    """(n, V) -> the places of the k largest of each row, (n, k); last: (n, 1), the k-th of them."""
    above, equal = rows > last, rows == last
    room = k - above.sum(dim=-1, keepdim=True)
    chosen = above | (equal & (equal.cumsum(dim=-1) <= room))  # k of each row
    places = chosen.nonzero()[:, 1].view(-1, k)
    order = rows.gather(1, places).sort(dim=-1, descending=True, stable=True).indices
    return places.gather(1, order)


def _largest(logits: Tensor, peaks: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each cell's logits, or all where there are fewer, and their columns.

    k groups with the highest peaks hold k logits that none elsewhere exceeds, so no other group
    needs to be searched: searching whole rows takes longer than computing them.

    logits: (blocks, cells, BLOCK); peaks: (cells, blocks, STRIDE), each the largest of a group.
    """
    cells = len(peaks)
    peaks = peaks.flatten(1)  # (cells, blocks * STRIDE)
    groups = peaks.topk(min(k, peaks.shape[1]), sorted=False).indices  # (cells, groups)
    block, column = groups // STRIDE, groups % STRIDE
    row = torch.arange(cells, device=groups.device)[:, None]
    found = logits.unflatten(-1, (-1, STRIDE))[block, row, :, column]  # (cells, groups, size)
    size = found.shape[-1]
    values, place = found.flatten(1).topk(min(k, found[0].numel()), sorted=False)  # (cells, k)
    first = (block * BLOCK + column).gather(1, place // size)  # where the group begins
    return values, first + place % size * STRIDE
