"""The size of the residual stream: by writer and token, and along the way up for one token."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.labels import TokenLabel, writer_label
from viz.theme import MONO, Theme, colour_bar, lay_out, scale
from viz.window import ticks

MOST_WRITERS = 27  # labels beside one another that can still be read


def norm_map(
    norms: np.ndarray,
    *,
    positions: range,
    labels: Sequence[TokenLabel],
    writers: Sequence[str],
    focus: int,
    at: str,
    theme: Theme,
) -> go.Figure:
    """L2 norm of the stream after each writer, for a window of tokens, on a logarithmic scale.

    Args:
        norms: (2N+1, S), bottom of the stream first.
        positions: the window; labels, one for each token of the prompt.
        focus: the position whose column is outlined; at: the box whose row is, if it writes.
    """
    part = norms[:, positions.start : positions.stop].astype(np.float32)
    figure = go.Figure(_cells(part, positions.start, theme))
    figure.add_trace(cell_targets(range(len(writers)), positions))
    texts = [labels[position].plain for position in positions]
    figure.update_xaxes(**ticks(positions, texts, 24), tickangle=-45, showgrid=False)
    rows = range(len(writers))
    _writer_axis(figure, writers)
    figure.update_xaxes(tickfont={"family": MONO, "size": 11})
    outline(figure, focus, rows, theme)
    if at in writers:
        outline(figure, range(positions.start, positions.stop), writers.index(at), theme)
    return lay_out(figure, theme, height=400, clickmode="event+select", hovermode="closest")


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
    figure.update_xaxes(title={"text": "L2 norm", "font": {"size": 11, "color": theme.muted}})
    figure.update_xaxes(rangemode="tozero")
    return lay_out(figure, theme, height=400, bargap=0.35)


def _writer_axis(figure: go.Figure, writers: Sequence[str]) -> None:
    names = [writer_label(writer) + "  " for writer in writers]
    size = 12 if len(writers) <= 20 else 10
    labels = ticks(range(len(writers)), names, MOST_WRITERS)
    figure.update_yaxes(**labels, tickfont={"size": size}, showgrid=False)


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


def _cells(norms: np.ndarray, start: int, theme: Theme) -> go.Heatmap:
    with np.errstate(divide="ignore"):
        logs = np.log10(norms)
    logs[~np.isfinite(logs)] = np.nan
    return go.Heatmap(
        z=logs,
        x0=start,
        dx=1,
        customdata=norms,
        xgap=1,
        ygap=1,
        colorscale=scale(theme, "norm"),
        colorbar=colour_bar(theme, "L2 norm", **_powers(logs)),
        hovertemplate="after %{y}, at %{x}<br>norm <b>%{customdata:.4g}</b><extra></extra>",
    )


def _powers(logs: np.ndarray) -> dict:
    """Colour bar ticks at 1, 2, 5, 10, 20 … within the range shown."""
    if np.isnan(logs).all():
        return {}
    low, high = np.nanmin(logs), np.nanmax(logs)
    steps = [m * 10.0**e for e in range(-6, 7) for m in (1, 2, 5)]
    shown = [s for s in steps if low <= np.log10(s) <= high]
    return {"tickvals": np.log10(shown).tolist(), "ticktext": [f"{s:g}" for s in shown]}
