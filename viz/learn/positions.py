"""What is added up at the bottom of the stream, and how alike the rows of a position table are."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.labels import TokenLabel
from viz.theme import MONO, Theme, colour_bar, lay_out, signed_scale
from viz.window import ticks

MOST_ROWS, MOST_COLUMNS, MOST_LIKE = 16, 64, 64


def summands(
    tables: dict[str, np.ndarray], labels: Sequence[TokenLabel], first: int, theme: Theme
) -> go.Figure:
    """Four tables with a row for each token, side by side: what stands in them, entry by entry.

    Args:
        tables: title -> (S, dmodel); at most MOST_ROWS rows and MOST_COLUMNS columns are shown.
        labels: (S,) of the rows; first: the first column shown.
    """
    titles = [_titled(name, table) for name, table in tables.items()]
    figure = make_subplots(
        rows=2,
        cols=2,
        subplot_titles=titles,
        shared_yaxes=True,
        shared_xaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.14,
    )
    for i, table in enumerate(tables.values()):
        cells = table[:MOST_ROWS, first : first + MOST_COLUMNS].astype(np.float32)
        figure.add_trace(_cells(cells, first, np.abs(table).max(), theme), i // 2 + 1, i % 2 + 1)
    shown = range(min(MOST_ROWS, len(labels)))
    figure.update_yaxes(
        **ticks(shown, [label.plain for label in labels[: len(shown)]], MOST_ROWS),
        autorange="reversed",
        tickfont={"family": MONO, "size": 11},
        showgrid=False,
    )
    figure.update_xaxes(showgrid=False, nticks=8, tickformat="d")
    figure.update_xaxes(title={"text": "entry of the vector", "font": {"size": 11}}, row=2)
    figure.update_annotations(font={"size": 12, "color": theme.muted})
    return lay_out(figure, theme, height=430).update_layout(margin_t=26)


def likeness(tables: dict[str, np.ndarray], theme: Theme) -> go.Figure:
    """For each table of positions: the cosine between any two of its rows, -1 to 1.

    Args:
        tables: title -> (P, dmodel), P positions from 0; MOST_LIKE of them are shown, evenly taken.
    """
    figure = make_subplots(cols=len(tables), subplot_titles=list(tables), horizontal_spacing=0.06)
    for column, table in enumerate(tables.values(), start=1):
        step = -(-len(table) // MOST_LIKE)
        figure.add_trace(
            go.Heatmap(
                z=cosines(table[::step]).astype(np.float32),
                dx=step,
                dy=step,
                zmin=-1,
                zmax=1,
                colorscale=signed_scale(theme),
                showscale=column == 1,
                colorbar=colour_bar(theme, "cosine", tickvals=[-1, 0, 1]),
                hovertemplate="positions %{y} and %{x}<br>cosine <b>%{z:.2f}</b><extra></extra>",
            ),
            1,
            column,
        )
    figure.update_yaxes(autorange="reversed", showgrid=False, nticks=5)
    figure.update_xaxes(showgrid=False, nticks=5, title={"text": "position", "font": {"size": 11}})
    figure.update_annotations(font={"size": 12, "color": theme.muted})
    return lay_out(figure, theme, height=430).update_layout(margin_t=26)


def cosines(rows: np.ndarray) -> np.ndarray:
    """(P, dmodel) -> (P, P): the cosine between every two rows; 0 where a row is all zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(lengths > 0, lengths, 1)
    return unit @ unit.T


def _titled(name: str, table: np.ndarray) -> str:
    return f"{name} · ±{np.abs(table).max():.2g}"


def _cells(cells: np.ndarray, first: int, largest: float, theme: Theme) -> go.Heatmap:
    return go.Heatmap(
        z=cells,
        x0=first,
        dx=1,
        zmin=-largest,
        zmax=largest,
        colorscale=signed_scale(theme),
        showscale=False,
        hovertemplate="%{y}, entry %{x}: <b>%{z:.3g}</b><extra></extra>",
    )
