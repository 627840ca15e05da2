"""How training went: the loss over time."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.theme import Theme, axis_title, lay_out

DASHES = ("solid", "dot", "dash", "dashdot")


def loss_curves(
    curves: Sequence[tuple[str, np.ndarray, np.ndarray]], theme: Theme, height: int = 280
) -> go.Figure:
    """One line a run.

    Args:
        curves: of each run its name, (n,) minutes of work and (n,) mean losses, nats a token.
    """
    figure = go.Figure()
    for number, (name, minutes, losses) in enumerate(curves):
        figure.add_trace(
            go.Scatter(
                x=minutes,
                y=losses,
                name=name,
                mode="lines",
                line={
                    "color": theme.muted if number else theme.attn,
                    "width": 2,
                    "dash": DASHES[number % len(DASHES)],
                },
                hovertemplate="%{x:.0f} minutes: <b>%{y:.2f}</b> nats a token"
                "<extra>%{fullData.name}</extra>",
            )
        )
    figure.update_xaxes(
        title=axis_title("minutes of work on two processor cores", theme), rangemode="tozero"
    )
    figure.update_yaxes(title=axis_title("training loss, nats a token", theme), rangemode="tozero")
    lay_out(figure, theme, height=height)
    figure.update_layout(
        showlegend=len(curves) > 1,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
    )
    return figure
