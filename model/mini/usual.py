"""What may come next in a story: the tokens that followed the last few in many stories.

Cross-entropy pushes a wrong word down by as much as it is likely, so the last per cent, spread over
thousands of tokens, hardly shrinks; and a story of a hundred words drawn from it slips once or
twice. Told which tokens never follow, training pushes all of them down together
(`model.mini.train.astray`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

LONGEST = 4  # tokens of a context
MISSING = 0.003  # of what may follow: a context that has shown less of it is not relied on


@dataclass(frozen=True)
class Followers:
    """What followed each context of one length.

    Attributes:
        length: tokens of a context.
        keys: (C,) contexts that are relied on, each packed into one number, ascending.
        kinds: (C,) how many different tokens followed each.
        tokens: (F,) those tokens, context by context.
    """

    length: int
    keys: Tensor
    kinds: Tensor
    tokens: Tensor

    def of(self, which: Tensor) -> Tensor:
        """The tokens that followed the contexts at (n,) places of `keys`, one after another."""
        starts = self.kinds.cumsum(0) - self.kinds
        counts = self.kinds[which]
        within = torch.arange(counts.sum()) - (counts.cumsum(0) - counts).repeat_interleave(counts)
        return self.tokens[starts[which].repeat_interleave(counts) + within]


def packed(ids: Tensor, length: int, kinds: int) -> Tensor:
    """(S - length + 1,) each run of `length` of (S,) ids below `kinds`, as one number."""
    return (ids.unfold(0, length, 1) * kinds ** torch.arange(length - 1, -1, -1)).sum(-1)


def followers(ids: Tensor, length: int, kinds: int) -> Followers:
    """What follows each context of `length` tokens in (T,) ids below `kinds`.

    How much of what may follow is still to be seen is estimated by what was seen only once (Good
    1953, https://doi.org/10.1093/biomet/40.3-4.237), and one more, so that a rare context tells
    nothing.
    """
    runs, counts = packed(ids, length + 1, kinds).unique(return_counts=True)
    keys, where, different = (runs // kinds).unique_consecutive(
        return_inverse=True, return_counts=True
    )
    seen = torch.zeros(len(keys)).index_add(0, where, counts.float())
    once = torch.zeros(len(keys)).index_add(0, where, (counts == 1).float())
    relied = once + 1 <= MISSING * seen
    tokens = (runs % kinds)[relied[where]]
    return Followers(length, keys[relied], different[relied], tokens)


class Usual:
    """Which tokens may follow, by the longest context that is relied on."""

    def __init__(self, stories: Iterable[list[int]], size: int) -> None:
        """Count in stories of ids below `size`."""
        ids = torch.tensor([token for story in stories for token in story])
        self.size = size
        # Stories hold few of all tokens: numbered anew, runs of five fit into 64 bits.
        self.known, ids = ids.unique(return_inverse=True)
        self.tables = [followers(ids, n, len(self.known)) for n in range(LONGEST, 0, -1)]

    def barred(self, ids: Tensor) -> Tensor:
        """(S, size) for (S,) ids of a story: whether a token never follows that position.

        No token is barred where no context is relied on.
        """
        local = torch.searchsorted(self.known, ids).clamp(max=len(self.known) - 1)
        strange = self.known[local] != ids
        barred = torch.zeros(len(ids), self.size, dtype=torch.bool)
        open_ = torch.ones(len(ids), dtype=torch.bool)
        for table in self.tables:
            if table.length > len(ids) or not len(table.keys):
                continue
            keys = packed(local, table.length, len(self.known))
            at = torch.searchsorted(table.keys, keys).clamp(max=len(table.keys) - 1)
            found = (table.keys[at] == keys) & ~strange.unfold(0, table.length, 1).any(-1)
            found &= open_[table.length - 1 :]
            places, which = found.nonzero()[:, 0] + table.length - 1, at[found]
            open_[places], barred[places] = False, True
            followed = places.repeat_interleave(table.kinds[which])
            barred[followed, self.known[table.of(which)]] = False
        return barred
