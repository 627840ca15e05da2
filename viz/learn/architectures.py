"""The 2017 Transformer and GPT-2 side by side, each box marked with what became of it."""

from typing import Any

from viz.learn.drawing import Column, Row, columns

ENCODER = (
    Row("embedding · √d", "embed", "removed", "embeddings"),
    Row("+ sinusoids", "embed", "removed", "embeddings"),
    Row("attn, both ways", "attn", "removed", "attention"),
    Row("add, norm", "norm", "removed", "residual"),
    Row("ff, ReLU", "ff", "removed", "mlp"),
    Row("add, norm", "norm", "removed", "residual"),
)
DECODER = (
    Row("embedding · √d", "embed", "changed", "embeddings"),
    Row("+ sinusoids", "embed", "changed", "embeddings"),
    Row("attn, causal", "attn", "kept", "attention"),
    Row("add, norm", "norm", "changed", "residual"),
    Row("cross attn", "attn", "removed", "block"),
    Row("add, norm", "norm", "removed", "residual"),
    Row("ff, ReLU", "ff", "changed", "mlp"),
    Row("add, norm", "norm", "changed", "residual"),
    Row("linear, tied", "head", "kept", "gpt"),
    Row("log-softmax", "head", "removed", "gpt"),
)
GPT2 = (
    Row("wte", "embed", "changed", "embeddings"),
    Row("+ wpe", "embed", "changed", "embeddings"),
    Row("norm_1", "norm", "changed", "residual"),
    Row("attn, causal", "attn", "kept", "attention"),
    Row("add", "plain", "kept", "residual"),
    Row("norm_2", "norm", "changed", "residual"),
    Row("ff, GELU", "ff", "changed", "mlp"),
    Row("add", "plain", "kept", "residual"),
    Row("norm", "norm", "new", "layernorm"),
    Row("lm_head, tied", "head", "kept", "gpt"),
)


def side_by_side(old_blocks: int, new_blocks: int, size: float) -> list[dict[str, Any]]:
    """Two drawings. The encoder's output enters every decoder block by cross-attention."""
    times = f"× {old_blocks}"
    encoder = Column("source tokens", "", ENCODER, (2, 6), times)
    decoder = Column("target tokens", "log-probabilities", DECODER, (2, 8), times)
    gpt = Column("tokens", "logits", GPT2, (2, 8), f"× {new_blocks}")
    return [
        columns("Transformer, 2017: encoder and decoder", [encoder, decoder], size, ((0, (1, 4)),)),
        columns("GPT-2: the decoder alone", [gpt], size),
    ]
