"""The built-in model on disk: half-precision weights of the trained tokens, and what made them.

The vocabulary is stored compactly: one row for each trained token and one, the last, which stands
for every other. Loading spreads it over GPT-2's whole vocabulary, and a normal GPT comes out.
"""

import dataclasses
import json
import os
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from model.config import GPTConfig
from model.gpt import GPT

FOLDER = Path(__file__).parents[2] / "assets" / "mini"
WEIGHTS, CONFIG, SCORES = "model.safetensors", "config.json", "scores.json"
IDS = "trained_ids"


def save_asset(model: GPT, ids: tuple[int, ...], folder: Path, about: dict) -> None:
    """Write a model with a compact vocabulary to `folder`, replacing each file in one move.

    Args:
        model: vocabsize is `len(ids) + 1`; the last row stands for all tokens not in `ids`.
        ids: GPT-2's ids of the trained tokens, ascending.
        about: what the model was trained on, written beside the configuration.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {
        name: tensor.detach().to("cpu", torch.float16).contiguous()
        for name, tensor in model.state_dict().items()
        if name != "lm_head.weight"  # the same table as wte.weight
    }
    tensors[IDS] = torch.tensor(ids, dtype=torch.int32)
    config = {**dataclasses.asdict(model.config), "vocabsize": GPTConfig.vocabsize, "dropout": 0.0}
    text = json.dumps({"config": config, "about": about}, indent=2) + "\n"
    for name, write in (
        (WEIGHTS, lambda path: save_file(tensors, path)),
        (CONFIG, lambda path: path.write_text(text)),
    ):
        draft = folder / (name + ".new")
        write(draft)
        draft.chmod(0o644)
        os.replace(draft, folder / name)  # noqa: PTH105 - one move, also over an open file


def load_asset(folder: Path = FOLDER) -> GPT:
    """The built-in model: a GPT over GPT-2's whole vocabulary, fp32, in eval mode."""
    config = GPTConfig(**_read_config(folder)["config"])
    state, ids = load_compact(folder)
    state["wte.weight"] = spread_rows(state["wte.weight"], ids, config.vocabsize)
    state["lm_head.weight"] = state["wte.weight"]
    model = GPT(config)
    model.load_state_dict(state)
    return model.eval()


def load_compact(folder: Path) -> tuple[dict[str, Tensor], Tensor]:
    """The weights as stored, in fp32, and GPT-2's ids of the trained tokens, ascending."""
    with safe_open(folder / WEIGHTS, framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    ids = tensors.pop(IDS).long()
    return {name: tensor.float() for name, tensor in tensors.items()}, ids


def spread_rows(table: Tensor, ids: Tensor, whole: int) -> Tensor:
    """(len(ids) + 1, d) -> (whole, d): row i goes to ids[i], the last row to all the others."""
    spread = table[-1].repeat(whole, 1)
    spread[ids] = table[:-1]
    return spread


def trained_ids(folder: Path = FOLDER) -> frozenset[int]:
    """GPT-2's ids of the tokens the built-in model has seen in training."""
    with safe_open(folder / WEIGHTS, framework="pt") as file:
        return frozenset(file.get_tensor(IDS).tolist())


def about_asset(folder: Path = FOLDER) -> dict:
    """How the built-in model was trained: minutes, tokens, final loss, seeds; what "before" it."""
    return _read_config(folder)["about"]


def runs_of(about: dict) -> list[dict]:
    """The training runs behind a model, the last one first: each went on from the next."""
    before = about.get("before")
    return [about, *(runs_of(before) if before else [])]


def _read_config(folder: Path) -> dict:
    return json.loads((folder / CONFIG).read_text())


def save_scores(result: dict, folder: Path) -> None:
    """Keep a result beside the model, rounded, for the page."""
    rounded = json.loads(json.dumps(result), parse_float=lambda text: float(f"{float(text):.4g}"))
    (folder / SCORES).write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


def shipped_scores(folder: Path = FOLDER) -> dict:
    """What `evaluate` found for the model in `folder` when it was made."""
    return json.loads((folder / SCORES).read_text(encoding="utf-8"))
