"""The same figure for a hall: type that can be read from the back row."""

from copy import deepcopy

import plotly.graph_objects as go

TYPE = 24  # pixels, at least
WIDTH = 1200  # pixels a figure may take


def enlarged(figure: go.Figure, height: int) -> go.Figure:
    """A copy of `figure` with all type at TYPE and tick labels thinned to what fits."""
    stage = deepcopy(figure)
    stage.update_layout(height=height, font={"size": TYPE}, legend={"font": {"size": TYPE}})
    stage.update_layout(hoverlabel={"font": {"size": TYPE}})
    stage.update_annotations(font={"size": TYPE})
    for axes in (stage.update_xaxes, stage.update_yaxes):
        axes(tickfont={"size": TYPE}, title={"font": {"size": TYPE}})
    stage.for_each_xaxis(lambda axis: _thin(axis, WIDTH / (2 * TYPE)))
    stage.for_each_yaxis(lambda axis: _thin(axis, 0.8 * height / (1.4 * TYPE)))
    outside = {"textfont": {"size": TYPE}, "constraintext": "none"}  # else it shrinks to the bars
    stage.update_traces(outside, selector={"type": "bar"})
    stage.update_traces(line={"width": 4}, selector={"mode": "lines"})
    bar = {"tickfont": {"size": TYPE}, "title": {"font": {"size": TYPE}}, "thickness": 18}
    stage.update_traces(colorbar=bar, selector={"type": "heatmap"})
    if stage.layout.margin.t and stage.layout.margin.t > 8:
        stage.update_layout(margin={"t": round(1.7 * stage.layout.margin.t)})  # for its titles
    return stage


def _thin(axis, room: float) -> None:
    """Keep as many tick labels as fit: `room` of them along the whole figure."""
    low, high = axis.domain or (0, 1)
    most = max(1, int(room * (high - low)))
    if axis.tickvals is None:
        axis.nticks = min(axis.nticks or 6, 6, most)
        return
    every = -(-len(axis.tickvals) // most)
    axis.tickvals = list(axis.tickvals)[::every]
    if axis.ticktext is not None:
        axis.ticktext = list(axis.ticktext)[::every]
