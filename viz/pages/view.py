"""What a visitor looks at: every choice in one frozen value, which the address bar carries."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from viz.diagram import block_of, boxes

PANELS = {
    "attention": "Attention",
    "residual": "Residual stream",
    "lens": "Logit lens",
    "next": "Next token",
}
LENS_COLOURS = {"probability": "probability", "entropy": "entropy", "kl": "KL to the final row"}
LENS_ROWS = {"blocks": "block ends", "all": "every writer"}
MAP_SPANS = {"window": "around the token", "overview": "whole prompt"}
CHOICES = {"panel": PANELS, "colour": LENS_COLOURS, "rows": LENS_ROWS, "span": MAP_SPANS}


@dataclass(frozen=True)
class View:
    """Choices as they stand in the URL. None means: not chosen, the page picks what shows most."""

    q: str  # the prompt
    model: str | None = None
    at: str | None = None  # the picked box
    head: int | None = None
    token: int | None = None  # the position in focus
    panel: str = "attention"
    colour: str = "probability"  # of the lens table
    rows: str = "blocks"  # of the lens table
    span: str = "window"  # of a long head map

    def params(self, default: "View") -> dict[str, str]:
        """The choices that differ from `default`, for the address bar."""
        mine = vars(self).items()
        return {k: str(v) for k, v in mine if v is not None and v != getattr(default, k)}


def from_params(params: Mapping[str, str], default: View) -> tuple[View, list[str]]:
    """The view a URL asks for, and a notice for each part of it that cannot be had."""
    view, notices = default, []
    for name, text in params.items():
        if name not in vars(default):
            notices.append(f"The address asks for “{name}”, which this page does not know.")
            continue
        value = _parsed(name, text)
        if value is None:
            notices.append(f"The address says {name}={text[:40]}, which is not a choice here.")
            continue
        view = replace(view, **{name: value})
    return view, notices


def fitted(view: View, blocks: int, heads: int, tokens: int) -> tuple[View, list[str]]:
    """`view` with whatever this model and prompt do not have put back to unchosen, and why."""
    faults = {}
    if view.at is not None and view.at not in boxes(blocks):
        faults["at"] = f"There is no box “{view.at[:40]}” in this model."
    if view.head is not None and view.head >= heads:
        faults["head"] = f"There is no head {view.head}: each block has heads 0 to {heads - 1}."
    if view.token is not None and view.token >= tokens:
        faults["token"] = f"There is no token {view.token}: the prompt has {tokens}."
    return replace(view, **dict.fromkeys(faults)), list(faults.values())


def panel_for(box: str) -> str:
    """The panel a click on `box` opens."""
    if box == "lm_head":
        return "next"
    if box == "norm":
        return "lens"
    return "attention" if box.endswith(".attn") else "residual"


def layer_of(view: View) -> int:
    """The block whose attention the attention panel shows."""
    return block_of(view.at) or 0


def _parsed(name: str, text: str) -> str | int | None:
    if name in CHOICES:
        return text if text in CHOICES[name] else None
    if name in ("head", "token"):
        return int(text) if text.isdecimal() and len(text) < 7 else None
    return text
