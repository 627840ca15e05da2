"""One attention head as a heat map."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.labels import TokenLabel
from viz.theme import MONO, Theme, colour_bar, lay_out, scale
from viz.window import max_pool, ticks

MOST_CELLS = 128  # a side: more are pooled, or shown by window
MOST_LABELS = 24  # at 12 pixels each, which a line of text needs


def head_map(
    pattern: np.ndarray, positions: range, labels: Sequence[TokenLabel], focus: int, theme: Theme
) -> go.Figure:
    """The attention of one head among the tokens of a window.

    Args:
        pattern: (S, S) attention of the whole prompt; row i reads, column j is read.
        positions: the window, of at most MOST_CELLS tokens.
        labels: one for each token of the prompt.
        focus: the position whose row is outlined.
    """
    part = _lower(pattern[positions.start : positions.stop, positions.start : positions.stop])
    texts = [labels[position].plain for position in positions]
    figure = go.Figure(_cells(part, positions.start, 1, theme, gap=len(positions) <= 40))
    figure.add_trace(_row_targets(positions))
    figure.update_xaxes(**ticks(positions, texts, MOST_LABELS), tickangle=-45)
    figure.update_yaxes(**ticks(positions, texts, MOST_LABELS))
    if focus in positions:
        _outline_row(figure, positions, focus, theme)
    return _square(figure, positions.start - 0.5, positions.stop - 0.5, theme)


def head_overview(pattern: np.ndarray, theme: Theme) -> go.Figure:
    """The whole of a long (S, S) pattern, max-pooled to at most MOST_CELLS a side."""
    cells, step = max_pool(pattern, MOST_CELLS)
    middle = (step - 1) / 2
    figure = go.Figure(_cells(_lower(cells), middle, step, theme, gap=False))
    figure.add_trace(_row_targets(range(0, len(pattern), step)))
    edge = len(cells) * step - 0.5
    return _square(figure, -0.5, edge, theme)


def without_sink(pattern: np.ndarray, how: str) -> np.ndarray:
    """(S, S) as the sink switch asks: "show" it all, "hide" what the first token gets, or hide it
    and "renormalise" the rest of each row to sum to 1. The first row has nothing else and is empty.
    """
    if how == "show":
        return pattern
    rest = pattern.copy()
    rest[:, 0] = 0
    sums = rest.sum(axis=1, keepdims=True)
    if how == "renormalise":
        rest = np.divide(rest, sums, out=np.zeros_like(rest), where=sums > 0)
    rest[:, 0] = np.nan
    return rest


def _lower(cells: np.ndarray) -> np.ndarray:
    """Cells above the diagonal are the future: masked, so not drawn at all."""
    return np.where(np.tri(len(cells), dtype=bool), cells, np.nan).astype(np.float32)


def _cells(cells: np.ndarray, start: float, step: int, theme: Theme, gap: bool) -> go.Heatmap:
    return go.Heatmap(
        z=cells,
        x0=start,
        dx=step,
        y0=start,
        dy=step,
        zmin=0,
        zmax=1,
        xgap=int(gap),
        ygap=int(gap),
        colorscale=scale(theme, "attn"),
        colorbar=_bar_in_the_corner(theme),
        hoverongaps=False,
        hovertemplate="%{y} reads %{x}<br>attention <b>%{z:.3f}</b><extra></extra>",
    )


def _bar_in_the_corner(theme: Theme) -> dict:
    """The colour bar, in the corner a causal pattern leaves empty."""
    bar = colour_bar(theme, "attention", tickvals=[0, 0.5, 1], orientation="h", len=0.3)
    bar["title"]["side"] = "top"
    return bar | {"x": 1, "xanchor": "right", "y": 1, "yanchor": "top"}


def _row_targets(rows: range) -> go.Scatter:
    """One unseen point a row: heat map cells cannot be selected, the nearest point of a row can."""
    return go.Scatter(
        x=np.full(len(rows), rows.start, dtype=np.int32),
        y=np.arange(rows.start, rows.stop, rows.step, dtype=np.int32),
        mode="markers",
        marker={"opacity": 0, "size": 1},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        hoverinfo="none",
    )


def _outline_row(figure: go.Figure, positions: range, focus: int, theme: Theme) -> None:
    figure.add_shape(
        type="rect",
        x0=positions.start - 0.5,
        x1=positions.stop - 0.5,
        y0=focus - 0.5,
        y1=focus + 0.5,
        line={"color": theme.text, "width": 1.5},
    )


def _square(figure: go.Figure, low: float, high: float, theme: Theme) -> go.Figure:
    lay_out(figure, theme, height=330, hovermode="closest", clickmode="event+select")
    figure.update_layout(hoverdistance=-1)
    axis = {
        "showgrid": False,
        "tickfont": {"family": MONO, "size": 11},
        "constrain": "domain",
        "ticks": "",
    }
    figure.update_xaxes(range=[low, high], constraintoward="left", **axis)
    return figure.update_yaxes(range=[high, low], scaleanchor="x", constraintoward="top", **axis)
