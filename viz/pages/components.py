"""The inline components: their HTML, CSS and JavaScript lie in assets/, no build step."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

ASSETS = Path(__file__).parents[2] / "assets"
MEASURED = '<div class="measure"></div><div class="{}"></div>'  # the first tells the width


@cache
def _read(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _component(name: str, html: str, like: str = ""):
    """Register `name`; dom.js stands in front of its script, which has no imports of its own.

    One that looks `like` another takes over its style sheet before its own.
    """
    sheets = [f"{sheet}.css" for sheet in (like, name) if sheet]
    return st.components.v2.component(
        f"glassbox_{name}",
        html=html,
        css="".join(_read(sheet) for sheet in sheets),
        js=_read("dom.js") + _read(f"{name}.js"),
    )


_prompt = _component("prompt", _read("prompt.html"))
_tokens = _component("tokens", '<div class="tokens"></div>')
_diagram = _component("diagram", MEASURED.format("diagram"))
_heads = _component("heads", MEASURED.format("heads"))
_drawing = _component("learn_drawing", '<div class="drawings"></div>', like="diagram")
_scores = _component("learn_scores", '<div class="matrices"></div>')
_keys = _component("learn_keys", "<span></span>")
_lines = _component("lines", MEASURED.format("lines"))
_copy = _component("copy", '<button type="button">Copy link</button>')


def prompt(text: str, examples: list[dict[str, str]], on_run) -> None:
    """The prompt box; `on_run(text)` is called when the visitor runs one."""
    _mount(_prompt, "prompt", "run", {"text": text, "examples": examples}, on_run)


def tokens(data: dict[str, Any], on_pick) -> None:
    """The token chips; `on_pick(position)`."""
    _mount(_tokens, "tokens", "picked", data, on_pick)


def diagram(data: dict[str, Any], on_pick) -> None:
    """The architecture; `on_pick(name of the box)`."""
    _mount(_diagram, "diagram", "picked", data, on_pick)


def heads(data: dict[str, Any], on_pick) -> None:
    """All heads as thumbnails; `on_pick("layer.head")`."""
    _mount(_heads, "heads", "picked", data, on_pick)


def lines(data: dict[str, Any], on_pick) -> None:
    """Attention as lines that follow the mouse; `on_pick(position)`."""
    _mount(_lines, "lines", "picked", data, on_pick)


def drawing(data: dict[str, Any], on_pick) -> None:
    """Architecture drawings (viz/learn/drawing.py); `on_pick(name of the box)`."""
    _mount(_drawing, "drawing", "picked", data, on_pick)


def scores(data: dict[str, Any], on_change) -> None:
    """A score matrix and its softmax; `on_change({"row": 0, "column": 0, "value": 1.5})`."""
    _mount(_scores, "scores", "changed", data, on_change)


def keys(data: dict[str, Any], on_go) -> None:
    """Arrow keys for the whole page; `on_go({"section": "gpt", "press": 3, "leave": False})`."""
    _mount(_keys, "keys", "go", data, on_go)


def copy_link(model: str) -> None:
    """A button that copies the address of the page as it stands, with the model's name in it."""
    _copy(key="copy", data={"model": model}, width="content")


def _mount(component, key: str, event: str, data: dict[str, Any], callback) -> None:
    """Mount one component; its trigger `event` reaches `callback` as a plain value."""

    def fired() -> None:
        value = st.session_state[key].get(event)
        if value is not None:
            callback(value)

    component(key=key, data=data, **{f"on_{event}_change": fired})
