"""What the neurons of one MLP do: which are active, one of them along the prompt, and the GELU."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.bars import token_bars
from viz.labels import TokenLabel, magnitude
from viz.learn.activations import gelu_tanh, relu
from viz.residual import cell_targets, outline
from viz.theme import (
    MONO,
    NEVER_DIMMED,
    Theme,
    axis_title,
    colour_bar,
    lay_out,
    signed_colours,
    signed_scale,
)
from viz.window import ticks

MOST_NEURONS = 20  # rows that can be read in the room a panel has
MOST_COLUMNS = 64
HEIGHT = 380
COURSE_HEIGHT = 346  # leaves room for a title above
BINS = 60
# The colour bar of the map of neurons: above it, where it takes no width from the bars.
ABOVE_THE_MAP = {
    "orientation": "h", "ticklabelposition": "outside top", "nticks": 5,
    "x": 0, "xanchor": "left", "xpad": 0, "y": 1, "yanchor": "bottom", "ypad": 6, "len": 0.67,
}  # fmt: skip


def most_active(values: np.ndarray, most: int = MOST_NEURONS) -> np.ndarray:
    """(dff,) -> the indexes of the `most` values furthest from zero, those first; ties by index.

    Where none fires, GELU still leaves up to -0.17, and that is what the MLP writes.
    """
    return np.argsort(-np.abs(values), kind="stable")[:most]


def neuron_map(
    values: np.ndarray,
    neurons: Sequence[int],
    *,
    positions: range,
    labels: Sequence[TokenLabel],
    focus: int,
    picked: int,
    theme: Theme,
) -> go.Figure:
    """Some neurons by token as a heat map, and beside each its value at the token in focus.

    Trace 1 holds the points that can be picked in the map, trace 2 the bars: y is the place in
    `neurons`, counted from the top.

    Args:
        values: (S, dff) activations, before or after the GELU.
        neurons: indexes of those shown, top row first; picked: the one outlined, if shown.
        positions: the window of tokens; labels: one for each token of the prompt.
    """
    part = values[positions.start : positions.stop, list(neurons)].T.astype(np.float32)
    rows = range(len(neurons))
    figure = make_subplots(cols=2, column_widths=[0.7, 0.3], shared_yaxes=True,
                           horizontal_spacing=0.04)  # fmt: skip
    figure.add_trace(_cells(part, neurons, positions, labels, theme), 1, 1)
    figure.add_trace(cell_targets(rows, positions), 1, 1)
    figure.add_trace(_bars(values[focus, list(neurons)], neurons, theme), 1, 2)
    outline(figure, focus, rows, theme)
    if picked in neurons:
        row = list(neurons).index(picked)
        outline(figure, range(positions.start, positions.stop), row, theme)
    names = [str(neuron) for neuron in neurons]
    figure.update_yaxes(**ticks(rows, names, MOST_NEURONS), showgrid=False)
    figure.update_yaxes(range=[len(neurons) - 0.5, -0.5], tickfont={"family": MONO, "size": 11})
    _token_axis(figure, positions, labels)
    lay_out(figure, theme, height=HEIGHT, clickmode="event+select", hovermode="closest")
    figure.update_yaxes(ticks="", ticklabelstandoff=6)
    figure.update_xaxes(ticks="")
    figure.update_yaxes(title=axis_title("neuron", theme), col=1)
    figure.update_xaxes(title=axis_title("in focus", theme), nticks=3, tickangle=0, col=2)
    said = [magnitude(float(value)) for value in values[focus, list(neurons)]]
    figure.update_yaxes(showticklabels=True, side="right", ticktext=said, col=2)
    return figure.update_layout(bargap=0.3)


def neuron_course(
    values: np.ndarray, positions: range, labels: Sequence[TokenLabel], focus: int, theme: Theme
) -> go.Figure:
    """One neuron's value at each token of a window; the token in focus is at full strength.

    Args:
        values: (S,) for the whole prompt.
    """
    figure = token_bars(
        values,
        positions,
        labels,
        title="activation",
        colour=theme.ff,
        focus=focus,
        theme=theme,
        height=COURSE_HEIGHT,
    )
    part = values[positions.start : positions.stop]
    figure.update_traces(
        marker={"color": signed_colours(part, theme)},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0.45}},
    )
    # A lone bar would otherwise be as wide as the panel.
    room = max(len(positions), 8)
    figure.update_xaxes(range=[positions.start - 0.5, positions.start + room - 0.5])
    figure.add_hline(y=0, line={"color": theme.muted, "width": 1})
    return figure.update_layout(clickmode="event+select")


def gelu_curve(
    before: np.ndarray, after: np.ndarray, neuron: int, token: TokenLabel, theme: Theme
) -> go.Figure:
    """GELU and ReLU, the neurons of one token lying on the curve, and how many lie where.

    Trace 0 holds the neurons, in their order.

    Args:
        before, after: (dff,) what enters and what leaves the GELU at `token`.
        neuron: the picked one, named in the picture.
    """
    low, high = min(-4.0, float(before.min())) - 0.2, max(4.0, float(before.max())) + 0.2
    x = np.linspace(low, high, 241).astype(np.float32)
    figure = make_subplots(rows=2, shared_xaxes=True, row_heights=[0.76, 0.24],
                           vertical_spacing=0.04)  # fmt: skip
    figure.add_trace(_on_the_curve(before, after, token, theme), 1, 1)
    figure.add_trace(_line(x, gelu_tanh(x), "GELU, GPT-2", theme.ff), 1, 1)
    figure.add_trace(_line(x, relu(x), "ReLU, 2017", theme.muted, "dash"), 1, 1)
    figure.add_trace(_counts(before, low, high, theme), 2, 1)
    figure.add_trace(_named(before[neuron], after[neuron], neuron, theme), 1, 1)
    lay_out(figure, theme, height=HEIGHT, clickmode="event+select", hovermode="closest", bargap=0)
    figure.update_xaxes(range=[low, high])
    figure.update_xaxes(title=axis_title("before GELU", theme), row=2)
    figure.update_yaxes(title=axis_title("after GELU", theme), row=1)
    figure.update_yaxes(title=axis_title("neurons", theme), nticks=3, row=2)
    legend = {"x": 0.01, "y": 0.99, "bgcolor": "rgba(0,0,0,0)", "itemclick": False}
    return figure.update_layout(showlegend=True, legend=legend)


def _token_axis(figure: go.Figure, positions: range, labels: Sequence[TokenLabel]) -> None:
    """Tokens along the x axis of the map: integers, with the texts as tick labels."""
    texts = [labels[position].plain for position in positions]
    figure.update_xaxes(
        **ticks(positions, texts, 24),
        tickangle=-45,
        tickfont={"family": MONO, "size": 11},
        showgrid=False,
        range=[positions.start - 0.5, positions.stop - 0.5],
        col=1,
    )


def label_at(label: TokenLabel) -> str:
    """A token and its position, for plotly's hovers."""
    return f"{label.plain} ({label.position})"


