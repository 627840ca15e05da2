"""Which tokens a picture shows when a prompt is longer than there is room for."""

import numpy as np


def window(focus: int, count: int, width: int) -> range:
    """At most `width` of `count` positions, with `focus` in the middle where the ends allow."""
    start = max(0, min(focus - width // 2, count - width))
    return range(start, min(count, start + width))


def max_pool(matrix: np.ndarray, size: int) -> tuple[np.ndarray, int]:
    """`matrix` (R, C) as at most (size, size) cells, and how many rows and columns one cell joins.

    A cell shows the largest value it joins, so that a single strong link is never averaged away;
    NaN, which stands for "not shown", only where it joins nothing else.
    """
    step = -(-max(matrix.shape) // size)
    if step == 1:
        return matrix, 1
    padding = [(0, -side % step) for side in matrix.shape]
    padded = np.pad(matrix, padding, constant_values=np.nan)
    rows, columns = (side // step for side in padded.shape)
    tiles = padded.reshape(rows, step, columns, step)
    return np.fmax.reduce(np.fmax.reduce(tiles, axis=3), axis=1), step


def ticks(positions: range, texts: list[str], most: int) -> dict:
    """Axis settings: integer coordinates with `texts` as labels, thinned to at most `most`.

    Coordinates are never the texts themselves: plotly would draw equal ones as one column.
    """
    every = max(1, -(-len(positions) // most))
    shown = list(positions)[::every]
    return {
        "tickmode": "array",
        "tickvals": shown,
        "ticktext": [texts[position - positions.start] for position in shown],
    }
