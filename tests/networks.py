"""Small networks to test with, every weight drawn, biases and norms too: none can be mixed up."""

import torch

from model import GPT, GPTConfig

SMALL = {"dmodel": 32, "vocabsize": 97, "max_seq_len": 96, "N": 3, "H": 4}


def random_gpt(**changes) -> GPT:
    """A GPT in eval mode, the same at every call; lively enough that attention is not flat."""
    generator = torch.Generator().manual_seed(0)
    model = GPT(GPTConfig(**SMALL | changes)).eval()
    for name, weight in model.named_parameters():
        noise = torch.randn(weight.shape, generator=generator)
        centre = 1.0 if "norm" in name and name.endswith("weight") else 0.0
        weight.data = centre + 0.3 * noise
    model.lm_head.weight = model.wte.weight
    return model.requires_grad_(False)


def random_ids(count: int, seed: int = 0, vocabsize: int = SMALL["vocabsize"]) -> list[int]:
    """`count` token ids, some of them more than once."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, vocabsize, (count,), generator=generator).tolist()
