"""The Transformer of 2017, whole: what GPT-2 was made from, kept to be compared with it.

An encoder reads the source sentence in both directions; a decoder writes the target sentence from
left to right and looks at the encoder's output while it does. Each part here has its counterpart
in model/gpt.py, and the same names for the same things.

The alphabet of shapes: B batch, S source tokens, T target tokens, H heads, dk = dmodel / H.

Source: Vaswani et al. 2017, "Attention Is All You Need", section by section.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class TransformerConfig:
    """The base model of table 3. One vocabulary serves source, target and output (section 3.4)."""

    dmodel: int = 512
    vocabsize: int = 37000  # byte pairs shared by English and German (section 5.1)
    max_seq_len: int = 5000  # how far the table of sinusoids is written out; it has no end
    N: int = 6  # encoder blocks, and again decoder blocks
    H: int = 8
    dff: int = 2048
    dropout: float = 0.1

    @property
    def dk(self) -> int:
        """Width of one head's queries, keys and values."""
        return self.dmodel // self.H


class InputEmbedding(nn.Module):
    """One learned row a token, scaled so that the positions added next do not drown it."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.table = nn.Embedding(config.vocabsize, config.dmodel)
        self.scale = math.sqrt(config.dmodel)

    def forward(self, ids: Tensor) -> Tensor:
        """ids: (B, S) integers -> (B, S, dmodel)"""
        return self.table(ids) * self.scale


def sinusoids(length: int, dmodel: int) -> Tensor:
    """(length, dmodel): even columns sines, odd columns cosines, each pair slower than the last.

    PE(pos, 2i) = sin(pos / 10000^(2i / dmodel)), PE(pos, 2i+1) its cosine (section 3.5).
    """
    positions = torch.arange(length, dtype=torch.float32)[:, None]  # (length, 1)
    columns = torch.arange(0, dmodel, 2, dtype=torch.float32)  # (ceil(dmodel / 2),)
    angles = positions * torch.exp(columns * (-math.log(10000.0) / dmodel))
    table = torch.empty(length, dmodel)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles[:, : dmodel // 2].cos()
    return table


class PositionalEncoding(nn.Module):
    """Adds a fixed table of sines and cosines: nothing in it is learned."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        table = sinusoids(config.max_seq_len, config.dmodel)
        self.register_buffer("table", table, persistent=False)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(B, S, dmodel) -> (B, S, dmodel)"""
        S = x.shape[1]
        return self.dropout(x + self.table[:S])


class LayerNormalization(nn.Module):
    """Centre each position's vector, bring it to unit spread, then scale and shift each entry."""

    def __init__(self, config: TransformerConfig, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(config.dmodel))
        self.bias = nn.Parameter(torch.zeros(config.dmodel))
        self.eps = eps  # keeps a vector of equal entries from being divided by zero

    def forward(self, x: Tensor) -> Tensor:
        """(..., dmodel) -> (..., dmodel)"""
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)  # divided by dmodel, not by one less
        return self.weight * centred / (variance + self.eps).sqrt() + self.bias


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between, at each position alone (section 3.3)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.w1 = nn.Linear(config.dmodel, config.dff)
        self.w2 = nn.Linear(config.dff, config.dmodel)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(B, S, dmodel) -> (B, S, dmodel)"""
        hidden = self.w1(x).relu()  # (B, S, dff): whatever is negative is gone
        return self.w2(self.dropout(hidden))


class MultiHeadAttention(nn.Module):
    """Queries from one sequence, keys and values from another or from the same (section 3.2)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.H, self.dk = config.H, config.dk
        self.wq = nn.Linear(config.dmodel, config.dmodel)
        self.wk = nn.Linear(config.dmodel, config.dmodel)
        self.wv = nn.Linear(config.dmodel, config.dmodel)
        self.wo = nn.Linear(config.dmodel, config.dmodel)
        self.dropout = nn.Dropout(config.dropout)

    def split_heads(self, x: Tensor) -> Tensor:
        """(B, S, dmodel) -> (B, H, S, dk)"""
        B, S, _ = x.shape
        return x.view(B, S, self.H, self.dk).transpose(1, 2)

    def forward(self, reading: Tensor, read: Tensor, mask: Tensor | None) -> Tensor:
        """reading: (B, T, dmodel), read: (B, S, dmodel) -> (B, T, dmodel)

        mask: broadcasts to (B, H, T, S), false where looking is forbidden; None forbids nothing.
        """
        q = self.split_heads(self.wq(reading))  # (B, H, T, dk)
        k = self.split_heads(self.wk(read))  # (B, H, S, dk)
        v = self.split_heads(self.wv(read))  # (B, H, S, dk)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.dk)  # (B, H, T, S)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -torch.inf)
        heads = self.dropout(scores.softmax(dim=-1)) @ v  # (B, H, T, dk)
        return self.wo(heads.transpose(1, 2).reshape(reading.shape))


