"""Loss curves of training runs: `python -m model.mini.curves "6 blocks, 192 wide=runs/mini" ...`.

The logs are thinned and put beside the built-in model, so that the page can draw them. Where one
run went on from another, `NAME=FIRST,SECOND` draws them as one; where the first one's log is gone,
`--append` draws the others after its curve.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

from model.mini.asset import FOLDER

FILE = "curves.json"
POINTS = 200  # of a curve, at most


@dataclass(frozen=True)
class Curve:
    """How the loss of one run went.

    Attributes:
        name: what was trained.
        minutes: of work on two processor cores, ascending.
        losses: the mean training loss up to then since the point before, nats a token.
    """

    name: str
    minutes: tuple[float, ...]
    losses: tuple[float, ...]


def read_log(name: str, *folders: Path) -> Curve:
    """The curve of the runs that `model.mini.train` logged in `folders`, one after another."""
    records: list[dict] = []
    for folder in folders:
        before = records[-1]["seconds"] if records else 0.0
        for record in _logged(folder):
            records.append({**record, "seconds": record["seconds"] + before})
    minutes = tuple(round(record["seconds"] / 60, 2) for record in records)
    return thinned(Curve(name, minutes, tuple(round(record["loss"], 3) for record in records)))


def thinned(curve: Curve) -> Curve:
    """The same in POINTS points at most: each the end and the mean of some that follow another."""
    size = -(-len(curve.minutes) // POINTS)  # rounded up
    starts = range(0, len(curve.minutes), size)
    groups = [curve.losses[start : start + size] for start in starts]
    minutes = tuple(curve.minutes[start : start + size][-1] for start in starts)
    return Curve(curve.name, minutes, tuple(round(sum(g) / len(g), 3) for g in groups))


def _logged(folder: Path) -> list[dict]:
    """The lines of a log, without those that a stopped run did again from its checkpoint on."""
    records: list[dict] = []
    for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        while records and records[-1]["step"] >= record["step"]:
            records.pop()
        records.append(record)
    return records


def shipped_curves(folder: Path = FOLDER) -> list[Curve]:
    """The curves that ship; the first is the built-in model's own."""
    parts = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return [Curve(p["name"], tuple(p["minutes"]), tuple(p["losses"])) for p in parts]


def appended(curve: Curve, later: Curve) -> Curve:
    """Two curves as one, the second going on where the first ends."""
    end = curve.minutes[-1]
    minutes = (*curve.minutes, *(round(minute + end, 2) for minute in later.minutes))
    return thinned(Curve(curve.name, minutes, curve.losses + later.losses))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m model.mini.curves", description=__doc__)
    parser.add_argument(
        "runs", nargs="+", metavar="NAME=FOLDER,...", help="the built-in model's first"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the curves go")
    parser.add_argument("--append", action="store_true", help="go on from curves that are there")
    args = parser.parse_args()
    named = [run.rpartition("=")[::2] for run in args.runs]
    curves = [read_log(name, *map(Path, paths.split(","))) for name, paths in named]
    if args.append:
        later = {curve.name: curve for curve in curves}
        known = shipped_curves(args.folder)
        # The first of a name is meant: a trial of the same shape may come after it.
        curves = [appended(c, later.pop(c.name)) if c.name in later else c for c in known]
    text = json.dumps([vars(curve) for curve in curves])
    (args.folder / FILE).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
