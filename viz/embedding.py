"""Where the stream begins: what is added for each token, which tokens and positions are alike."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.labels import TokenLabel, decimals
from viz.residual import cell_targets, outline
from viz.theme import MONO, Theme, axis_title, colour_bar, lay_out, signed_scale
from viz.window import ticks

MOST_ROWS = 20
MOST_ENTRIES = 32
MOST_CELLS = 128  # a side of the map of positions
HEIGHT = 380
MARKERS = {"wte": "circle", "wpe": "circle-open", "sum": "line-ns-open"}


def largest_entries(vectors: np.ndarray, most: int = MOST_ENTRIES) -> np.ndarray:
    """(S, dmodel) -> the `most` entries with the largest mean square over the tokens, ascending."""
    return np.sort(np.argsort(-np.square(vectors).mean(axis=0), kind="stable")[:most])


def added(
    tables: Mapping[str, np.ndarray],
    entries: Sequence[int],
    *,
    positions: range,
    labels: Sequence[TokenLabel],
    focus: int,
    theme: Theme,
) -> go.Figure:
    """Some entries of each table side by side, one row a token.

    The tables share one colour scale, so that a column of the third is the sum of the columns
    before it. Traces 0, 2 and 4 are the tables, 1, 3 and 5 the points that can be picked in them.

    Args:
        tables: wte, wpe and sum, each (S, dmodel) for the whole prompt.
        entries: columns shown; positions: rows shown, the window of tokens.
    """
    figure = make_subplots(cols=len(tables), shared_yaxes=True, horizontal_spacing=0.03,
                           subplot_titles=list(tables))  # fmt: skip
    window = slice(positions.start, positions.stop)
    parts = [table[window, entries].astype(np.float32) for table in tables.values()]
    largest = max(float(np.abs(part).max()) for part in parts)
    for column, part in enumerate(parts, start=1):
        strip = _strip(part, entries, positions, labels, largest=largest, theme=theme)
        figure.add_trace(strip, 1, column)
        figure.add_trace(_cells_to_pick(positions, len(entries)), 1, column)
        outline(figure, range(len(entries)), focus, theme, row=1, col=column)
    _rows_of_tokens(figure, positions, labels, theme)
    names = [str(entry) for entry in entries]
    axis = ticks(range(len(entries)), names, 4) | {"range": [-0.5, len(entries) - 0.5]}
    figure.update_xaxes(**axis, tickangle=0, showgrid=False)
    figure.update_xaxes(title=axis_title("entry of the vector", theme), col=len(tables) // 2 + 1)
    return figure


def row_norms(
    norms: Mapping[str, np.ndarray],
    *,
    positions: range,
    labels: Sequence[TokenLabel],
    theme: Theme,
) -> go.Figure:
    """The L2 norms of the rows `added` shows, at the same heights.

    Args:
        norms: wte, wpe and sum, each (S,) for the whole prompt.
    """
    figure = go.Figure()
    for name, values in norms.items():
        figure.add_trace(_norms(name, values, positions, labels, theme))
    _rows_of_tokens(figure, positions, labels, theme)
    figure.update_xaxes(title=axis_title("L2 norm of the row", theme), rangemode="tozero", nticks=5)
    above = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"}
    return figure.update_layout(showlegend=True, legend=above | {"itemclick": False})


def nearest_bars(
    words: Sequence[TokenLabel], cosines: np.ndarray, typical: float, theme: Theme
) -> go.Figure:
    """Tokens by the cosine of their rows with one token's row, most alike at the top.

    Args:
        words: k tokens; cosines: (k,), largest first.
        typical: the cosine of a typical token, drawn as a line.
    """
    rows, names = range(len(words)), [word.plain for word in words]
    figure = go.Figure(
        go.Bar(
            x=cosines.astype(np.float32),
            y=list(rows),
            orientation="h",
            text=[decimals(cosine, 3) for cosine in cosines],
            textposition="outside",
            cliponaxis=False,
            customdata=names,
            marker={"color": theme.embed},
            hovertemplate="%{customdata}: cosine <b>%{x:.4f}</b><extra></extra>",
        )
    )
    figure.add_vline(
        x=typical,
        line={"color": theme.text, "width": 1, "dash": "dot"},
        annotation={"text": f"typical token {decimals(typical)}", "yanchor": "bottom", "y": 1},
        annotation_position="top",
    )
    low = min(0.0, typical, float(cosines.min()))
    figure.update_xaxes(range=[low, 1.06], tickvals=[-0.5, 0, 0.25, 0.5, 0.75, 1])
    figure.update_xaxes(title=axis_title("cosine", theme))
    figure.update_yaxes(
        **ticks(rows, names, 40),
        range=[len(words) - 0.4, -0.6],
        tickfont={"family": MONO, "size": 12},
        ticklabelstandoff=6,
        ticks="",
        showgrid=False,
    )
    lay_out(figure, theme, height=76 + 19 * len(words), bargap=0.3)
    return _titled(figure, theme)


def position_maps(tables: Mapping[str, np.ndarray], focus: int, theme: Theme) -> go.Figure:
    """For each table of positions: how alike any two of its rows are; the one in focus is marked.

    Args:
        tables: title -> (P, P) cosines; long ones are shown as means over squares of positions.
        focus: a position; its row is outlined.
    """
    figure = make_subplots(cols=len(tables), subplot_titles=list(tables), horizontal_spacing=0.08)
    for column, cosines in enumerate(tables.values(), start=1):
        cells, step = mean_pool(cosines, MOST_CELLS)
        figure.add_trace(_alike(cells, step, column == 1, theme), 1, column)
        figure.add_hline(y=focus, line={"color": theme.text, "width": 1}, row=1, col=column)
    side = len(next(iter(tables.values())))
    square = {"showgrid": False, "nticks": 6, "constrain": "domain", "range": [-0.5, side - 0.5]}
    figure.update_xaxes(**square, title=axis_title("position", theme))
    for column in range(1, len(tables) + 1):
        figure.update_yaxes(**square | {"range": [side - 0.5, -0.5]}, col=column,
                            scaleanchor=f"x{column}", constraintoward="top")  # fmt: skip
    return _titled(lay_out(figure, theme, height=HEIGHT), theme)


def likeness(rows: np.ndarray) -> np.ndarray:
    """(P, dmodel) -> (P, P): the cosine between every two rows; 0 where a row is all zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(lengths > 0, lengths, 1)
    return unit @ unit.T


