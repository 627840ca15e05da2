"""One row of the embedding table in its two uses: read at the bottom, written at the top."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.labels import TokenLabel
from viz.theme import MONO, Theme, lay_out
from viz.window import ticks

MOST_TOKENS = 32


def both_uses(
    row: np.ndarray, shares: np.ndarray, positions: range, labels: Sequence[TokenLabel],
    theme: Theme,
) -> go.Figure:  # fmt: skip
    """Above, the row's entries; below, the probability it gets as the next token.

    Args:
        row: (dmodel,) of the table.
        shares: (P,) for each of `positions`, 0 to 1; labels: of the whole prompt.
    """
    figure = make_subplots(
        rows=2,
        row_heights=[0.45, 0.55],
        vertical_spacing=0.18,
        subplot_titles=(
            "As input: the vector this token adds",
            "As output: its probability after each token",
        ),
    )
    figure.add_trace(_bars(np.arange(len(row)), row, theme.embed, "entry %{x}"), 1, 1)
    places = np.arange(positions.start, positions.stop)
    figure.add_trace(_bars(places, shares, theme.head, "after %{x}"), 2, 1)
    texts = [labels[position].plain for position in positions]
    figure.update_xaxes(showgrid=False, showticklabels=False, row=1)
    figure.update_xaxes(
        **ticks(positions, texts, MOST_TOKENS),
        tickangle=-45,
        tickfont={"family": MONO, "size": 11},
        showgrid=False,
        row=2,
    )
    figure.update_yaxes(range=[0, 1], tickvals=[0, 0.5, 1], row=2)
    figure.update_yaxes(nticks=5, row=1)
    figure.update_annotations(font={"size": 12, "color": theme.muted})
    return lay_out(figure, theme, height=400, bargap=0.15).update_layout(margin_t=26)


def _bars(x: np.ndarray, y: np.ndarray, colour: str, at: str) -> go.Bar:
    return go.Bar(
        x=x,
        y=y.astype(np.float32),
        marker={"color": colour, "line": {"width": 0}},
        hovertemplate=at + ": <b>%{y:.3g}</b><extra></extra>",
    )
