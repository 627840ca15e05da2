"""Heads known from the literature, found by what they do: one number a head, for any model.

On random tokens that come twice there is no meaning to follow, only repetition, so what a head
does there it does for the repetition's sake. On a sentence, a head is told by where it looks from
one token, and by what it pushes the answer towards.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from model.bounds import within
from model.gpt import GPT
from model.readout import final_scale, head_write
from model.trace import Trace, run_trace

LENGTH = 50  # random tokens, before they are repeated
DRAWS = 3  # sequences over which scores are averaged
SEED = 0


def repeated(among: Sequence[int], length: int, seed: int) -> list[int]:
    """`length` different tokens drawn from `among`, twice in a row; the same for equal seeds."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randperm(len(among), generator=generator)[:length]
    once = [among[i] for i in drawn.tolist()]
    return once + once


def repetition_scores(model: GPT, among: Sequence[int] | None = None) -> Mapping[str, Tensor]:
    """The scores of `model.heads` on repeated random tokens: name -> (N, H).

    The induction score there is the prefix-matching score of Olsson et al. 2022.

    Args:
        among: token ids to draw from, at least two; the whole vocabulary when None.
    """
    among = range(model.config.vocabsize) if among is None else among
    length = min(LENGTH, len(among), model.config.max_seq_len // 2)
    draws = [run_trace(model, repeated(among, length, SEED + i)).head_scores for i in range(DRAWS)]
    return {name: torch.stack([draw[name] for draw in draws]).mean(dim=0) for name in draws[0]}


def attention_between(trace: Trace, reader: int, read: int) -> Tensor:
    """(N, H): the share of its attention that each head gives from one position to another.

    Raises:
        ValueError: if the prompt has no such positions, or `read` comes after `reader`.
    """
    reader = within(reader, "reader", 0, len(trace.ids) - 1)
    read = within(read, "read", 0, reader)
    return torch.stack([trace.attention(i)[:, reader, read] for i in range(trace.config.N)])


@torch.no_grad()
def direct_effects(model: GPT, trace: Trace, position: int, token: int, against: int) -> Tensor:
    """(N, H): how much each head's write raises the logit of `token` over that of `against`.

    Direct logit attribution (Elhage et al. 2021) with the final norm's divisor frozen at the one
    measured. Effects through later blocks are not in it; nor is the bias all heads share.

    Raises:
        ValueError: if one of them is out of range.
    """
    position = within(position, "position", 0, len(trace.ids) - 1)
    last = model.config.vocabsize - 1
    rows = model.lm_head.weight[[within(t, "token", 0, last) for t in (token, against)]].cpu()
    wanted = (rows[0] - rows[1]) * model.norm.weight.cpu() / final_scale(trace)[position]
    # Centring the write, as the norm does, is the same as centring what it is multiplied with.
    wanted = wanted - wanted.mean()  # (dmodel,)
    blocks = (trace.block(i) for i in range(model.config.N))
    return torch.stack([_along(model, inside, position, wanted) for inside in blocks])


def _along(model: GPT, inside, position: int, direction: Tensor) -> Tensor:
    """(H,): each head's write at one position, along `direction`."""
    writes = [head_write(model, inside, head)[position] for head in range(model.config.H)]
    return torch.stack(writes) @ direction
