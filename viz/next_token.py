"""The model's own prediction: the most probable next tokens."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.labels import TokenLabel, probability
from viz.theme import MONO, Theme, lay_out
from viz.window import ticks


def next_token_bars(words: Sequence[TokenLabel], probs: np.ndarray, theme: Theme) -> go.Figure:
    """Bars of the k best tokens, best at the top; the axis is fixed at 0 to 1.

    Args:
        words: k tokens, best first; probs: (k,)
    """
    rows, names = range(len(words)), [word.plain for word in words]
    figure = go.Figure(
        go.Bar(
            x=probs,
            y=list(rows),
            orientation="h",
            text=[probability(p) for p in probs],
            textposition="outside",
            cliponaxis=False,
            customdata=names,
            marker={"color": theme.head},
            hovertemplate="%{customdata}: probability <b>%{x:.4f}</b><extra></extra>",
        )
    )
    figure.update_xaxes(
        range=[0, 1.06],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        title={"text": "probability", "font": {"size": 11, "color": theme.muted}},
    )
    figure.update_yaxes(
        **ticks(rows, names, 40),
        range=[len(words) - 0.4, -0.6],
        tickfont={"family": MONO, "size": 12},
        showgrid=False,
    )
    return lay_out(figure, theme, height=56 + 19 * len(words), bargap=0.3)
