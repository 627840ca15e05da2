"""What a figure shows, as rows: for those who cannot see it, and for those who take it home."""

import html
from collections.abc import Iterator

import numpy as np
import pandas as pd
import plotly.graph_objects as go


def rows_of(figure: go.Figure) -> pd.DataFrame:
    """Every point, bar and cell of `figure`, with the axes' labels in place of their numbers."""
    frames = [frame for trace in figure.data for frame in _trace_rows(figure, trace)]
    return pd.concat(frames, ignore_index=True)


def _trace_rows(figure: go.Figure, trace) -> Iterator[pd.DataFrame]:
    """One frame for a trace that carries values; none for marks laid over others."""
    if trace.type == "heatmap":
        z = np.asarray(trace.z)
        y, x = np.indices(z.shape)
        x, y = (trace.x0 or 0) + x * (trace.dx or 1), (trace.y0 or 0) + y * (trace.dy or 1)
        yield _frame(figure, trace, _places(figure, trace, x, y) | {"value": z.ravel()})
    elif trace.hoverinfo != "skip":
        y = np.asarray(trace.y)
        x = np.arange(len(y)) if trace.x is None else np.asarray(trace.x)
        yield _frame(figure, trace, _places(figure, trace, x, y))


def _frame(figure: go.Figure, trace, columns: dict) -> pd.DataFrame:
    """The trace's name, or the title of the part it stands in, in front of its columns."""
    titles = [note.text for note in figure.layout.annotations]
    part = int((trace.xaxis or "x").removeprefix("x") or 1) - 1
    name = trace.name or (titles[part] if part < len(titles) else "")
    count = len(columns["x"])
    return pd.DataFrame({"part": [name] * count} | columns)


def _places(figure: go.Figure, trace, x: np.ndarray, y: np.ndarray) -> dict[str, list]:
    """Both coordinates, each as its axis writes it."""
    return {
        "x": _named(figure.layout["xaxis" + (trace.xaxis or "x")[1:]], x),
        "y": _named(figure.layout["yaxis" + (trace.yaxis or "y")[1:]], y),
    }


def _named(axis, values: np.ndarray) -> list:
    """`values` flat, with the axis' labels, free of plotly's escapes, where it has its own."""
    if axis.ticktext is None:
        return values.ravel().tolist()
    labels = dict(zip(axis.tickvals, map(html.unescape, axis.ticktext), strict=True))
    return [labels.get(value, value) for value in values.ravel().tolist()]
