"""Code: this project's own lines behind a box, beside the shapes of this very run."""

import inspect
import textwrap
from collections.abc import Callable

import streamlit as st

from model import GPT, MLP, Block, CausalSelfAttention
from viz.pages import chrome
from viz.pages.panels.scene import Scene, foot_checks


def show(scene: Scene) -> None:
    """The panel."""
    box = scene.view.at
    kind, part = KINDS[box.rsplit(".", 1)[-1]], PARTS[box.rsplit(".", 1)[-1]]
    chrome.heading(f"Code of {part.__qualname__}", box, source_file(part), kind)
    chrome.say(
        "The lines that compute this box, taken from the running program, and the shapes they gave "
        "for this prompt. B is 1: one prompt at a time."
    )
    left, right = st.columns([0.7, 0.3], gap="medium")
    with left:
        lines, first = inspect.getsourcelines(part)
        chrome.say(f"model/{source_file(part)}, lines {first} to {first + len(lines) - 1}", "title")
        st.code(textwrap.dedent("".join(lines)), language="python", height=440)
    with right:
        chrome.facts("Shapes in this run", shapes(scene))
    foot_checks(scene)


def source_file(part: Callable) -> str:
    """The file's name, such as gpt.py."""
    return inspect.getsourcefile(part).replace("\\", "/").rsplit("/", 1)[-1]


PARTS = {
    "embed": GPT.stream,
    "attn": CausalSelfAttention,
    "norm_1": Block,
    "norm_2": Block,
    "ff": MLP,
    "norm": GPT.forward,
    "lm_head": GPT.forward,
}
KINDS = {
    "embed": "embed",
    "attn": "attn",
    "norm_1": "norm",
    "norm_2": "norm",
    "ff": "ff",
    "norm": "norm",
    "lm_head": "head",
}


def shapes(scene: Scene) -> dict[str, str]:
    """What each tensor of the picked box measures, in this run."""
    config, S = scene.trace.config, scene.count
    stream = f"(1, {S}, {config.dmodel:,})"
    heads, pattern = f"(1, {config.H}, {S}, {config.dk})", f"(1, {config.H}, {S}, {S})"
    return {
        "embed": {
            "ids": f"(1, {S})",
            "wte.weight": f"({config.vocabsize:,}, {config.dmodel:,})",
            "wpe.weight": f"({config.max_seq_len:,}, {config.dmodel:,})",
            "x": stream,
        },
        "attn": {
            "x": stream,
            "wq, wk, wv, wo": f"({config.dmodel:,}, {config.dmodel:,})",
            "q, k, v": heads,
            "scores, pattern": pattern,
            "heads": heads,
            "joined": stream,
        },
        "ff": {
            "x": stream,
            "w1.weight": f"({config.dff:,}, {config.dmodel:,})",
            "hidden": f"(1, {S}, {config.dff:,})",
            "w2.weight": f"({config.dmodel:,}, {config.dff:,})",
            "what it adds": stream,
        },
        "lm_head": {
            "x": stream,
            "lm_head.weight": f"({config.vocabsize:,}, {config.dmodel:,})",
            "logits": f"(1, {S}, {config.vocabsize:,})",
        },
    }.get(
        scene.view.at.rsplit(".", 1)[-1],
        {"x": stream, "norm.weight": f"({config.dmodel:,},)", "norm(x)": stream},
    )
