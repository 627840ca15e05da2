"""The residual stream: how large it is, what is added to it, and which entries stand out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from viz.labels import TokenLabel, magnitude, writer_label
from viz.theme import MONO, Theme, axis_title, colour_bar, lay_out, scale, signed_scale
from viz.window import ticks

HEIGHT = 372
MOST_WRITERS = 27  # labels beside one another that can still be read


@dataclass(frozen=True)
class Quantity:
    """Something measured for every writer and token, and how a map shows it."""

    title: str  # of the colour bar, with its unit
    says: str  # one cell in words; %{y} writer, %{x} token, %{customdata} value
    signed: bool = False  # from -1 to 1, two colours; else logarithmic, one colour


NORM = Quantity("L2 norm", "after %{y}, at %{x}<br>norm <b>%{customdata:.4g}</b>")
READ = Quantity("L2 norm", "after %{y}, as it is read, at %{x}<br>norm <b>%{customdata:.4g}</b>")
RATIO = Quantity(
    "write ÷ stream", "%{y} at %{x}<br>adds <b>%{customdata:.3f}</b> times the stream’s norm"
)
COSINE = Quantity("cosine", "%{y} at %{x}<br>cosine <b>%{customdata:.3f}</b>", signed=True)


def stream_map(
    values: np.ndarray,
    quantity: Quantity,
    *,
    positions: range,
    labels: Sequence[TokenLabel],
    writers: Sequence[str],
    focus: int,
    at: str,
    theme: Theme,
) -> go.Figure:
    """One quantity of the stream by writer and token, for a window of tokens.

    Args:
        values: (2N+1, S), bottom of the stream first; NaN where there is nothing to show.
        positions: the window; labels, one for each token of the prompt.
        focus: the position whose column is outlined; at: the box whose row is, if it writes.
    """
    part = values[:, positions.start : positions.stop].astype(np.float32)
    cells = _signed_cells if quantity.signed else _log_cells
    figure = go.Figure(cells(part, quantity, positions.start, theme))
    figure.add_trace(cell_targets(range(len(writers)), positions))
    texts = [labels[position].plain for position in positions]
    figure.update_xaxes(**ticks(positions, texts, 24), tickangle=-45, showgrid=False)
    rows = range(len(writers))
    _writer_axis(figure, writers)
    figure.update_xaxes(tickfont={"family": MONO, "size": 11})
    outline(figure, focus, rows, theme)
    if at in writers:
        outline(figure, range(positions.start, positions.stop), writers.index(at), theme)
    return lay_out(figure, theme, height=HEIGHT, clickmode="event+select", hovermode="closest")


def norm_course(
    norms: np.ndarray, writes: np.ndarray, writers: Sequence[str], theme: Theme
) -> go.Figure:
    """For one token: the stream's norm after each writer, and the norm of what that writer added.

    Args:
        norms, writes: (2N+1,)
    """
    rows = np.arange(len(writers))
    names = [writer_label(writer) for writer in writers]
    figure = go.Figure(
        go.Bar(
            x=writes,
            y=rows,
            orientation="h",
            customdata=names,
            marker={"color": [getattr(theme, component(writer)) for writer in writers]},
            hovertemplate="%{customdata} adds a vector of norm <b>%{x:.4g}</b><extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=norms,
            y=rows,
            mode="lines+markers",
            customdata=names,
            line={"color": theme.text, "width": 1.5},
            marker={"size": 5},
            hovertemplate="after %{customdata} the stream has norm <b>%{x:.4g}</b><extra></extra>",
        )
    )
    _writer_axis(figure, writers)
    figure.update_xaxes(title=axis_title("L2 norm", theme))
    figure.update_xaxes(rangemode="tozero")
    return lay_out(figure, theme, height=HEIGHT, bargap=0.35)


def _writer_axis(figure: go.Figure, writers: Sequence[str]) -> None:
    names = [writer_label(writer) for writer in writers]
    size = 12 if len(writers) <= 20 else 10
    labels = ticks(range(len(writers)), names, MOST_WRITERS)
    figure.update_yaxes(**labels, tickfont={"size": size}, showgrid=False)
    figure.update_yaxes(ticks="", ticklabelstandoff=6)


def component(writer: str) -> str:
    """The kind of a writer, as the theme's colours are named: embed, attn or ff."""
    return writer.rsplit(".", 1)[-1]


