"""Trace and lens against the usual way: transformers, then head, softmax and top 10 by hand.

Every side runs in a process of its own, so that peak memory means something, with two threads and
random weights of GPT-2 Small's shape. The sides take turns, run by run, so that whatever else the
machine does falls on all of them; the best run of each counts. Ratios, unlike seconds, can be
compared between machines.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

SIZES = (16, 64, 256, 1024)
THREADS = 2
K = 10
ROOT = Path(__file__).parents[2]


def ours(size: int, rows: range) -> Callable[[], None]:
    """run_trace, then the lens on `rows` at every position."""
    from model import GPT, GPTConfig, logit_lens, run_trace
    from model.gpt import init_weights

    model, ids = GPT(GPTConfig()), example_ids(size)
    init_weights(model)

    def run() -> None:
        logit_lens(model, run_trace(model, ids), k=K, rows=rows)

    return run


def usual(size: int, way: str) -> Callable[[], list]:
    """transformers with attentions and hidden states, then the 13 states through the head.

    Notebooks write it in three ways: each state in turn, its logits and probabilities "kept" to be
    plotted; all states "at once"; or in turn with only the top 10 kept, which is the "leanest".
    """
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(attn_implementation="eager")).eval()
    ids = torch.tensor([example_ids(size)])

    @torch.no_grad()
    def run() -> list:
        out = model(ids, output_attentions=True, output_hidden_states=True, use_cache=False)
        *states, last = out.hidden_states  # the last has been through the final norm already
        normed = [*map(model.transformer.ln_f, states), last]
        if way == "kept":
            logits = [model.lm_head(state) for state in normed]
            probs = [each.softmax(dim=-1) for each in logits]
            return [logits, probs, [each.topk(K) for each in probs]]
        parts = [torch.cat(normed)] if way == "at once" else normed
        return [model.lm_head(part).softmax(dim=-1).topk(K) for part in parts]

    return run


def floor(size: int) -> Callable[[], None]:
    """Nothing but the matrix products of the pass and of 13 rows through the head, well cut."""
    import torch

    from model import GPT2_SIZES
    from model.blockwise import BLOCK, CELLS

    config = GPT2_SIZES["gpt2"]
    shapes = [*[(config.dmodel, config.dmodel)] * 4, (config.dmodel, config.dff)]
    layers = [torch.randn(shape) for shape in [*shapes, (config.dff, config.dmodel)]]
    inputs = {width: torch.randn(size, width) for width in (config.dmodel, config.dff)}
    heads, pattern = torch.randn(config.H, size, config.dk), torch.empty(config.H, size, size)
    states = torch.randn((config.N + 1) * size, config.dmodel).split(CELLS)
    words = torch.randn(config.vocabsize, config.dmodel).split(BLOCK)
    logits = torch.empty(CELLS, BLOCK)

    @torch.no_grad()
    def run() -> None:
        for _ in range(config.N):
            for layer in layers:
                inputs[layer.shape[0]] @ layer
            torch.bmm(heads, heads.transpose(1, 2), out=pattern)
            torch.bmm(pattern, heads)
        for some in states:
            for block in words:
                torch.mm(some, block.T, out=logits[: len(some), : len(block)])

    return run


SIDES = {
    "glassbox, 13 rows": lambda size: ours(size, range(0, 25, 2)),
    "glassbox, 25 rows": lambda size: ours(size, range(25)),
    "transformers, kept": lambda size: usual(size, "kept"),
    "transformers, at once": lambda size: usual(size, "at once"),
    "transformers, leanest": lambda size: usual(size, "leanest"),
    "matrix products": floor,
}
YARDSTICKS = [side for side in SIDES if side.startswith("transformers")]


def example_ids(size: int) -> list[int]:
    """`size` token ids, some of them more than once, the same in every run."""
    return [(i * i * 7919 + i) % 50257 for i in range(size)]


def serve(side: str, size: int) -> None:
    """Run one side once for every line on stdin; answer with the seconds and the peak memory."""
    import torch

    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    run = SIDES[side](size)
    for _ in sys.stdin:
        start = time.perf_counter()
        run()
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux counts in KiB
        print(json.dumps({"seconds": seconds, "peak_bytes": peak}), flush=True)


def measure(size: int, repeats: int) -> dict[str, dict[str, float]]:
    """Each side's best and median seconds and peak memory at one prompt length."""
    servers = {}
    try:
        for side in SIDES:  # one after another: the first run warms up, and two would collide
            servers[side] = _start(side, size)
            _ask(servers[side])
        runs = [{side: _ask(server) for side, server in servers.items()} for _ in range(repeats)]
    finally:
        for server in servers.values():
            server.communicate()
    return {side: _summary([run[side] for run in runs], size) for side in SIDES}


def _start(side: str, size: int) -> subprocess.Popen:
    command = [sys.executable, "-m", "tests.bench.model", side, str(size)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, text=True, stdin=pipe, stdout=pipe)


def _ask(server: subprocess.Popen) -> dict[str, float]:
    server.stdin.write("\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


def _summary(runs: list[dict[str, float]], size: int) -> dict[str, float]:
    seconds = [run["seconds"] for run in runs]
    return {
        "tokens": size,
        "best_seconds": min(seconds),
        "median_seconds": median(seconds),
        "peak_bytes": max(run["peak_bytes"] for run in runs),
    }


def bench(sizes: list[int], repeats: int) -> list[dict]:
    """One row a prompt length and side, with its time as a ratio to each of the YARDSTICKS'."""
    rows = []
    for size in sizes:
        sides = measure(size, repeats)
        for side, numbers in sides.items():
            ratios = {
                way: numbers["best_seconds"] / sides[way]["best_seconds"] for way in YARDSTICKS
            }
            rows.append({"side": side, **numbers, "ratios": ratios})
    return rows


def table(rows: list[dict]) -> str:
    """The rows as text, for people."""
    ways = " ".join(f"{'of ' + way.split(', ')[1]:>11}" for way in YARDSTICKS)
    lines = [f"{'tokens':>6}  {'side':<22} {'best':>9} {'median':>9} {'peak':>8} {ways}"]
    for row in rows:
        ratios = " ".join(f"{ratio:>11.2f}" for ratio in row["ratios"].values())
        lines.append(
            f"{row['tokens']:>6,}  {row['side']:<22} {row['best_seconds']:>7.3f} s "
            f"{row['median_seconds']:>7.3f} s {row['peak_bytes'] / 1e9:>5.2f} GB {ratios}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
