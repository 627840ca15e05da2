"""Pre-norm and post-norm before any training: what depth does to the stream and its gradients."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.theme import Theme, axis_title, lay_out


def through_depth(
    norms: dict[str, np.ndarray], gradients: dict[str, np.ndarray], theme: Theme
) -> go.Figure:
    """Left the stream's norm after each block, right the gradient at each block's weights.

    Args:
        norms: "pre" and "post" -> (depth + 1,), the first as the stream enters.
        gradients: "pre" and "post" -> (depth,)
    """
    titles = ("Norm of the stream", "Gradient")  # short: on a phone there is little room
    figure = make_subplots(cols=2, subplot_titles=titles, horizontal_spacing=0.1)
    for kind in ("post", "pre"):
        figure.add_trace(_line(norms[kind], 0, kind, theme), 1, 1)
        figure.add_trace(_line(gradients[kind], 1, kind, theme), 1, 2)
    figure.update_xaxes(title=axis_title("after block", theme), tickformat="d", col=1)
    figure.update_xaxes(title=axis_title("block", theme), tickformat="d", col=2)
    figure.update_yaxes(rangemode="tozero")
    figure.update_xaxes(tickvals=_ticks(len(gradients["pre"])))
    figure.update_annotations(font={"size": 12, "color": theme.muted})
    lay_out(figure, theme, height=380).update_layout(margin_t=48)
    # Above the titles, where no curve can run through it.
    legend = {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top"}
    return figure.update_layout(showlegend=True, legend=legend)


def _ticks(depth: int) -> list[int]:
    """About six of the blocks, the first among them."""
    return list(range(0, depth, max(1, round(depth / 6))))


def _line(values: np.ndarray, panel: int, kind: str, theme: Theme) -> go.Scatter:
    name, colour, dash = {
        "pre": ("pre-norm, GPT-2", theme.attn, "solid"),
        "post": ("post-norm, 2017", theme.muted, "dash"),
    }[kind]
    return go.Scatter(
        # The stream's first value stands before block 0, where the gradients begin.
        x=np.arange(len(values)) - (1 - panel),
        y=values.astype(np.float32),
        name=name,
        mode="lines+markers",
        line={"color": colour, "width": 2, "dash": dash},
        marker={"size": 5},
        showlegend=panel == 0,
        hovertemplate="block %{x}: <b>%{y:.3g}</b>",
    )
