"""What the architecture diagram shows: arrays and labels in, the component's data out.

The drawing itself is assets/diagram.js; every box in it bears its module's own path.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from viz.labels import TokenLabel, magnitude, probability

# One line for each kind of box, shown when the mouse or the keyboard rests on it.
ABOUT = {
    "embed": "adds what each token is (wte) and where it stands (wpe); the stream begins here",
    "attn": "lets each position take from the positions before it",
    "ff": "the MLP: works on each position by itself",
    "norm": "LayerNorm: brings the stream to a common size before it is read",
    "head": "turns the stream into a score for each token of the vocabulary",
}
DEEP = ("norm_1", "attn", "norm_2", "ff")


def boxes(blocks: int) -> tuple[str, ...]:
    """Names of every box that can be picked, from the bottom of the stream to its top."""
    inner = (f"blocks.{i}.{part}" for i in range(blocks) for part in DEEP)
    return ("embed", *inner, "norm", "lm_head")


def block_of(box: str) -> int | None:
    """The block a box stands in: `blocks.5.attn` -> 5; None for the boxes outside."""
    return int(box.split(".")[1]) if box.startswith("blocks.") else None


def diagram(
    *,
    at: str,
    after: TokenLabel,
    norms: np.ndarray,
    writes: np.ndarray,
    shapes: dict[str, str],
    guesses: Sequence[tuple[str, float]],
    top: Sequence[tuple[str, float]],
    height: int = 660,
) -> dict[str, Any]:
    """Data for the diagram component.

    Args:
        at: name of the picked box.
        after: the token in focus.
        norms: (2N+1,) L2 norm of the stream at that token, after each writer.
        writes: (2N+1,) L2 norm of what each writer adds there.
        shapes: what flows through an opened block: at `norm`, `heads`, `pattern` and `ff`.
        guesses: N+1 pairs (visible token, probability): the lens' best after embed and each block.
        top: the model's own best tokens, best first.
        height: pixels the drawing may take before it scrolls.
    """
    return {
        "N": len(norms) // 2,
        "order": boxes(len(norms) // 2),
        "at": at,
        "open": block_of(at),
        "about": ABOUT,
        "after": {"short": after.short, "position": after.position},
        "norms": [float(norm) for norm in np.nan_to_num(norms, posinf=0.0)],
        "writes": [float(norm) for norm in np.nan_to_num(writes, posinf=0.0)],
        "shapes": shapes,
        "norm_note": f"width: L2 norm, {magnitude(norms[0])} → {magnitude(norms[-1])}",
        "guesses": [_guess(*guess) for guess in guesses],
        "top": [_guess(*guess) for guess in top],
        "height": height,
    }


def _guess(text: str, value: float) -> dict[str, Any]:
    short = text if len(text) <= 9 else text[:8] + "…"
    return {"text": text, "short": short, "share": float(value), "probability": probability(value)}
