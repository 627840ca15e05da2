"""Bars of tokens: what pushes them up and down."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.labels import TokenLabel, decimals
from viz.theme import MONO, Theme, axis_title, lay_out, signed_colours
from viz.window import ticks

MOVES = "change of the logit against the mean token’s"


def pushed_bars(
    up: Sequence[TokenLabel],
    gains: np.ndarray,
    down: Sequence[TokenLabel],
    losses: np.ndarray,
    *,
    theme: Theme,
) -> go.Figure:
    """Tokens a vector pushes up most (top) and down most (bottom), against the mean token.

    Args:
        up, down: k tokens each, strongest first; gains, losses: (k,) their changes.
    """
    words = [*up, *reversed(down)]
    values = np.concatenate([gains, losses[::-1]])
    rows = range(len(words))
    names = [word.plain for word in words]
    figure = go.Figure(
        go.Bar(
            x=values,
            y=list(rows),
            orientation="h",
            text=[decimals(value, signed=True) for value in values],
            textposition="outside",
            cliponaxis=False,
            customdata=names,
            marker={"color": signed_colours(values, theme)},
            hovertemplate="%{customdata}: logit <b>%{x:+.3f}</b><extra></extra>",
        )
    )
    room = 1.55 * max(float(np.abs(values).max()), 1e-6)  # a number stands beyond each bar
    figure.update_xaxes(range=[-room, room], zeroline=True, zerolinecolor=theme.muted)
    figure.update_xaxes(title=axis_title(MOVES, theme))
    figure.update_yaxes(
        **ticks(rows, names, 40),
        range=[len(words) - 0.4, -0.6],
        tickfont={"family": MONO, "size": 11},
        showgrid=False,
        ticks="",
    )
    return lay_out(figure, theme, height=56 + 14 * len(words), bargap=0.3)


def token_bars(
    values: np.ndarray,
    positions: range,
    labels: Sequence[TokenLabel],
    *,
    title: str,
    colour: str,
    focus: int,
    theme: Theme,
    height: int = 260,
) -> go.Figure:
    """One upright bar for each token of a window; the one in focus is full, the others pale.

    Args:
        values: (S,) of the whole prompt; title: of the axis, with its unit.
    """
    part = values[positions.start : positions.stop]
    texts = [labels[position].plain for position in positions]
    figure = go.Figure(
        go.Bar(
            x=list(positions),
            y=part,
            customdata=texts,
            marker={
                "color": colour,
                "opacity": [1.0 if position == focus else 0.45 for position in positions],
            },
            hovertemplate="%{customdata}: <b>%{y:.4g}</b><extra></extra>",
        )
    )
    figure.update_xaxes(**ticks(positions, texts, 24), tickangle=-45, showgrid=False)
    figure.update_xaxes(tickfont={"family": MONO, "size": 11})
    figure.update_yaxes(title=axis_title(title, theme))
    return lay_out(figure, theme, height=height, bargap=0.25)
