"""A folder written by transformers' `save_pretrained`, read without transformers.

`config.json` says what the network looks like, safetensors files hold its tensors. Everything that
can be checked is, from the headers, before the first weight is read: a checkpoint either loads
whole and right or is refused with a sentence. Weights kept as pickles are never opened, since
opening a pickle can run anything; the folder's own tokenizer files are not read.
"""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor
from torch.overrides import TorchFunctionMode

from model.config import GPTConfig
from model.files import CONFIG, INDEX, PICKLES, WEIGHTS, CheckpointError
from model.gpt import GPT, causal_mask
from model.memory import shortage
from model.trace import run_trace

# Our sizes, and the names transformers has for them.
SIZES = {
    "dmodel": "n_embd",
    "vocabsize": "vocab_size",
    "max_seq_len": "n_positions",
    "N": "n_layer",
    "H": "n_head",
}
# What transformers can be told to compute otherwise, and the values that mean what this network
# computes; the first of them is what a config.json means that says nothing.
OPTIONS = {
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "layer_norm_epsilon": (1e-5,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
}
ARCHITECTURES = ("GPT2LMHeadModel", "GPT2Model", "GPT2DoubleHeadsModel")

# LayerNorm squares the stream, and fp32 ends at 3e38: longer than this after one token, it would
# overflow after some other. GPT-2's reaches a few thousand.
LONGEST = 1e15

HEAD, TABLE = "lm_head.weight", "wte.weight"
FLOATS = ("F16", "BF16", "F32", "F64")
# The causal masks of old checkpoints, and the second head of a GPT2DoubleHeadsModel.
UNUSED = re.compile(r"h\.\d+\.attn\.(bias|masked_bias)|multiple_choice_head\..*")


class Item(NamedTuple):
    """A tensor a checkpoint must hold, and what becomes of it here."""

    name: str  # its name there, without the `transformer.` some checkpoints put in front
    shape: tuple[int, ...]  # its shape there
    ours: tuple[str, ...]  # the parameters it becomes; several share its last dimension evenly
    transposed: bool = False  # transformers' Conv1D keeps (in, out) where nn.Linear has (out, in)


class Stored(NamedTuple):
    """A tensor a checkpoint does hold, as its file's header describes it."""

    file: Path
    key: str  # its name in the file
    dtype: str  # in safetensors' words: F32, BF16, I64 ...
    shape: tuple[int, ...]


def load_folder(folder: Path) -> GPT:
    """The GPT in `folder`, in fp32. Any vocabulary size loads; token ids remain GPT-2's.

    Memory stays close to one copy of the weights: the network starts without any (on PyTorch's
    "meta" device), and each tensor is mapped, copied into its final form and unmapped.

    Raises:
        CheckpointError: if a file is missing, unreadable, damaged or not what config.json says, if
            a number is not finite or what is computed with them is not, or if the network asked
            for is not the one computed here.
    """
    settings = _read_json(folder / CONFIG)
    config = _read_config(folder / CONFIG, settings)
    stored = _stored_tensors(folder)
    items = _checked_items(folder, config, settings, stored)
    _check_memory(folder, items)
    with torch.device("meta"), _Unfilled():
        model = GPT(config)
    weights = {}
    for item in items:
        weights |= _read(stored[item.name], item)
    tied = HEAD not in weights
    model.load_state_dict({HEAD: weights[TABLE]} | weights, assign=True)
    if tied:  # assigning has made two parameters of one table
        model.lm_head.weight = model.wte.weight
    model.mask = causal_mask(config.max_seq_len)
    _check_answer(folder, model.eval())
    return model


# -------------------------------------------------------------------------------- config.json


def _read_json(path: Path) -> dict:
    _check_regular(path)
    try:
        settings = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise CheckpointError(f"{path.parent} has no {path.name}") from None
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} is not JSON ({error})") from None
    if not isinstance(settings, dict):
        raise CheckpointError(f"{path} holds a {type(settings).__name__} where {{...}} belongs")
    return settings


def _check_regular(path: Path) -> None:
    """A pipe would be waited on for ever, a device read without end."""
    if path.exists() and not path.is_file():
        raise CheckpointError(f"{path} cannot be read (it is no regular file)")


def _read_config(path: Path, settings: dict) -> GPTConfig:
    """The sizes in config.json, once it is sure that this network computes what it describes."""
    _check_kind(path, settings)
    for name in SIZES.values():
        size = settings.get(name)
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            said = f"is {size!r}" if name in settings else "is missing"
            raise CheckpointError(f"{path}: {name} {said}; it must be a positive whole number")
    width, heads = settings["n_embd"], settings["n_head"]
    if width % heads:
        raise CheckpointError(f"{path}: n_embd {width} does not split into n_head {heads} heads")
    _check_options(path, settings)
    return GPTConfig(**{ours: settings[theirs] for ours, theirs in SIZES.items()})


