"""What is added up at the bottom of the stream, beside the sinusoids of 2017."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.labels import TokenLabel
from viz.theme import MONO, Theme, axis_title, lay_out, signed_scale
from viz.window import ticks

MOST_ROWS, MOST_COLUMNS = 16, 64


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
        ticks="",
        ticklabelstandoff=6,
        showgrid=False,
    )
    figure.update_xaxes(showgrid=False, nticks=8, tickformat="d")
    figure.update_xaxes(title=axis_title("entry of the vector", theme), row=2)
    figure.update_annotations(font={"size": 12, "color": theme.muted})
    return lay_out(figure, theme, height=430).update_layout(margin_t=26)


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
