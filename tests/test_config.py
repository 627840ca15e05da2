"""Shapes: what a configuration derives, what it refuses, what the four sizes count."""

import pytest
import torch

from model import GPT, GPT2_SIZES, GPTConfig

PARAMETERS = {
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
}


def test_the_defaults_are_gpt2_small():
    config = GPTConfig()
    assert (config.dmodel, config.vocabsize, config.max_seq_len) == (768, 50257, 1024)
    assert (config.N, config.H, config.dk, config.dff) == (12, 12, 64, 3072)


@pytest.mark.parametrize("size", PARAMETERS)
def test_published_sizes_have_the_published_parameters(size):
    with torch.device("meta"):  # shapes without memory
        model = GPT(GPT2_SIZES[size])
    assert sum(weight.numel() for weight in model.parameters()) == PARAMETERS[size]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dmodel": 10, "H": 4}, "dmodel 10 does not split into 4 equal heads"),
        ({"N": 0}, "N must be a positive whole number, not 0"),
        ({"vocabsize": -1}, "vocabsize must be a positive whole number, not -1"),
        ({"max_seq_len": 8.0}, "max_seq_len must be a positive whole number, not 8.0"),
        ({"B": True}, "B must be a positive whole number, not True"),
        ({"H": None}, "H must be a positive whole number, not None"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1, not 1.0"),
        ({"dropout": -0.1}, "dropout must be at least 0 and below 1, not -0.1"),
        ({"dropout": float("nan")}, "dropout must be at least 0 and below 1, not nan"),
    ],
)
def test_impossible_shapes_are_refused_in_one_sentence(changes, words):
    with pytest.raises(ValueError, match=f"^{words}$"):
        GPTConfig(**changes)


def test_a_configuration_is_a_value():
    assert GPTConfig() == GPTConfig()
    assert len({GPTConfig(), GPTConfig(), GPTConfig(N=2)}) == 2
    with pytest.raises(AttributeError):
        GPTConfig().N = 3
