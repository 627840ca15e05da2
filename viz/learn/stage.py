"""The same figure for a hall: type that can be read from the back row."""

import plotly.graph_objects as go

TYPE = 24  # pixels, at least
MOST_TICKS = 12


def enlarged(figure: go.Figure, height: int) -> go.Figure:
    """A copy of `figure` with all type at TYPE and tick labels thinned to what fits."""
    stage = go.Figure(figure)
    stage.update_layout(height=height, font={"size": TYPE}, legend={"font": {"size": TYPE}})
    stage.update_layout(hoverlabel={"font": {"size": TYPE}})
    stage.update_annotations(font={"size": TYPE})
    for axes in (stage.update_xaxes, stage.update_yaxes):
        axes(tickfont={"size": TYPE}, title={"font": {"size": TYPE}})
    stage.for_each_xaxis(_thinned)
    stage.for_each_yaxis(_thinned)
    stage.update_traces(textfont={"size": TYPE}, selector={"type": "bar"})
    stage.update_traces(line={"width": 4}, selector={"mode": "lines"})
    bar = {"tickfont": {"size": TYPE}, "title": {"font": {"size": TYPE}}, "thickness": 18}
    stage.update_traces(colorbar=bar, selector={"type": "heatmap"})
    if stage.layout.margin.t and stage.layout.margin.t > 8:
        stage.update_layout(margin={"t": 44})
    return stage


def _thinned(axis) -> None:
    if axis.tickvals is None:
        axis.nticks = min(axis.nticks or 6, 6)
        return
    every = -(-len(axis.tickvals) // MOST_TICKS)
    axis.tickvals = list(axis.tickvals)[::every]
    if axis.ticktext is not None:
        axis.ticktext = list(axis.ticktext)[::every]