def cell_targets(rows: range, positions: range) -> go.Scatter:
    """Unseen points on every cell, since cells of a heat map cannot be selected themselves."""
    x, y = np.meshgrid(np.arange(positions.start, positions.stop), np.arange(len(rows)))
    return go.Scatter(
        x=x.ravel().astype(np.int32),
        y=y.ravel().astype(np.int32),
        mode="markers",
        marker={"opacity": 0, "size": 14},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        hoverinfo="none",
    )


def outline(figure: go.Figure, x: range | int, y: range | int, theme: Theme, **place: int) -> None:
    """Frame one row (x a range, y a row) or one column (y a range) of a heat map.

    Args:
        place: row and col of the heat map, in a figure of several.
    """
    x = range(x, x + 1) if isinstance(x, int) else x
    y = range(y, y + 1) if isinstance(y, int) else y
    figure.add_shape(
        type="rect",
        x0=x.start - 0.5,
        x1=x.stop - 0.5,
        y0=y.start - 0.5,
        y1=y.stop - 0.5,
        line={"color": theme.text, "width": 1.5},
        **place,
    )


def entry_bars(values: np.ndarray, names: Sequence[str], theme: Theme) -> go.Figure:
    """The stream's largest single entries as bars, the largest on top.

    Args:
        values: (k,) with their signs; names: where each stands, escaped for plotly.
    """
    rows = range(len(values))
    figure = go.Figure(
        go.Bar(
            x=values,
            y=list(rows),
            orientation="h",
            text=[magnitude(float(value)) for value in values],
            textposition="outside",
            cliponaxis=False,
            customdata=list(names),
            marker={"color": theme.norm},
            hovertemplate="%{customdata}: <b>%{x:.4g}</b><extra></extra>",
        )
    )
    room = 1.25 * max(float(np.abs(values).max()), 1e-6)
    low = -room if (values < 0).any() else 0
    figure.update_xaxes(
        range=[low, room if (values > 0).any() else 0],
        title=axis_title("value of the entry", theme),
    )
    figure.update_yaxes(**ticks(rows, list(names), 40), range=[len(values) - 0.4, -0.6])
    figure.update_yaxes(showgrid=False, ticks="", tickfont={"size": 11})
    return lay_out(figure, theme, height=HEIGHT, bargap=0.35)


def vector_bars(vector: np.ndarray, theme: Theme, height: int = HEIGHT) -> go.Figure:
    """One vector of the stream, a bar for each of its dimensions.

    Args:
        vector: (dmodel,)
    """
    figure = go.Figure(
        go.Bar(
            x=np.arange(len(vector)),
            y=vector.astype(np.float32),
            marker={"color": theme.norm, "line": {"width": 0}},
            hovertemplate="dimension %{x}: <b>%{y:.4g}</b><extra></extra>",
        )
    )
    figure.update_xaxes(title=axis_title("dimension of the stream", theme))
    figure.update_xaxes(showgrid=False, tickformat="d")
    figure.update_yaxes(title=axis_title("value", theme))
    return lay_out(figure, theme, height=height, bargap=0)


def _log_cells(values: np.ndarray, quantity: Quantity, start: int, theme: Theme) -> go.Heatmap:
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(values)
    logs[~np.isfinite(logs)] = np.nan
    bar = colour_bar(theme, quantity.title, **_powers(logs))
    return _map_of(logs, values, quantity, start, colorscale=scale(theme, "norm"), colorbar=bar)


def _signed_cells(values: np.ndarray, quantity: Quantity, start: int, theme: Theme) -> go.Heatmap:
    bar = colour_bar(theme, quantity.title, tickvals=[-1, -0.5, 0, 0.5, 1])
    colours = {"colorscale": signed_scale(theme), "zmin": -1, "zmax": 1}
    return _map_of(values, values, quantity, start, colorbar=bar, **colours)


def _map_of(shown: np.ndarray, values: np.ndarray, quantity: Quantity, start: int, **how):
    return go.Heatmap(
        z=shown,
        x0=start,
        dx=1,
        customdata=values,
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertemplate=quantity.says + "<extra></extra>",
        **how,
    )


def _powers(logs: np.ndarray) -> dict:
    """Colour bar ticks at 1, 2, 5, 10, 20 … within the range shown."""
    if np.isnan(logs).all():
        return {}
    low, high = np.nanmin(logs), np.nanmax(logs)
    steps = [m * 10.0**e for e in range(-6, 7) for m in (1, 2, 5)]
    shown = [s for s in steps if low <= np.log10(s) <= high]
    return {"tickvals": np.log10(shown).tolist(), "ticktext": [f"{s:g}" for s in shown]}
