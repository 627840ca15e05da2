"""What depth does to a stack that has learned nothing yet: GPT-2's pre-norm against 2017's
post-norm.

Source: Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture".
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.config import GPTConfig
from model.gpt import Block, causal_mask
from model.transformer import EncoderBlock, TransformerConfig

WIDTH, HEADS, TOKENS = 64, 4, 24  # small enough to run while the visitor waits


@dataclass(frozen=True, eq=False)
class Stack:
    """One random stack of `depth` blocks, seen once forward and once backward."""

    norms: Tensor  # (depth + 1,) mean L2 norm of the stream as it enters, and after each block
    gradients: Tensor  # (depth,) L2 norm of the loss's gradient at the weights of each block


def stacks_at_start(depth: int, seed: int = 0) -> dict[str, Stack]:
    """A pre-norm and a post-norm stack of the same weights, on the same random input.

    Args:
        depth: blocks, 1 or more.
        seed: of the weights (Xavier, as in the paper), the input and the loss.
    Returns:
        "pre" (blocks of model/gpt.py) and "post" (blocks of model/transformer.py).
    """
    gpt = GPTConfig(dmodel=WIDTH, H=HEADS, N=depth, dropout=0.0)
    old = TransformerConfig(dmodel=WIDTH, H=HEADS, N=depth, dff=gpt.dff, dropout=0.0)
    x, wanted = torch.randn(2, 1, TOKENS, WIDTH, generator=_generator(seed))
    pre = [Block(gpt) for _ in range(depth)]
    post = [EncoderBlock(old) for _ in range(depth)]
    # GPT-2 reads its stream through one last norm; the 2017 stack has normalised it already.
    last = nn.LayerNorm(WIDTH, elementwise_affine=False)
    return {
        "pre": _run(pre, x, wanted, last, seed),
        "post": _run(post, x, wanted, nn.Identity(), seed),
    }


def _run(blocks: list[nn.Module], x: Tensor, wanted: Tensor, last: nn.Module, seed: int) -> Stack:
    """Forward, with the loss of a reader that wants the random vectors `wanted`; then backward."""
    generator = _generator(seed + 1)
    for block in blocks:
        _xavier(block, generator)
    mask, norms = causal_mask(TOKENS), [_mean_norm(x)]
    with torch.enable_grad():
        for block in blocks:
            x = block(x, mask)
            norms.append(_mean_norm(x))
        weights = [[p for p in block.parameters() if p.dim() == 2] for block in blocks]
        loss = (last(x) * wanted).sum(dim=-1).mean()
        flat = torch.autograd.grad(loss, [p for one in weights for p in one])
    per_block = len(weights[0])
    sizes = torch.stack([g.norm() for g in flat]).view(-1, per_block).norm(dim=-1)  # (depth,)
    return Stack(norms=torch.stack(norms), gradients=sizes)


@torch.no_grad()
def _xavier(block: nn.Module, generator: torch.Generator) -> None:
    """Both kinds of block hold wq, wk, wv, wo, w1, w2 in this order, so both get equal weights."""
    for module in block.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight, generator=generator)
            module.bias.zero_()


def _mean_norm(x: Tensor) -> Tensor:
    return x.detach().norm(dim=-1).mean()


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
