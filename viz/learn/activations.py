"""The MLP's nonlinearity: GELU as GPT-2 computes it, GELU by definition, and the ReLU of 2017."""

import math

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.theme import Theme, axis_title, lay_out

LOW, HIGH = -4.0, 4.0
BINS = 48


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))): Hendrycks and Gimpel 2016, as in GPT-2."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_exact(x: np.ndarray) -> np.ndarray:
    """x Φ(x), Φ the share of a standard normal variable below x."""
    return 0.5 * x * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))


def relu(x: np.ndarray) -> np.ndarray:
    """x where it is positive, 0 elsewhere."""
    return np.maximum(x, 0)


def curves(at: float, inputs: np.ndarray, theme: Theme) -> go.Figure:
    """The three functions, the gap between the two GELUs, and where a prompt's inputs lie.

    Args:
        at: the input marked on all three curves.
        inputs: any shape; what reaches the nonlinearity. Beyond -4 and 4 they count at the edge.
    """
    x = np.linspace(LOW, HIGH, 321)
    figure = make_subplots(rows=3, shared_xaxes=True, row_heights=[0.58, 0.21, 0.21],
                           vertical_spacing=0.12)  # fmt: skip
    for trace in _functions(x, theme):
        figure.add_trace(trace, 1, 1)
    marks = [f(np.array([at]))[0] for f in (relu, gelu_exact, gelu_tanh)]
    figure.add_trace(_points(at, marks, theme), 1, 1)
    figure.add_trace(_line(x, 1e4 * (gelu_tanh(x) - gelu_exact(x)), "gap in 10⁻⁴", theme.ff), 2, 1)
    figure.add_trace(_histogram(inputs, theme), 3, 1)
    figure.add_vline(x=at, line={"color": theme.text, "width": 1, "dash": "dot"})
    figure.update_yaxes(nticks=4)
    figure.update_xaxes(title=axis_title("input", theme), row=3)
    for row, name in ((2, "tanh − exact, in 10⁻⁴"), (3, "% of the inputs")):
        figure.add_annotation(x=0, y=1, xref="x domain", yref="y domain", text=name, row=row, col=1,
                              xanchor="left", yanchor="bottom", showarrow=False,
                              font={"size": 12, "color": theme.muted})  # fmt: skip
    lay_out(figure, theme, height=430, bargap=0)
    legend = {"x": 0.02, "y": 0.99, "bgcolor": "rgba(0,0,0,0)", "font": {"size": 12}}
    return figure.update_layout(showlegend=True, legend=legend)


def _functions(x: np.ndarray, theme: Theme) -> list[go.Scatter]:
    return [
        _line(x, relu(x), "ReLU, 2017", theme.muted, "dash"),
        _line(x, gelu_exact(x), "GELU, exact", theme.text, "dot"),
        _line(x, gelu_tanh(x), "GELU, tanh: GPT-2", theme.ff),
    ]


def _line(x: np.ndarray, y: np.ndarray, name: str, colour: str, dash: str = "solid") -> go.Scatter:
    return go.Scatter(
        x=x.astype(np.float32),
        y=y.astype(np.float32),
        name=name,
        mode="lines",
        line={"color": colour, "width": 2, "dash": dash},
        showlegend=not name.startswith("gap"),
        hovertemplate="%{x:.2f} → <b>%{y:.4f}</b>",
    )


def _points(at: float, values: list[float], theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[at] * len(values),
        y=values,
        mode="markers",
        marker={"size": 8, "color": theme.text},
        showlegend=False,
        hoverinfo="skip",
    )


def _histogram(inputs: np.ndarray, theme: Theme) -> go.Bar:
    """Counted here, so that the picture weighs the same whatever the prompt."""
    counts, edges = np.histogram(inputs, bins=BINS, range=(LOW, HIGH))
    return go.Bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=100 * counts / max(1, inputs.size),
        width=edges[1] - edges[0],
        name="% of the inputs",
        marker={"color": theme.ff, "opacity": 0.55, "line": {"width": 0}},
        showlegend=False,
        hovertemplate="around %{x:.2f}: %{y:.1f}% of the inputs<extra></extra>",
    )