def _cells(
    part: np.ndarray,
    neurons: Sequence[int],
    positions: range,
    labels: Sequence[TokenLabel],
    theme: Theme,
) -> go.Heatmap:
    largest = max(float(np.abs(part).max()), 1e-6)
    tokens = [label_at(labels[position]) for position in positions]
    return go.Heatmap(
        z=part,
        x0=positions.start,
        dx=1,
        zmin=-largest,
        zmax=largest,
        xgap=1,
        ygap=1,
        text=[tokens] * len(part),
        customdata=np.repeat(np.array(neurons)[:, None], len(tokens), axis=1),
        colorscale=signed_scale(theme),
        colorbar=colour_bar(theme, "", **ABOVE_THE_MAP),
        hovertemplate="neuron %{customdata} at %{text}: <b>%{z:.3g}</b><extra></extra>",
    )


def _bars(values: np.ndarray, neurons: Sequence[int], theme: Theme) -> go.Bar:
    return go.Bar(
        x=values.astype(np.float32),
        y=np.arange(len(neurons)),
        orientation="h",
        customdata=np.array(neurons),
        marker={"color": signed_colours(values, theme)},
        hovertemplate="neuron %{customdata}: <b>%{x:.4g}</b><extra></extra>",
        **NEVER_DIMMED,
    )


def _on_the_curve(
    before: np.ndarray, after: np.ndarray, token: TokenLabel, theme: Theme
) -> go.Scatter:
    return go.Scatter(
        x=before.astype(np.float32),
        y=after.astype(np.float32),
        name=f"neurons at {label_at(token)}",
        mode="markers",
        marker={"size": 7, "color": theme.ff, "opacity": 0.35},
        selected={"marker": {"opacity": 0.35}},
        unselected={"marker": {"opacity": 0.35}},
        hovertemplate="neuron %{pointNumber}: %{x:.3g} → <b>%{y:.3g}</b><extra></extra>",
    )


def _line(x: np.ndarray, y: np.ndarray, name: str, colour: str, dash: str = "solid") -> go.Scatter:
    line = {"color": colour, "width": 1.5, "dash": dash}
    return go.Scatter(x=x, y=y, name=name, mode="lines", line=line, hoverinfo="skip")


def _counts(before: np.ndarray, low: float, high: float, theme: Theme) -> go.Bar:
    """Counted here, so that the browser gets BINS numbers."""
    counts, edges = np.histogram(before, bins=BINS, range=(low, high))
    return go.Bar(
        x=((edges[:-1] + edges[1:]) / 2).astype(np.float32),
        y=counts,
        width=edges[1] - edges[0],
        marker={"color": theme.ff, "opacity": 0.55, "line": {"width": 0}},
        showlegend=False,
        hovertemplate="around %{x:.2f}: <b>%{y}</b> neurons<extra></extra>",
    )


def _named(before: float, after: float, neuron: int, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[before],
        y=[after],
        mode="markers+text",
        text=[f"neuron {neuron}"],
        textposition="top left" if before > 0 else "top center",
        marker={"size": 10, "color": theme.ff, "line": {"color": theme.text, "width": 2}},
        showlegend=False,
        hoverinfo="skip",
    )
