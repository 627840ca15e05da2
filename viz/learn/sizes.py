"""How many parameters each part of a model has."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from viz.theme import MONO, Theme, axis_title, lay_out

COLOURS = {"wte": "embed", "wpe": "embed", "lm_head": "head"}  # other parts are named as colours


def parameter_bars(counts: Mapping[str, int], theme: Theme) -> go.Figure:
    """One bar a part, embedding at the bottom as in the diagram; exact counts beside the bars."""
    rows, sizes = np.arange(len(counts)), np.array(list(counts.values()), dtype=float)
    total = sizes.sum()
    figure = go.Figure(
        go.Bar(
            x=sizes / 1e6,
            y=rows,
            orientation="h",
            marker={"color": [getattr(theme, COLOURS.get(part, part)) for part in counts]},
            text=[_count(part, size) for part, size in counts.items()],
            textposition="outside",
            cliponaxis=False,
            customdata=100 * sizes / total,
            hovertemplate="%{text} parameters, %{customdata:.1f}% of all<extra></extra>",
        )
    )
    figure.update_yaxes(
        tickmode="array",
        tickvals=rows.tolist(),  # plotly packs an array into bytes when it copies a figure
        ticktext=[part + "  " for part in counts],
        tickfont={"family": MONO, "size": 12},
        showgrid=False,
    )
    room = 1.45 * sizes.max() / 1e6  # for the counts beside the bars
    figure.update_xaxes(range=[0, room], title=axis_title("million parameters", theme))
    return lay_out(figure, theme, height=260, bargap=0.3)


def _count(part: str, size: int) -> str:
    return f"{size:,}" if part != "lm_head" else "0 · shares wte"