class _Unfilled(TorchFunctionMode):
    """Networks built in it skip what would fill a tensor; on "meta" there is nothing to fill.

    PyTorch would import 800 modules for that nothing: a second or two, and 80 MB.
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.nn.init.normal_:  # embedding tables
            return kwargs["tensor"]
        if func is torch.Tensor.tril:  # the causal mask
            return args[0]
        return func(*args, **kwargs)


def _check_memory(folder: Path, items: list[Item]) -> None:
    if short := shortage(sum(math.prod(item.shape) for item in items)):
        raise CheckpointError(f"{folder}: loading this model {short}")


def _check_kind(path: Path, settings: dict) -> None:
    kind = settings.get("model_type")
    if kind != "gpt2":
        raise CheckpointError(f"{path}: model_type is {kind!r}; only 'gpt2' can be loaded")
    said = settings.get("architectures") or list(ARCHITECTURES)
    if not isinstance(said, list):
        raise CheckpointError(f"{path}: architectures is {said!r}; it must be a list of names")
    if not set(ARCHITECTURES) & set(map(str, said)):
        raise CheckpointError(
            f"{path}: architectures is {said!r}, which does not predict tokens; "
            f"{', '.join(ARCHITECTURES)} can be loaded"
        )


def _check_options(path: Path, settings: dict) -> None:
    inner = {"n_inner": (None, 4 * settings["n_embd"])}
    for option, meant in (OPTIONS | inner).items():
        value = settings.get(option, meant[0])
        if value not in meant:
            raise CheckpointError(
                f"{path}: {option} is {value!r}; this network computes "
                f"{' or '.join(map(repr, meant))} only"
            )


# ------------------------------------------------------------------------------ names and shapes


def checkpoint_layout(config: GPTConfig) -> Iterator[Item]:
    """Every tensor a checkpoint of this shape must hold, in the order of the network."""
    D, F = config.dmodel, config.dff
    yield Item(TABLE, (config.vocabsize, D), (TABLE,))
    yield Item("wpe.weight", (config.max_seq_len, D), ("wpe.weight",))
    for i in range(config.N):
        there, here = f"h.{i}.", f"blocks.{i}."
        qkv = (here + "attn.wq", here + "attn.wk", here + "attn.wv")
        yield from _norm(there + "ln_1", D, here + "norm_1")
        yield from _conv1d(there + "attn.c_attn", (D, 3 * D), *qkv)
        yield from _conv1d(there + "attn.c_proj", (D, D), here + "attn.wo")
        yield from _norm(there + "ln_2", D, here + "norm_2")
        yield from _conv1d(there + "mlp.c_fc", (D, F), here + "ff.w1")
        yield from _conv1d(there + "mlp.c_proj", (F, D), here + "ff.w2")
    yield from _norm("ln_f", D, "norm")


def _norm(name: str, width: int, ours: str) -> Iterator[Item]:
    for kind in (".weight", ".bias"):
        yield Item(name + kind, (width,), (ours + kind,))


def _conv1d(name: str, shape: tuple[int, int], *ours: str) -> Iterator[Item]:
    yield Item(name + ".weight", shape, tuple(f"{m}.weight" for m in ours), transposed=True)
    yield Item(name + ".bias", shape[1:], tuple(f"{m}.bias" for m in ours))


def _checked_items(
    folder: Path, config: GPTConfig, settings: dict, stored: dict[str, Stored]
) -> list[Item]:
    """What to read, once the names, shapes and types in the files are those of `config`."""
    _check_depth(folder, config, stored)
    items = {item.name: item for item in checkpoint_layout(config)}
    if HEAD in stored or settings.get("tie_word_embeddings") is False:
        items[HEAD] = Item(HEAD, (config.vocabsize, config.dmodel), (HEAD,))
    _check_names(folder, items, stored)
    for name, item in items.items():
        _check_form(stored[name], item)
    if HEAD in items and _equal(stored[HEAD], stored[TABLE]):
        del items[HEAD]  # many tied checkpoints hold their one table twice
    # A head that differs counts, whatever config.json says of tying: so transformers has it.
    return list(items.values())


def _check_depth(folder: Path, config: GPTConfig, stored: dict[str, Stored]) -> None:
    """Said before anything else about names, since it explains the rest."""
    numbers = [int(found[1]) for name in stored if (found := re.match(r"h\.(\d+)\.", name))]
    depth = max(numbers, default=-1) + 1
    if depth != config.N:
        raise CheckpointError(
            f"{folder / CONFIG} says n_layer {config.N}, the weights beside it have {depth} blocks"
        )


def _check_names(folder: Path, items: dict[str, Item], stored: dict[str, Stored]) -> None:
    missing = [name for name in items if name not in stored]
    if missing:
        raise CheckpointError(
            f"{folder}: {len(missing)} of {len(items)} tensors are missing from the weights, "
            f"first {missing[0]}"
        )
    extra = [name for name in stored if name not in items and not UNUSED.fullmatch(name)]
    if extra:
        raise CheckpointError(
            f"{stored[extra[0]].file}: {len(extra)} of {len(stored)} tensors have no place in GPT-2"
            f", first {extra[0]}"
        )


def _check_form(stored: Stored, item: Item) -> None:
    if stored.dtype not in FLOATS:
        raise CheckpointError(
            f"{stored.file}: {item.name} is stored as {stored.dtype}; "
            f"weights are {', '.join(FLOATS)}"
        )
    if stored.shape != item.shape:
        raise CheckpointError(
            f"{stored.file}: {item.name} has shape {stored.shape}, {CONFIG} asks for {item.shape}"
        )


# --------------------------------------------------------------------------------- safetensors


def _stored_tensors(folder: Path) -> dict[str, Stored]:
    """Every tensor in the folder's weight files, under its name without `transformer.`."""
    found: dict[str, Stored] = {}
    for file in _weight_files(folder):
        for stored in _header(file):
            name = stored.key.removeprefix("transformer.")
            if name in found:
                raise CheckpointError(f"{file}: {name} is there twice; which one counts?")
            found[name] = stored
    return found


