"""What a visitor looks at: every choice in one frozen value, which the address bar carries."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from model import GPTConfig
from viz.diagram import block_of, boxes
from viz.tour import STOPS

PANELS = {
    "embedding": "Embedding",
    "attention": "Attention",
    "mlp": "MLP",
    "residual": "Residual stream",
    "lens": "Logit lens",
    "next": "Next token",
    "code": "Code",
}
LENS_LOOKS = {"table": "Table", "course": "Through depth", "cell": "One cell"}
LENS_COLOURS = {
    "probability": "probability",
    "entropy": "entropy",
    "kl": "KL to the final row",
    "rank": "place of the target",
}
LENS_ROWS = {"blocks": "block ends", "all": "every writer"}
MLP_VIEWS = {"active": "Most active", "neuron": "One neuron", "gelu": "GELU curve"}
STAGES = {"after": "after GELU", "before": "before GELU"}
EMBEDDINGS = {"added": "What is added", "nearest": "Nearest tokens", "positions": "Positions"}
MAP_SPANS = {"window": "around the token", "overview": "whole prompt"}
HEAD_LOOKS = {
    "pattern": "Pattern",
    "lines": "Lines",
    "steps": "Steps",
    "qkv": "Q K V",
    "writes": "What it writes",
}
POOLS = {"one": "this head", "mean": "mean of the block", "max": "largest in it"}
SINKS = {"show": "with first token", "hide": "without it", "renormalise": "the rest scaled to 1"}
STREAM_LOOKS = {"norms": "Norms", "writes": "Writes", "entries": "Largest entries"}
NORMED = {"before": "the stream itself", "after": "as read, after LayerNorm"}
SECTIONS = {  # of Learn, in the chapter's order
    "config": "Configuration",
    "embeddings": "Embeddings",
    "layernorm": "LayerNorm",
    "mlp": "MLP",
    "attention": "Attention",
    "residual": "Pre-norm",
    "block": "Block",
    "gpt": "GPT",
    "comparison": "Comparison",
    "sources": "Sources",
}
GRIDS = {  # what colours the grid of heads
    "pattern": "pattern",
    "previous": "previous token",
    "duplicate": "duplicate token",
    "induction": "induction",
    "first": "first token",
    "entropy": "entropy",
}
BOS = {"1": "<|endoftext|> in front"}
RANGES = {  # numbers to draw with: lowest, highest, type
    "temperature": (0.0, 2.0, float),
    "top_k": (1, 99, int),
    "top_p": (0.05, 0.99, float),
    "seed": (0, 999_999, int),
}
SORTED = {"1": "the highest score first"}
PRESENT = {"1": "one section a screen, in large type"}
CHOICES = {
    "panel": PANELS,
    "colour": LENS_COLOURS,
    "rows": LENS_ROWS,
    "lens": LENS_LOOKS,
    "span": MAP_SPANS,
    "mlp": MLP_VIEWS,
    "stage": STAGES,
    "embedding": EMBEDDINGS,
    "look": HEAD_LOOKS,
    "stream": STREAM_LOOKS,
    "normed": NORMED,
    "pool": POOLS,
    "sink": SINKS,
    "grid": GRIDS,
    "bos": BOS,
    "tour": STOPS,
    "section": SECTIONS,
    "present": PRESENT,
    "sort": SORTED,
}


@dataclass(frozen=True)
class View:
    """Choices as they stand in the URL. None means: not chosen, the page picks what shows most."""

    q: str  # the prompt
    bos: str | None = None  # "1": the special token goes in front of it
    tour: str | None = None  # the stop on the tour of known circuits
    model: str | None = None
    at: str | None = None  # the picked box
    head: int | None = None
    token: int | None = None  # the position in focus
    panel: str = "attention"
    colour: str = "probability"  # of the lens table
    rows: str = "blocks"  # of the lens table
    lens: str = "table"  # side of the lens shown
    target: int | None = None  # id of the token the lens follows; the model's best guess if None
    span: str = "window"  # of a long head map
    mlp: str = "active"  # side of the MLP shown
    stage: str = "after"  # of its activations
    neuron: int | None = None
    embedding: str = "added"  # side of the embedding shown
    look: str = "pattern"  # at one head
    pool: str = "one"  # of a block's heads in the head map
    sort: str | None = None  # "1": the grid of heads by score
    sink: str = "show"  # the first token in the head map
    grid: str = "pattern"  # what colours the grid of heads
    source: int | None = None  # the token read, where a pair of tokens is looked at
    stream: str = "norms"  # side of the residual stream shown
    normed: str = "before"  # or after the norm that reads it
    grown: str | None = None  # ids appended to the prompt: "318.257"
    temperature: float = 1.0  # of the next token
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0
    section: str = "config"  # of Learn
    present: str | None = None  # "1": Learn for a hall

    def params(self, default: "View") -> dict[str, str]:
        """The choices that differ from `default`, for the address bar."""
        mine = vars(self).items()
        return {k: str(v) for k, v in mine if v is not None and v != getattr(default, k)}


def from_params(params: Mapping[str, str], default: View) -> tuple[View, list[str]]:
    """The view a URL asks for, and a notice for each part of it that cannot be had."""
    view, notices = default, []
    for name, text in params.items():
        if name not in vars(default):
            notices.append(f"The address asks for “{name[:40]}”, which this page does not know.")
            continue
        value = _parsed(name, text)
        if value is None:
            notices.append(f"The address says {name}={text[:40]}, which is not a choice here.")
            continue
        view = replace(view, **{name: value})
    return view, notices


def fitted(view: View, config: GPTConfig, tokens: int) -> tuple[View, list[str]]:
    """`view` with whatever this model and prompt do not have put back to unchosen, and why."""
    faults, heads, neurons, words = {}, config.H, config.dff, config.vocabsize
    if view.at is not None and view.at not in boxes(config.N):
        faults["at"] = f"There is no box “{view.at[:40]}” in this model."
    if view.head is not None and view.head >= heads:
        faults["head"] = f"There is no head {view.head}: each block has heads 0 to {heads - 1}."
    if view.token is not None and view.token >= tokens:
        faults["token"] = f"There is no token {view.token}: the prompt has {tokens}."
    if view.source is not None and view.source >= tokens:
        faults["source"] = f"There is no token {view.source} to read: the prompt has {tokens}."
    if view.neuron is not None and view.neuron >= neurons:
        faults["neuron"] = f"There is no neuron {view.neuron}: each MLP has 0 to {neurons - 1}."
    if view.target is not None and view.target >= words:
        faults["target"] = f"There is no token id {view.target} to follow: ids end at {words - 1}."
    return replace(view, **dict.fromkeys(faults)), list(faults.values())


def panel_for(box: str) -> str:
    """The panel a click on `box` opens."""
    kinds = {"embed": "embedding", "attn": "attention", "ff": "mlp", "norm": "lens"}
    return (kinds | {"lm_head": "next"}).get(box.rsplit(".", 1)[-1], "residual")


def box_shown(view: View) -> str:
    """The box whose tensors the panel in view shows: a panel opened by its tab has one, too."""
    of_panel = {
        "embedding": "embed",
        "attention": f"blocks.{layer_of(view)}.attn",
        "mlp": f"blocks.{layer_of(view)}.ff",
        "next": "lm_head",
    }
    return of_panel.get(view.panel, view.at)


def layer_of(view: View) -> int:
    """The block whose attention or MLP a panel shows."""
    return block_of(view.at) or 0


def grown_ids(view: View) -> list[int]:
    """The ids appended to the prompt."""
    return [int(token) for token in view.grown.split(".")] if view.grown else []


def _parsed(name: str, text: str) -> str | int | None:
    if name in CHOICES:
        return text if text in CHOICES[name] else None
    if name in ("head", "neuron", "token", "source", "target"):
        return int(text) if re.fullmatch("[0-9]{1,6}", text) else None
    if name in RANGES:
        low, high, kind = RANGES[name]
        fraction = "" if kind is int else r"(\.[0-9]{1,4})?"
        value = kind(text) if re.fullmatch(f"[0-9]{{1,6}}{fraction}", text) else None
        return value if value is not None and low <= value <= high else None
    if name == "grown":
        return text if re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,7})*", text) else None
    return text
