"""The model's own prediction: the most probable next tokens."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.labels import TokenLabel, probability
from viz.theme import MONO, NEVER_DIMMED, Theme, axis_title, lay_out
from viz.window import ticks


def next_token_bars(
    words: Sequence[TokenLabel],
    probs: np.ndarray,
    theme: Theme,
    drawn: np.ndarray | None = None,
) -> go.Figure:
    """Bars of the k best tokens, best at the top; the axis is fixed at 0 to 1.

    Args:
        words: k tokens, best first; probs: (k,) at temperature 1.
        drawn: (k,) what a token is drawn from, where that is shown beside them.
    """
    rows, names = range(len(words)), [word.plain for word in words]
    figure = go.Figure()
    if drawn is not None:
        figure.add_trace(_bars(probs, theme.head_soft, 0.9))
    main = probs if drawn is None else drawn
    figure.add_trace(_bars(main, theme.head, 0.7 if drawn is None else 0.4))
    figure.add_trace(_numbers(probs, drawn))
    figure.add_trace(_row_targets(names, probs, main))
    figure.update_xaxes(
        range=[0, 1.14],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        title=axis_title("probability", theme),
    )
    figure.update_yaxes(
        **ticks(rows, names, 40),
        range=[len(words) - 0.4, -0.6],
        tickfont={"family": MONO, "size": 12},
        showgrid=False,
    )
    height = 56 + 18 * len(words)
    return lay_out(figure, theme, height=height, barmode="overlay", clickmode="event+select")


def _bars(shares: np.ndarray, colour: str, width: float) -> go.Bar:
    return go.Bar(
        x=shares,
        y=np.arange(len(shares)),
        width=width,
        orientation="h",
        marker={"color": colour},
        **NEVER_DIMMED,
        hoverinfo="skip",
    )


def _numbers(probs: np.ndarray, drawn: np.ndarray | None) -> go.Scatter:
    """The numbers beside the bars: the probability, and what it becomes where that differs."""
    texts = [probability(p) for p in probs]
    longest = probs if drawn is None else np.maximum(probs, drawn)
    if drawn is not None and not np.allclose(drawn, probs, atol=5e-4):
        texts = [f"{t} → {probability(d) if d else '0'}" for t, d in zip(texts, drawn, strict=True)]
    return go.Scatter(
        x=longest,
        y=np.arange(len(probs)),
        mode="text",
        text=[f" {text}" for text in texts],
        textposition="middle right",
        textfont={"size": 11},
        cliponaxis=False,
        hoverinfo="skip",
    )


def _row_targets(names: list[str], probs: np.ndarray, drawn: np.ndarray) -> go.Bar:
    """Unseen bars across each row, so that the mouse meets its token anywhere in the row."""
    clear = {"marker": {"opacity": 0}}
    pairs = zip(probs, drawn, strict=True)
    said = [f"probability {p:.4f}" + (f", drawn {d:.4f}" if p != d else "") for p, d in pairs]
    return go.Bar(
        x=np.ones(len(names)),
        y=np.arange(len(names)),
        width=1,
        orientation="h",
        customdata=[f"{name}: {what}" for name, what in zip(names, said, strict=True)],
        hovertemplate="%{customdata}<extra></extra>",
        selected=clear,
        unselected=clear,
        **clear,
    )
