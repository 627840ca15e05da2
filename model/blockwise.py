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
DEPTH = 70.0  # odds below e^-70 of the best count as e^-70: near fp32's end arithmetic crawls


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
        self.vocabsize = len(weight)
        self.blocks = weight.split(BLOCK)
        self.logits = weight.new_empty(min(SHELF, len(self.blocks)), cells, BLOCK)
        self.odds = weight.new_empty(cells, BLOCK)

    def read(self, states: Tensor, top: int, k: int, target: int | None = None) -> Reading:
        """states: (P, R, dmodel), past the final norm; KL is measured against row `top`."""
        P, R, _ = states.shape
        aim = None if target is None else self._logit(states, target)  # (P * R, 1)
        softmaxes, largest, ahead = [], [], []
        for start in range(0, len(self.blocks), SHELF):
            shelf = self.blocks[start : start + SHELF]
            *parts, peaks = zip(
                *(self._read_block(slot, shelf[slot], states, top) for slot in range(len(shelf))),
                strict=True,
            )
            softmaxes.append([torch.stack(part) for part in parts])  # (blocks, P, R) each
            logits = self.logits[: len(shelf), : P * R]  # (blocks, P * R, BLOCK)
            values, ids = _largest(logits, torch.stack(peaks, dim=1), k)
            largest.append((values, ids + start * BLOCK))
            if aim is not None:
                ahead.append((logits > aim).sum(dim=(0, 2)))

        lse, entropy, kl = _joined(
            *(torch.cat(parts) for parts in zip(*softmaxes, strict=True)), top
        )
        values, ids = (torch.cat(parts, dim=-1) for parts in zip(*largest, strict=True))
        values, place = values.topk(k, dim=-1)  # (P * R, k)
        # An id beyond the vocabulary can come up only where logits are not finite.
        ids = ids.gather(1, place).clamp(max=self.vocabsize - 1).view(P, R, k)
        probs = (values.view(P, R, k) - lse[..., None]).exp()
        if aim is None:
            return Reading(ids, probs, entropy, kl, None, None)
        return Reading(ids, probs, entropy, kl, sum(ahead).view(P, R), (aim.view(P, R) - lse).exp())

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

    def _read_block(self, slot: int, block: Tensor, states: Tensor, top: int) -> tuple[Tensor, ...]:
        """One block's log-sum-exp and two means, see `_joined`, and the peaks of its groups."""
        P, R, _ = states.shape
        logits = self._multiply(slot, block, states)
        peaks = logits.view(P * R, -1, STRIDE).amax(dim=1)  # (P * R, STRIDE)
        peak = peaks.amax(dim=-1, keepdim=True)  # (P * R, 1)
        z = logits[:, : len(block)]
        odds = self.odds[: P * R, : len(block)]  # against the likeliest word's
        torch.sub(z, peak, out=odds).clamp_(min=-DEPTH).exp_()
        total = odds.sum(dim=-1, keepdim=True)  # (P * R, 1)
        # Mean of every row's logits under every row's softmax, at the same position.
        means = odds.view(P, R, -1) @ z.view(P, R, -1).transpose(1, 2)  # (P, R, R)
        means /= total.view(P, R, 1)
        lse = (peak + total.log()).view(P, R)
        return lse, means.diagonal(dim1=1, dim2=2), means[:, top], peaks


def _joined(lse_b: Tensor, mean_b: Tensor, cross_b: Tensor, top: int) -> tuple[Tensor, ...]:
    """From each block's to the whole vocabulary's: log-sum-exp, entropy, KL; (P, R) each, fp64.

    All (blocks, P, R): lse_b the log-sum-exp of a block's logits; mean_b their mean under the
    block's softmax of them; cross_b their mean under the block's softmax of row `top`.
    """
    lse = lse_b.double().logsumexp(dim=0)
    share = (lse_b - lse).exp()  # (blocks, P, R), of the probability in each block
    entropy = lse - (share * mean_b).sum(dim=0)
    cross = lse - (share[..., top, None] * cross_b).sum(dim=0)  # cross-entropy of top to each row
    kl = cross - cross[:, top, None]  # a row's cross-entropy to itself is its entropy
    return lse, entropy, kl.clamp(min=0)  # below 0 by rounding only


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
