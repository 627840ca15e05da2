"""One prompt read by one model: what the command line shows, tells as JSON, saves as tensors."""

import json
import math
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from model.gpt import GPT
from model.lens import Lens, logit_lens
from model.tokenizer import Piece, Tokenizer
from model.trace import Trace, run_trace


@dataclass(frozen=True, eq=False)
class Report:
    """S tokens; P positions in the lens: all of them, or the last alone."""

    source: str  # what the model was loaded from
    prompt: str
    pieces: tuple[Piece, ...]  # S
    trace: Trace
    lens: Lens
    logits: Tensor  # (S, vocabsize), from a plain run of the model
    checks: dict[str, float]  # measured errors: the trace's, and "lens"


def make_report(
    model: GPT,
    source: str,
    prompt: str,
    ids: list[int],
    *,
    k: int,
    target: int | None,
    everywhere: bool,
) -> Report:
    """Run `ids`, the tokens of `prompt`, through the model and its lens, with k guesses a cell.

    Args:
        everywhere: take the lens at every position; else at the last one alone, which is fast.
    Raises:
        ValueError: if the model cannot read `ids`, or `k` or `target` lie outside its vocabulary.
    """
    trace = run_trace(model, ids)
    positions = range(len(ids)) if everywhere else [len(ids) - 1]
    lens = logit_lens(model, trace, k=k, positions=positions, target=target)
    with torch.no_grad():
        logits = model(torch.tensor([ids]))[0]  # no hooks in this one: the lens is held against it
    checks = {**trace.checks, "lens": _lens_error(lens, logits)}
    return Report(source, prompt, Tokenizer().pieces(ids), trace, lens, logits, checks)


def _lens_error(lens: Lens, logits: Tensor) -> float:
    """The largest difference between a probability in the lens' last row and the model's own."""
    rows = logits[list(lens.positions)]  # (P, vocabsize)
    guesses = torch.from_numpy(lens.ids[-1])  # (P, k)
    probs = (rows.gather(1, guesses) - rows.logsumexp(dim=-1, keepdim=True)).exp()
    return (probs - torch.from_numpy(lens.probs[-1])).abs().max().item()


# ------------------------------------------------------------------------------------------ JSON


def as_json(report: Report) -> str:
    """One JSON object in ASCII: model, prompt, tokens, target, lens, checks.

    A token's text is null where its bytes are only part of a character; a number that is not
    finite is null too, since JSON has no word for it.
    """
    lens = report.lens
    known = np.unique(lens.ids).tolist()  # far fewer than cells
    pieces = {token: alone(token) for token in known}
    told = {
        "model": {"source": report.source, **asdict(report.trace.config)},
        "prompt": report.prompt,
        "tokens": [_token(piece) for piece in report.pieces],
        "target": None if lens.target is None else _token(alone(lens.target)),
        "lens": [_row(lens, row, pieces) for row in range(len(lens.rows))],
        "checks": {name: _number(error) for name, error in report.checks.items()},
    }
    return json.dumps(told, allow_nan=False)


def alone(token: int) -> Piece:
    """A token on its own, not as part of a text."""
    return Tokenizer().pieces([token])[0]


def _token(piece: Piece) -> dict:
    return {"id": piece.id, "text": piece.text, "bytes": piece.raw.hex()}


def _row(lens: Lens, row: int, pieces: dict[int, Piece]) -> dict:
    cells = [_cell(lens, (row, column), pieces) for column in range(len(lens.positions))]
    return {"writer": lens.writers[row], "positions": cells}


def _cell(lens: Lens, at: tuple[int, int], pieces: dict[int, Piece]) -> dict:
    guesses = zip(lens.ids[at].tolist(), lens.probs[at], strict=True)
    cell = {
        "top": [{"id": i, "text": pieces[i].text, "prob": _number(p)} for i, p in guesses],
        "entropy": _number(lens.entropy[at]),
        "kl": _number(lens.kl[at]),
    }
    if lens.target is not None:
        cell |= {"rank": int(lens.rank[at]), "target_prob": _number(lens.target_prob[at])}
    return cell


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


# --------------------------------------------------------------------------------------- tensors


def check_destination(path: Path) -> None:
    """Raise ValueError if no file could be saved at `path`; said before the work, not after it."""
    if path.exists() and not path.is_file():
        # Saving puts a new file in place of the old one, which must not happen to a device.
        raise ValueError(f"{path} exists and is no ordinary file, so nothing can be saved there")
    if not path.parent.is_dir():
        raise ValueError(f"{path} cannot be saved: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be saved: the folder {path.parent} is not writable")


def save(report: Report, path: Path) -> None:
    """Write the report's tensors to a safetensors file, all fp32 or int64.

    ids (S,), residual (2N+1, S, dmodel), attention.{i} (H, S, S), logits (S, vocabsize),
    lens.ids and lens.probs (2N+1, P, k); prompt, model, config and writers are in its metadata.

    Raises:
        ValueError: if the file cannot be written.
    """
    trace, lens = report.trace, report.lens
    tensors = {
        "ids": torch.tensor(trace.ids),
        "residual": trace.residual,
        "logits": report.logits,
        "lens.ids": torch.from_numpy(lens.ids),
        "lens.probs": torch.from_numpy(lens.probs),
        **{f"attention.{i}": trace.attention(i) for i in range(trace.config.N)},
    }
    about = {
        "prompt": report.prompt,
        "model": report.source.encode(errors="backslashreplace").decode(),
        "config": json.dumps(asdict(trace.config)),
        "writers": json.dumps(trace.writers),
    }
    try:
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path, about)
        path.chmod(0o666 & ~_umask())  # the library writes for the owner alone
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path} cannot be saved ({error})") from None


def _umask() -> int:
    """What the person's shell withholds from new files; asking for it means setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