class ResidualConnection(nn.Module):
    """Post-norm: add what the sublayer makes of x, then normalise the sum (section 5.4)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.norm = LayerNormalization(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """(B, S, dmodel) -> (B, S, dmodel)"""
        return self.norm(x + self.dropout(sublayer(x)))


class EncoderBlock(nn.Module):
    """Every source position looks at every other, then the feed-forward part."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.attn = MultiHeadAttention(config)
        self.ff = FeedForward(config)
        self.residual_1 = ResidualConnection(config)
        self.residual_2 = ResidualConnection(config)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """(B, S, dmodel) -> (B, S, dmodel)"""
        x = self.residual_1(x, lambda x: self.attn(x, x, mask))
        return self.residual_2(x, self.ff)


class DecoderBlock(nn.Module):
    """Look back over the target, look across to the source, then the feed-forward part."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.attn = MultiHeadAttention(config)
        self.cross_attn = MultiHeadAttention(config)
        self.ff = FeedForward(config)
        self.residual_1 = ResidualConnection(config)
        self.residual_2 = ResidualConnection(config)
        self.residual_3 = ResidualConnection(config)

    def forward(
        self, x: Tensor, encoded: Tensor, source_mask: Tensor | None, target_mask: Tensor | None
    ) -> Tensor:
        """x: (B, T, dmodel), encoded: (B, S, dmodel) -> (B, T, dmodel)"""
        x = self.residual_1(x, lambda x: self.attn(x, x, target_mask))
        x = self.residual_2(x, lambda x: self.cross_attn(x, encoded, source_mask))
        return self.residual_3(x, self.ff)


class Projection(nn.Module):
    """From the last decoder block to the logarithm of each next token's probability."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.linear = nn.Linear(config.dmodel, config.vocabsize, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, dmodel) -> (B, T, vocabsize); exp of a row sums to 1."""
        return self.linear(x).log_softmax(dim=-1)


class Transformer(nn.Module):
    """Source and target tokens in, log-probabilities of each next target token out."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.embedding = InputEmbedding(config)
        self.positions = PositionalEncoding(config)
        self.encoder = nn.ModuleList(EncoderBlock(config) for _ in range(config.N))
        self.decoder = nn.ModuleList(DecoderBlock(config) for _ in range(config.N))
        self.projection = Projection(config)
        self.projection.linear.weight = self.embedding.table.weight  # tied, as in GPT-2

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """source: (B, S) integers -> (B, S, dmodel)"""
        x = self.positions(self.embedding(source))  # (B, S, dmodel)
        for block in self.encoder:
            x = block(x, source_mask)
        return x

    def decode(
        self,
        encoded: Tensor,
        target: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
    ) -> Tensor:
        """encoded: (B, S, dmodel), target: (B, T) integers -> (B, T, dmodel)"""
        x = self.positions(self.embedding(target))  # (B, T, dmodel)
        for block in self.decoder:
            x = block(x, encoded, source_mask, target_mask)
        return x

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
    ) -> Tensor:
        """source: (B, S), target: (B, T) integers -> log-probabilities (B, T, vocabsize)

        source_mask: broadcasts to (B, H, 1, S), false at padding; target_mask: to (B, H, T, T),
        usually `causal_mask(T)`.
        """
        encoded = self.encode(source, source_mask)
        return self.projection(self.decode(encoded, target, source_mask, target_mask))
