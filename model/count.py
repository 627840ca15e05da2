"""How many parameters a configuration has, part by part, without building the network."""

from model.config import GPTConfig
from model.transformer import TransformerConfig


def gpt_parameters(config: GPTConfig) -> dict[str, int]:
    """Learned numbers in each kind of part; the sum is the model's size.

    `lm_head` counts nothing of its own: its weights are those of `wte`.
    """
    d = config.dmodel
    return {
        "wte": config.vocabsize * d,
        "wpe": config.max_seq_len * d,
        "attn": config.N * _attention(d),
        "ff": config.N * _feed_forward(d, config.dff),
        "norm": (2 * config.N + 1) * _norm(d),
        "lm_head": 0,
    }


def transformer_parameters(config: TransformerConfig) -> dict[str, int]:
    """The same for the 2017 Transformer, whose sinusoids are computed and not learned."""
    d = config.dmodel
    encoder = _attention(d) + _feed_forward(d, config.dff) + 2 * _norm(d)
    decoder = 2 * _attention(d) + _feed_forward(d, config.dff) + 3 * _norm(d)
    return {
        "embedding": config.vocabsize * d,
        "positions": 0,
        "encoder": config.N * encoder,
        "decoder": config.N * decoder,
        "projection": 0,
    }


def _linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs  # weights and biases


def _attention(dmodel: int) -> int:
    return 4 * _linear(dmodel, dmodel)  # wq, wk, wv, wo


def _feed_forward(dmodel: int, dff: int) -> int:
    return _linear(dmodel, dff) + _linear(dff, dmodel)


def _norm(dmodel: int) -> int:
    return 2 * dmodel  # scale and shift
