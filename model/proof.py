"""Are these OpenAI's weights? Each tensor of a loaded network against its published fingerprint.

What is hashed is the network in memory, put back into the layout of the checkpoint it came from:
so the answer speaks of the very numbers that run, not of a file that may have changed since.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from model.folder import HEAD, Item, checkpoint_layout
from model.gpt import GPT

RELEASE = Path(__file__).parents[1] / "assets" / "gpt2_small_tensor_sha1.json"
SAME, VALUES, SHAPE = "same", "other values", "other shape"
MISSING, EXTRA = "missing", "not in the release"


@dataclass(frozen=True)
class Compared:
    """One tensor of the release or of the network, and how the two compare."""

    name: str  # as the checkpoint calls it
    shape: tuple[int, ...]  # the network's; the release's where the network has none
    verdict: str  # one of the five above


@dataclass(frozen=True)
class Proof:
    """The comparison of a whole network with a release."""

    tensors: tuple[Compared, ...]

    @property
    def different(self) -> tuple[Compared, ...]:
        """All that is not the same, bit for bit."""
        return tuple(tensor for tensor in self.tensors if tensor.verdict != SAME)

    @property
    def holds(self) -> bool:
        """Whether the network is the release, bit for bit."""
        return not self.different


@cache
def openai_release() -> Mapping[str, dict]:
    """Fingerprints of GPT-2 Small's 148 tensors: name -> shape and sha1, or the sha1 of halves."""
    return json.loads(RELEASE.read_text(encoding="utf-8"))["tensors"]


def prove(model: GPT, release: Mapping[str, dict] | None = None) -> Proof:
    """Compare every tensor of `model` with `release` (OpenAI's GPT-2 Small unless given)."""
    release = openai_release() if release is None else release
    items = {_name(item): item for item in _items(model)}
    compared = [_compare(name, items.get(name), model, release.get(name)) for name in release]
    extra = [_compare(name, items[name], model, None) for name in items if name not in release]
    return Proof(tuple(compared + extra))


def _items(model: GPT) -> list[Item]:
    tied = model.lm_head.weight is model.wte.weight
    items = list(checkpoint_layout(model.config))
    return items if tied else [*items, Item(HEAD, tuple(model.lm_head.weight.shape), (HEAD,))]


def _name(item: Item) -> str:
    """The release's list calls the table of positions by its first name."""
    return "wpe" if item.name == "wpe.weight" else item.name


def _compare(name: str, item: Item | None, model: GPT, expected: dict | None) -> Compared:
    if item is None:
        return Compared(name, tuple(expected["shape"]), MISSING)
    if expected is None:
        return Compared(name, item.shape, EXTRA)
    if item.shape != tuple(expected["shape"]):
        return Compared(name, item.shape, SHAPE)
    parts = 2 if "sha1_first_half" in expected else 1
    hashes = [value for key, value in sorted(expected.items()) if key.startswith("sha1")]
    same = fingerprints(as_stored(model, item), parts) == hashes
    return Compared(name, item.shape, SAME if same else VALUES)


def as_stored(model: GPT, item: Item) -> Tensor:
    """A tensor of the checkpoint, put together again from the parameters it has become."""
    parts = [model.get_parameter(name) for name in item.ours]
    if len(parts) == 1 and not item.transposed:
        return parts[0]
    return torch.cat([part.T if item.transposed else part for part in parts], dim=-1)


def fingerprints(tensor: Tensor, parts: int = 1) -> list[str]:
    """SHA-1 of 'blob <n>\\0' and the n bytes of the values, as little-endian fp32 in C order.

    With more than one part the bytes are cut into that many runs of equal length.
    """
    values = tensor.detach().float().cpu().contiguous().numpy().astype("<f4", copy=False)
    raw = memoryview(values).cast("B")
    size = len(raw) // parts
    return [_sha1(raw[start : start + size]) for start in range(0, len(raw), size)]


def _sha1(raw: memoryview) -> str:
    digest = hashlib.sha1(b"blob %d\0" % len(raw), usedforsecurity=False)
    digest.update(raw)
    return digest.hexdigest()