def _weight_files(folder: Path) -> list[Path]:
    if (folder / WEIGHTS).exists():
        _check_regular(folder / WEIGHTS)
        return [folder / WEIGHTS]
    if (folder / INDEX).exists():
        return _shards(folder / INDEX)
    pickle = next((name for name in PICKLES if (folder / name).exists()), None)
    if pickle:
        raise CheckpointError(
            f"{folder} has only {pickle}, a pickle, and opening one can run anything; "
            f"save the model again as {WEIGHTS}"
        )
    raise CheckpointError(f"{folder} has no {WEIGHTS}")


def _shards(index: Path) -> list[Path]:
    """The files an index names, each of which must lie beside it."""
    places = _read_json(index).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise CheckpointError(f"{index} has no weight_map to say where the tensors lie")
    names = sorted(set(map(str, places.values())))
    for name in names:
        if Path(name).name != name or not (index.parent / name).is_file():
            raise CheckpointError(
                f"{index} names {len(names)} files of weights, but {name!r} is not beside it"
            )
    return [index.parent / name for name in names]


@contextmanager
def _opened(file: Path):
    """The file mapped into memory until the `with` ends; its errors as sentences."""
    try:
        with safe_open(file, "pt") as tensors:
            yield tensors
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read ({error})") from None
    except SafetensorError as error:
        raise CheckpointError(
            f"{file} is cut short or no safetensors file "
            f"({file.stat().st_size:,} bytes; {error}): copy or download it again"
        ) from None


def _header(file: Path) -> list[Stored]:
    with _opened(file) as tensors:
        parts = {key: tensors.get_slice(key) for key in tensors.offset_keys()}
        return [
            Stored(file, key, part.get_dtype(), tuple(part.get_shape()))
            for key, part in parts.items()
        ]


def _equal(one: Stored, other: Stored) -> bool:
    with _opened(one.file) as first, _opened(other.file) as second:
        return one.dtype == other.dtype and torch.equal(
            first.get_tensor(one.key), second.get_tensor(other.key)
        )


def _read(stored: Stored, item: Item) -> dict[str, Tensor]:
    """Our parameters from one stored tensor, as fp32 copies that do not lean on the file.

    Each tensor opens the file anew: closing gives the mapped pages back, and what becomes of the
    file later cannot reach a model in use.
    """
    with _opened(stored.file) as tensors:
        values = tensors.get_tensor(stored.key).float()
    _check_finite(stored, item, values)
    parts = values.chunk(len(item.ours), dim=-1)
    return {
        name: (part.T if item.transposed else part).clone(memory_format=torch.contiguous_format)
        for name, part in zip(item.ours, parts, strict=True)
    }


def _check_finite(stored: Stored, item: Item, values: Tensor) -> None:
    if values.sum().isfinite():  # one number in a sum that is not finite shows in it
        return
    odd = values.numel() - int(values.isfinite().sum())
    if odd:  # else large numbers have overflowed the sum
        raise CheckpointError(
            f"{stored.file}: {odd:,} of {values.numel():,} numbers in {item.name} are not finite"
        )


def _check_answer(folder: Path, model: GPT) -> None:
    """One token is read: finite weights can still be so large that what they compute is not."""
    trace = run_trace(model, [0])
    length = trace.residual.norm(dim=-1).max().item()
    odd = trace.logits.numel() - int(trace.logits.isfinite().sum())
    if odd or not length <= LONGEST:  # NaN is not
        raise CheckpointError(
            f"{folder}: the weights are too large to compute with: after one token the norm of "
            f"the stream is {length:.0e} and {odd:,} of {trace.logits.numel():,} logits are not "
            "finite"
        )
