"""A trace of one token more against tracing it all anew, on GPT-2 Small's shape.

The sides take turns, so that whatever else the machine does falls on all of them; the best run of
each counts. The first append copies the stream besides, and so does another continuation.
"""

import time
from collections.abc import Callable
from functools import partial

from tests.bench.model import THREADS, example_ids

TOKENS = 512
SIDES = ("traced anew", "first append", "next append", "another continuation")


def bench(repeats: int) -> list[dict]:
    """One row a side, with its time as a ratio to tracing anew."""
    import torch

    from model import GPT, GPTConfig, extended, run_trace

    torch.set_num_threads(THREADS)
    model, ids = GPT(GPTConfig()), example_ids(TOKENS + 1)
    runs = []
    for _ in range(repeats + 1):
        anew, _ = _timed(partial(run_trace, model, ids))
        trace = run_trace(model, ids[:-1])
        first, longer = _timed(partial(extended, trace, ids[-1]))
        following, _ = _timed(partial(extended, longer, 1))
        another, _ = _timed(partial(extended, trace, 2))
        runs.append((anew, first, following, another))
    best = [min(seconds) for seconds in zip(*runs[1:], strict=True)]  # the first run warms up
    return [
        {"side": side, "tokens": TOKENS, "best_seconds": seconds, "ratio": seconds / best[0]}
        for side, seconds in zip(SIDES, best, strict=True)
    ]


def _timed(run: Callable) -> tuple[float, object]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def table(rows: list[dict]) -> str:
    """The rows as text, for people."""
    lines = [f"One token appended to {TOKENS}"]
    lines += [
        f"{row['side']:<20} {row['best_seconds']:>7.3f} s {row['ratio']:>6.3f}" for row in rows
    ]
    return "\n".join(lines)
