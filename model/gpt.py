"""GPT-2, whole, in one file: read it from the top and every line of the model has been seen.

Tokens go in, and for every position a score for each possible next token comes out. Between the
two runs the residual stream: one vector of width `dmodel` per position. The embedding writes to it
first; then each of N blocks reads it twice (through a LayerNorm) and adds what its attention and
its MLP make of it. Nothing is ever overwritten, only added, which is why the stream can be tapped
anywhere on the way up.

The alphabet of shapes: B batch, S tokens, N blocks, H heads, dk = dmodel / H, dff = 4 * dmodel.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners".
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.config import GPTConfig


class MLP(nn.Module):
    """Two linear layers with a GELU between: each position on its own, no look at the others."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.w1 = nn.Linear(config.dmodel, config.dff)
        self.w2 = nn.Linear(config.dff, config.dmodel)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(B, S, dmodel) -> (B, S, dmodel)"""
        hidden = self.w1(x)  # (B, S, dff)
        # GPT-2 was trained with the tanh form; the exact erf form moves its logits visibly.
        hidden = F.gelu(hidden, approximate="tanh")  # (B, S, dff)
        return self.w2(self.dropout(hidden))  # (B, S, dmodel)


class CausalSelfAttention(nn.Module):
    """Each position takes a weighted mean of what it and the positions before it offer.

    A query asks, keys answer, values carry. H heads do so side by side, each in its own dk
    dimensions, and `wo` mixes what they bring back into the stream.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.H, self.dk = config.H, config.dk
        self.wq = nn.Linear(config.dmodel, config.dmodel)
        self.wk = nn.Linear(config.dmodel, config.dmodel)
        self.wv = nn.Linear(config.dmodel, config.dmodel)
        self.wo = nn.Linear(config.dmodel, config.dmodel)
        self.attn_dropout = nn.Dropout(config.dropout)
        self.resid_dropout = nn.Dropout(config.dropout)

    def split_heads(self, x: Tensor) -> Tensor:
        """(B, S, dmodel) -> (B, H, S, dk): head h owns columns h*dk to (h+1)*dk."""
        B, S, _ = x.shape
        return x.view(B, S, self.H, self.dk).transpose(1, 2)

    def attention(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        """q, k, v: (B, H, S, dk); mask: (S, S), 0 where looking is forbidden -> (B, H, S, dk)"""
        scores = q @ k.transpose(-2, -1)  # (B, H, S, S)
        scores /= math.sqrt(self.dk)  # keeps the spread near 1 whatever dk is
        scores.masked_fill_(mask == 0, -torch.inf)  # a token never reads the future
        pattern = scores.softmax(dim=-1)  # (B, H, S, S), every row sums to 1
        return self.attn_dropout(pattern) @ v

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x: (B, S, dmodel), mask: at least (S, S) -> (B, S, dmodel)"""
        B, S, dmodel = x.shape
        q = self.split_heads(self.wq(x))  # (B, H, S, dk)
        k = self.split_heads(self.wk(x))  # (B, H, S, dk)
        v = self.split_heads(self.wv(x))  # (B, H, S, dk)
        heads = self.attention(q, k, v, mask[:S, :S])  # (B, H, S, dk)
        joined = heads.transpose(1, 2).reshape(B, S, dmodel)  # (B, S, dmodel)
        return self.resid_dropout(self.wo(joined))  # (B, S, dmodel)


class Block(nn.Module):
    """Attention, then MLP. Each reads a normalised copy of the stream and adds to it."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.norm_1 = nn.LayerNorm(config.dmodel)
        self.attn = CausalSelfAttention(config)
        self.norm_2 = nn.LayerNorm(config.dmodel)
        self.ff = MLP(config)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x: (B, S, dmodel), mask: at least (S, S) -> (B, S, dmodel)"""
        x = x + self.attn(self.norm_1(x), mask)  # (B, S, dmodel)
        return x + self.ff(self.norm_2(x))  # (B, S, dmodel)


class GPT(nn.Module):
    """Embeddings, N blocks, a final norm, and the embedding table again as the output layer."""

    def __init__(self, config: GPTConfig):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocabsize, config.dmodel)  # what the token is
        self.wpe = nn.Embedding(config.max_seq_len, config.dmodel)  # where it stands
        self.drop = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.N))
        self.norm = nn.LayerNorm(config.dmodel)
        self.lm_head = nn.Linear(config.dmodel, config.vocabsize, bias=False)
        self.lm_head.weight = self.wte.weight  # tied: one table reads tokens and writes
        # Follows the model from device to device, but is no weight: checkpoints do not hold it.
        self.register_buffer("mask", causal_mask(config.max_seq_len), persistent=False)

    def stream(self, ids: Tensor) -> Tensor:
        """ids: (B, S) integers -> the residual stream after the last block, (B, S, dmodel)"""
        _, S = ids.shape
        x = self.wte(ids) + self.wpe(torch.arange(S, device=ids.device))  # (B, S, dmodel)
        x = self.drop(x)
        for block in self.blocks:
            x = block(x, self.mask)  # (B, S, dmodel)
        return x

    def forward(self, ids: Tensor) -> Tensor:
        """ids: (B, S) integers -> logits (B, S, vocabsize); row i scores what follows token i."""
        return self.lm_head(self.norm(self.stream(ids)))  # (B, S, vocabsize)


def causal_mask(size: int) -> Tensor:
    """(size, size) booleans, true on and below the diagonal: row i may look at columns 0 to i."""
    return torch.ones(size, size, dtype=torch.bool).tril()


@torch.no_grad()
def init_weights(model: GPT, generator: torch.Generator | None = None) -> None:
    """Draw starting weights as for GPT-2, in place: normal, 0.02 wide, zero biases.

    OpenAI drew the positions half as wide; transformers, which is followed here, does not.

    The two layers that write to the stream start narrower, by 1 / sqrt(number of writes), so that
    the stream's size at the top does not depend on the depth (section 2.3 of the report).
    """
    writes = 2 * model.config.N
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            writes_to_stream = name.endswith((".wo", ".w2"))
            std = 0.02 / math.sqrt(writes) if writes_to_stream else 0.02
            module.weight.normal_(0.0, std, generator=generator)
        if isinstance(module, nn.Linear) and module.bias is not None:
            module.bias.zero_()
