"""From files that the system has in memory to the first token read: seconds, and peak memory.

Each load runs in a process of its own, so that peak memory means something, and after PyTorch is
imported, which takes a second or two whoever loads. One token is read because transformers leaves
the weights in the file until they are used. A checkpoint of GPT-2 Small's shape.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
MEASURE = """
import json, resource, sys, time
import torch
torch.set_num_threads(2)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux counts in KiB
before, start = peak(), time.perf_counter()
{load}
model(torch.tensor([[0]]))
print(json.dumps({{"seconds": time.perf_counter() - start, "bytes": peak() - before}}))
"""
SIDES = {
    "glassbox": "from model.checkpoint import load_model; model = load_model(sys.argv[1])",
    "transformers": (
        "from transformers import GPT2LMHeadModel; "
        "model = GPT2LMHeadModel.from_pretrained(sys.argv[1], dtype=torch.float32).eval()"
    ),
}


def bench(repeats: int) -> list[dict]:
    """One row a side; the sides take turns, the first round only warms the file up."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = full_shape(Path(scratch))
        size = (folder / "model.safetensors").stat().st_size
        rounds = [{side: _load(side, folder) for side in SIDES} for _ in range(1 + repeats)][1:]
    return [_row(side, [each[side] for each in rounds], size) for side in SIDES]


def full_shape(folder: Path) -> Path:
    """A checkpoint of GPT-2 Small's shape with random weights, written to `folder`."""
    from tests.checkpoints import random_gpt2

    random_gpt2().save_pretrained(folder)
    return folder


def _load(side: str, folder: Path) -> dict[str, float]:
    code = MEASURE.format(load=SIDES[side])
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _row(side: str, runs: list[dict[str, float]], size: int) -> dict:
    return {
        "side": side,
        "best_seconds": min(run["seconds"] for run in runs),
        "median_seconds": median(run["seconds"] for run in runs),
        "peak_bytes": max(run["bytes"] for run in runs),
        "peak_by_file": max(run["bytes"] for run in runs) / size,
    }


def table(rows: list[dict]) -> str:
    """The rows as text, for people."""
    lines = [f"{'side':<14} {'best':>9} {'median':>9} {'beyond torch':>13} {'by the file':>12}"]
    lines += [
        f"{row['side']:<14} {row['best_seconds']:>7.2f} s {row['median_seconds']:>7.2f} s "
        f"{row['peak_bytes'] / 1e9:>10.2f} GB {row['peak_by_file']:>12.2f}"
        for row in rows
    ]
    return "\n".join(lines)
