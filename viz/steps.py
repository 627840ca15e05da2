"""Inside one head, for one reading token: the steps from query and keys to the pattern."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.labels import TokenLabel, decimals
from viz.theme import MONO, Theme, axis_title, colour_bar, lay_out, scale, signed_scale
from viz.window import ticks

MOST_COLUMNS = 12
STEPS = ("q · k", "÷ √dk", "masked", "softmax")


def step_table(
    steps: np.ndarray, positions: range, labels: Sequence[TokenLabel], theme: Theme
) -> go.Figure:
    """Four rows of numbers, one a step, one column a token that could be read.

    Args:
        steps: (4, S): q·k, scaled, masked (-inf where looking is forbidden), softmax.
        positions: the window of tokens shown.
    """
    part = steps[:, positions.start : positions.stop]
    figure = go.Figure()
    for row, values in enumerate(part):
        figure.add_trace(_row(row, values, positions.start, theme))
    texts = [labels[position].plain for position in positions]
    figure.update_xaxes(**ticks(positions, texts, MOST_COLUMNS), showgrid=False, side="top")
    figure.update_xaxes(tickfont={"family": MONO, "size": 12}, ticks="")
    figure.update_yaxes(**ticks(range(4), list(STEPS), 4), range=[3.5, -0.5], showgrid=False)
    figure.update_yaxes(tickfont={"size": 13}, ticks="")
    return lay_out(figure, theme, height=250)


def product_strips(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, names: tuple[str, str], theme: Theme
) -> go.Figure:
    """The vectors of one pair of tokens, dimension by dimension: q, k, q times k, and v.

    Args:
        q: (dk,) of the token that reads; k, v: (dk,) of the token read; names: of the two.
    """
    rows = [q, k, q * k, v]
    titles = [f"q of {names[0]}", f"k of {names[1]}", "q × k", f"v of {names[1]}"]
    sizes = [max(float(np.abs(row).max()), 1e-9) for row in rows]
    figure = go.Figure(
        go.Heatmap(
            z=np.stack([row / size for row, size in zip(rows, sizes, strict=True)]),
            customdata=np.stack(rows),
            zmin=-1,
            zmax=1,
            ygap=6,
            colorscale=signed_scale(theme),
            colorbar=colour_bar(theme, "share of the row’s largest", tickvals=[-1, 0, 1]),
            hovertemplate="%{y}, dimension %{x}<br><b>%{customdata:.3f}</b><extra></extra>",
        )
    )
    figure.update_yaxes(**ticks(range(4), titles, 4), range=[3.5, -0.5], showgrid=False, ticks="")
    figure.update_xaxes(title=axis_title("dimension of the head", theme))
    figure.update_xaxes(showgrid=False, tickformat="d", nticks=9)
    return lay_out(figure, theme, height=216)


def running_sum(q: np.ndarray, k: np.ndarray, theme: Theme) -> go.Figure:
    """How the score of a pair adds up over the head's dimensions.

    Args:
        q, k: (dk,)
    """
    total = np.cumsum(q * k)
    figure = go.Figure(
        go.Scatter(
            x=np.arange(1, len(total) + 1),
            y=total,
            mode="lines",
            line={"color": theme.attn, "width": 2, "shape": "hv"},
            hovertemplate="sum over %{x} dimensions: <b>%{y:.3f}</b><extra></extra>",
        )
    )
    figure.add_hline(y=0, line={"color": theme.muted, "width": 1})
    figure.update_xaxes(title=axis_title("dimensions added up", theme))
    figure.update_xaxes(showgrid=False, tickformat="d")
    figure.update_yaxes(title=axis_title("sum of q × k", theme))
    return lay_out(figure, theme, height=160)


def _row(row: int, values: np.ndarray, start: int, theme: Theme) -> go.Heatmap:
    """One step; scores are coloured against the largest of their row, shares from 0 to 1."""
    last = row == len(STEPS) - 1
    finite = np.where(np.isfinite(values), values, np.nan)
    largest = 1.0 if last else max(float(np.nanmax(np.abs(finite))), 1e-9)
    return go.Heatmap(
        z=[finite],
        x0=start,
        dx=1,
        y=[row],
        zmin=0 if last else -largest,
        zmax=largest,
        xgap=2,
        ygap=3,
        colorscale=scale(theme, "attn") if last else signed_scale(theme),
        showscale=False,
        text=[[_number(value, last) for value in values]],
        texttemplate="%{text}",
        textfont={"family": MONO, "size": 11},
        hovertemplate=f"{STEPS[row]}, %{{x}}: <b>%{{text}}</b><extra></extra>",
    )


def _number(value: float, share: bool) -> str:
    if np.isneginf(value):
        return "−∞"
    return decimals(value, 3 if share else 1 if abs(value) >= 10 else 2)
