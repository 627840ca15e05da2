"""Checkpoints to test with: random networks saved by transformers, and ways to change them.

A test module asks for the fixtures with `pytest_plugins = ["tests.checkpoints"]`.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

SMALL = {"n_layer": 2, "n_head": 4, "n_embd": 32, "n_positions": 24, "vocab_size": 97}


def random_gpt2(kind: str = "GPT2LMHeadModel", **settings):
    """transformers' network, every weight drawn, biases and norms too: none can be mixed up."""
    import transformers

    transformers.logging.disable_progress_bar()
    torch.manual_seed(0)
    config = transformers.GPT2Config(bos_token_id=None, eos_token_id=None, **settings)
    model = getattr(transformers, kind)(config).eval()
    for weight in model.parameters():
        weight.data += 0.05 * torch.randn_like(weight)
    return model


def logits_of_transformers(folder: Path, ids: Tensor) -> Tensor:
    """(B, S) -> (B, S, vocabsize): what transformers makes of the same folder, in fp32."""
    from transformers import GPT2LMHeadModel

    settings = {"dtype": torch.float32, "attn_implementation": "eager"}
    model = GPT2LMHeadModel.from_pretrained(folder, **settings).eval()
    with torch.no_grad():
        return model(ids).logits


def edit_tensors(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    """Let `change` work on the tensors of model.safetensors, in place."""
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})


def edit_config(folder: Path, **changes) -> None:
    """Set entries of config.json; an entry set to `...` is taken out."""
    path = folder / "config.json"
    settings = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({name: value for name, value in settings.items() if value != ...}))


@pytest.fixture(scope="session")
def saved_small(tmp_path_factory) -> Path:
    """A small checkpoint, to be left as it is."""
    folder = tmp_path_factory.mktemp("small")
    random_gpt2(**SMALL).save_pretrained(folder)
    return folder


@pytest.fixture
def checkpoint(saved_small, tmp_path) -> Path:
    """A small checkpoint of the test's own, to be changed at will."""
    return shutil.copytree(saved_small, tmp_path / "checkpoint")


@pytest.fixture(scope="session")
def reading_checkpoint(tmp_path_factory) -> Path:
    """A small checkpoint that knows all of GPT-2's tokens, for whatever starts from text."""
    folder = tmp_path_factory.mktemp("reading")
    random_gpt2(**SMALL | {"n_embd": 16, "vocab_size": 50257}).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def full_shape_checkpoint(tmp_path_factory) -> Iterator[Path]:
    """A checkpoint of GPT-2 Small's full shape (0.5 GB), random, to be left as it is."""
    folder = tmp_path_factory.mktemp("full")
    random_gpt2().save_pretrained(folder)
    yield folder
    shutil.rmtree(folder)
