"""The tour of known circuits: where it stops, and what was published about each stop."""

import json
from dataclasses import dataclass
from pathlib import Path

STOPS_FILE = Path(__file__).parents[1] / "assets" / "tour.json"


@dataclass(frozen=True)
class Stop:
    """One circuit: a prompt, the place to look at, and how it is measured."""

    name: str
    title: str
    prompt: str
    reader: tuple[str, int]  # the token in focus, and which of its kind, from 1
    score: str  # what is measured: one of SCORES
    heads: tuple[str, ...]  # as published for GPT-2 Small, "layer.head"
    look: str  # two sentences on what to look for
    published: str
    source: str
    read: tuple[str, int] | None = None  # the token read, where a pair is looked at
    answer: tuple[str, str] | None = None  # the token pushed, and the one it is pushed against
    below: str | None = None  # the stop whose best head reads what these heads write


# What a stop's number says, for people.
SCORES = {
    "previous": "attention to the previous token, on repeated random tokens",
    "duplicate": "attention to the earlier copy, on repeated random tokens",
    "induction": "attention to what followed the earlier copy, on repeated random tokens",
    "first": "attention to the first token, on repeated random tokens",
    "reads": "attention from {reader} to {read}",
    "pushes": "push of {answer} over {against} by heads that look at the name, in logits",
    "entry": "the largest number in the stream at the first token",
}
ENOUGH = {"pushes": 0.3}  # logits; of attention shares, ENOUGH_ATTENTION: below, no such head
ENOUGH_ATTENTION = 0.3


def threshold(stop: Stop) -> float:
    """The score from which a head shows what the stop is about."""
    return ENOUGH.get(stop.score, ENOUGH_ATTENTION)


def enough(stop: Stop, value: float) -> bool:
    """Whether a head with this score shows what the stop is about."""
    return value >= threshold(stop)


def _read() -> tuple[Stop, ...]:
    entries = json.loads(STOPS_FILE.read_text(encoding="utf-8"))
    lists = ("reader", "heads", "read", "answer")
    return tuple(
        Stop(**{name: tuple(v) if name in lists else v for name, v in entry.items()})
        for entry in entries
    )


STOPS = {stop.name: stop for stop in _read()}


def neighbours(name: str) -> tuple[str | None, str | None]:
    """The stops before and after, None at the ends."""
    names = list(STOPS)
    at = names.index(name)
    before = names[at - 1] if at else None
    return before, names[at + 1] if at + 1 < len(names) else None