def mean_pool(matrix: np.ndarray, size: int) -> tuple[np.ndarray, int]:
    """`matrix` (P, P) as at most (size, size) means over squares, and the side of a square."""
    step = -(-len(matrix) // size)
    edges = np.arange(0, len(matrix), step)
    sums = np.add.reduceat(np.add.reduceat(matrix, edges, axis=0), edges, axis=1)
    widths = np.diff([*edges, len(matrix)])
    return sums / np.outer(widths, widths), step


def _strip(
    cells: np.ndarray,
    entries: Sequence[int],
    positions: range,
    labels: Sequence[TokenLabel],
    *,
    largest: float,
    theme: Theme,
) -> go.Heatmap:
    tokens = [f"{labels[position].plain} ({position})" for position in positions]
    return go.Heatmap(
        z=cells,
        y0=positions.start,
        dy=1,
        zmin=-largest,
        zmax=largest,
        text=[[token] * len(entries) for token in tokens],
        customdata=np.repeat(np.array(entries)[None], len(tokens), axis=0),
        colorscale=signed_scale(theme),
        showscale=False,
        hovertemplate="%{text}, entry %{customdata}: <b>%{z:.3g}</b><extra></extra>",
    )


def _cells_to_pick(positions: range, entries: int) -> go.Scatter:
    """`cell_targets` counts rows from 0; here a row is a token, so they start at the window's."""
    points = cell_targets(range(len(positions)), range(entries))
    return points.update(y=points.y + positions.start)


def _norms(
    name: str, norms: np.ndarray, positions: range, labels: Sequence[TokenLabel], theme: Theme
) -> go.Scatter:
    colour = theme.text if name == "sum" else theme.embed
    return go.Scatter(
        x=norms[positions.start : positions.stop].astype(np.float32),
        y=np.arange(positions.start, positions.stop),
        name=name,
        mode="markers",
        customdata=[labels[position].plain for position in positions],
        marker={
            "symbol": MARKERS[name],
            "size": 9,
            "color": colour,
            "line": {"width": 2, "color": colour},
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate=name + " at %{customdata} (%{y}): <b>%{x:.4g}</b><extra></extra>",
    )


def _rows_of_tokens(
    figure: go.Figure, positions: range, labels: Sequence[TokenLabel], theme: Theme
) -> None:
    """Layout with one row a token; few tokens make a low picture, not tall rows."""
    texts = [labels[position].plain for position in positions]
    height = 110 + min(26, (HEIGHT - 110) / len(positions)) * len(positions)
    lay_out(figure, theme, height=height, clickmode="event+select", hovermode="closest")
    figure.update_xaxes(ticks="")
    figure.update_yaxes(**ticks(positions, texts, MOST_ROWS), showgrid=False, ticks="")
    figure.update_yaxes(range=[positions.stop - 0.5, positions.start - 0.5])
    figure.update_yaxes(tickfont={"family": MONO, "size": 11}, ticklabelstandoff=6)
    figure.update_annotations(font={"size": 12, "color": theme.muted})
    figure.update_layout(margin={"t": 38})  # titles or a legend: rows stay at the same heights


def _alike(cells: np.ndarray, step: int, with_bar: bool, theme: Theme) -> go.Heatmap:
    where = "positions" if step == 1 else "mean around positions"
    return go.Heatmap(
        z=cells.astype(np.float32),
        x0=(step - 1) / 2,
        dx=step,
        y0=(step - 1) / 2,
        dy=step,
        zmin=-1,
        zmax=1,
        colorscale=signed_scale(theme),
        showscale=with_bar,
        colorbar=colour_bar(theme, "cosine", tickvals=[-1, 0, 1]),
        hovertemplate=f"{where} %{{y:.0f}} and %{{x:.0f}}<br>"
        "cosine <b>%{z:.2f}</b><extra></extra>",
    )


def _titled(figure: go.Figure, theme: Theme) -> go.Figure:
    """Small titles over each part, with room for them."""
    figure.update_annotations(font={"size": 12, "color": theme.muted})
    return figure.update_layout(margin={"t": 26})
