"""LayerNorm, one step at a time, on one vector."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from viz.residual import vector_bars
from viz.theme import Theme


@dataclass(frozen=True, eq=False)
class Step:
    """One step of LayerNorm and the vector it leaves behind."""

    name: str
    formula: str
    values: np.ndarray  # (dmodel,)


def steps(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float) -> tuple[Step, ...]:
    """LayerNorm of one vector as its five states; the last equals the module's output.

    Args:
        x, weight, bias: (dmodel,)
        eps: added to the variance, so that a constant vector is not divided by zero.
    """
    centred = x - x.mean()
    unit = centred / np.sqrt(np.mean(centred**2) + eps)
    return (
        Step("As it comes", "x", x),
        Step("− mean", "x − mean(x)", centred),
        Step("÷ spread", "(x − mean(x)) / √(var(x) + eps)", unit),
        Step("× weight", "… · weight", unit * weight),
        Step("+ bias", "… · weight + bias", unit * weight + bias),
    )


def spread_bars(values: np.ndarray, theme: Theme) -> go.Figure:
    """The entries of one vector, with its mean as a line and one standard deviation as a band."""
    mean, spread = float(values.mean()), float(values.std())
    figure = vector_bars(values, theme, height=340)
    figure.add_hrect(
        y0=mean - spread, y1=mean + spread, fillcolor=theme.attn, opacity=0.16, line_width=0
    )
    figure.add_hline(y=mean, line={"color": theme.attn, "width": 2})
    return figure
