"""What the server holds after many prompts: its caches are bounded, so 200 take what 20 took.

A process of its own asks the pages' cached functions as a visitor's clicks do, each prompt from a
new thread, as Streamlit runs every repaint in one: memory that the allocator keeps for each thread
shows here too.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOKENS = 64
PROMPTS = (20, 200)
ROOT = Path(__file__).parents[2]


def bench() -> list[dict]:
    """One row for each number of prompts, with the memory as a ratio to that after the fewest."""
    command = [sys.executable, "-m", "tests.bench.memory"]
    done = subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE)
    sizes = json.loads(done.stdout)
    return [
        {"prompts": count, "tokens": TOKENS, "rss_bytes": size, "ratio": size / sizes[0]}
        for count, size in zip(PROMPTS, sizes, strict=True)
    ]


def measure() -> list[int]:
    """Resident bytes after each number of prompts."""
    import torch

    torch.set_num_threads(1)  # matters to time alone, and on a busy machine a great deal
    sizes = []
    for number in range(1, PROMPTS[-1] + 1):
        with ThreadPoolExecutor(1) as thread:
            thread.submit(visit, number).result()
        if number in PROMPTS:
            sizes.append(resident_bytes())
    return sizes


def visit(number: int) -> None:
    """Ask for what the panels show of prompt `number`, a different one for each."""
    from viz.pages import engine

    source = engine.BUILT_IN
    config, ids = engine.model(source).config, prompt(number)
    layer, positions = number % config.N, tuple(range(TOKENS - 8, TOKENS))
    rows = tuple(range(2 * config.N + 1))
    engine.trace(source, ids)
    engine.labels(ids)
    engine.attention(source, ids, layer)
    engine.lens(source, ids, rows, positions, 10)
    engine.last_row_error(source, ids, TOKENS - 1)
    engine.head_pushes(source, ids, (layer, 0), TOKENS - 1, 10)
    engine.mlp(source, ids, layer)
    engine.neuron_pushes(source, ids, layer, neuron=number, token=TOKENS - 1, k=10)
    engine.writes(source, ids)
    engine.read_norms(source, ids)
    engine.largest_entries(source, ids, 10)
    engine.logits(source, ids, TOKENS - 1)


def prompt(number: int) -> tuple[int, ...]:
    """TOKENS ids of GPT-2's vocabulary."""
    return tuple(
        (number * 7919 + position * position * 104729) % 50257 for position in range(TOKENS)
    )


def resident_bytes() -> int:
    """What this process holds in memory now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def table(rows: list[dict]) -> str:
    """The rows as text, for people."""
    lines = [f"Memory after different prompts of {TOKENS} tokens, the built-in model"]
    lines += [
        f"{row['prompts']:>4} prompts {row['rss_bytes'] / 1e6:>7.0f} MB {row['ratio']:>6.3f}"
        for row in rows
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(json.dumps(measure()))
