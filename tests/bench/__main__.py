"""Measurements, printed as a table and written as JSON: python -m tests.bench [--only model]"""

import argparse
import json
from pathlib import Path

from tests.bench import extend, loading, memory, model, page

PARTS = {
    "model": (model, lambda options: model.bench(options.sizes, options.repeats)),
    "loading": (loading, lambda options: loading.bench(options.repeats)),
    "page": (page, lambda _: page.bench()),
    "extend": (extend, lambda options: extend.bench(options.repeats)),
    "memory": (memory, lambda options: memory.bench()),
}


def main() -> None:
    options = _parser().parse_args()
    results = {}
    for name, (part, bench) in PARTS.items():
        if options.only in (None, name):
            results[name] = bench(options)
            print(part.table(results[name]))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="one part of the measurements")
    parser.add_argument("--sizes", type=int, nargs="+", default=model.SIZES, metavar="TOKENS")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each side; the best counts")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers there too")
    return parser


if __name__ == "__main__":
    main()
