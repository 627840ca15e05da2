"""The logit lens as a table: what every layer would say next, were it the last."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz.labels import TokenLabel, probability, writer_label
from viz.residual import cell_targets, outline
from viz.theme import MONO, Theme, axis_title, colour_bar, lay_out, mix, scale, text_on
from viz.window import ticks

MOST_COLUMNS = 14
DASHES = ("solid", "dash", "dot", "dashdot")
MOST_GUESSES = 6000  # named in all hovers together; more would make the figure heavy


@dataclass(frozen=True)
class Colouring:
    """One way to colour the table."""

    title: str  # of the colour bar, with its unit
    lowest: float
    highest: float | None  # None: the largest value shown
    logarithmic: bool = False  # coloured by log10(value)


COLOURINGS = {
    "probability": Colouring("probability of the best token", 0, 1),
    "entropy": Colouring("entropy, nats", 0, None),
    "kl": Colouring("KL to the final row, nats", 0, None),
    "rank": Colouring("place of the target, 1 is best", 0, None, logarithmic=True),
}


def lens_table(
    words: Sequence[Sequence[Sequence[TokenLabel]]],
    *,
    probs: np.ndarray,
    values: np.ndarray,
    colouring: str,
    rows: Sequence[str],
    positions: range,
    labels: Sequence[TokenLabel],
    focus: int,
    at: str,
    theme: Theme,
) -> go.Figure:
    """Best token in every cell; on hover the top k, or as many of them as keep the figure light.

    Args:
        words: (R, P, k) tokens, best first; probs: (R, P, k).
        values: (R, P), what the colour shows; colouring: a key of COLOURINGS.
        rows: R writers, bottom of the stream first; positions: the P tokens of the window.
    """
    how = COLOURINGS[colouring]
    values = np.log10(values) if how.logarithmic else values
    listed = max(1, min(probs.shape[-1], MOST_GUESSES // values.size))
    highest = how.highest or max(float(np.nanmax(values)), 1e-6)
    figure = go.Figure(
        go.Heatmap(
            z=values.astype(np.float32),
            x0=positions.start,
            dx=1,
            zmin=how.lowest,
            zmax=highest,
            xgap=1,
            ygap=1,
            customdata=[_hovers(*cells) for cells in zip(words, probs[..., :listed], strict=True)],
            colorscale=scale(theme, "head"),
            colorbar=colour_bar(theme, how.title, **_decades(how, highest)),
            hovertemplate="after %{y}, having read %{x}<br>%{customdata}<extra></extra>",
        )
    )
    shares = np.clip((values - how.lowest) / (highest - how.lowest), 0, 1)
    figure.add_trace(_best_words(words, shares, positions.start, theme))
    figure.add_trace(cell_targets(range(len(rows)), positions))
    texts = [labels[position].plain for position in positions]
    figure.update_xaxes(**ticks(positions, texts, MOST_COLUMNS), showgrid=False)
    figure.update_xaxes(tickfont={"family": MONO, "size": 11}, tickangle=-35)
    names = [writer_label(row) for row in rows]
    figure.update_yaxes(**ticks(range(len(rows)), names, 27), showgrid=False)
    figure.update_yaxes(ticks="", ticklabelstandoff=6)
    outline(figure, focus, range(len(rows)), theme)
    if at in rows:
        outline(figure, range(positions.start, positions.stop), list(rows).index(at), theme)
    return lay_out(
        figure, theme, height=table_height(len(rows)), clickmode="event+select", hovermode="closest"
    )


def table_height(rows: int) -> int:
    """Pixels: rows a little lower where there are many, and never too low to read."""
    return 62 + max(300, rows * 16)


def token_courses(
    probs: np.ndarray,
    ranks: np.ndarray,
    words: Sequence[TokenLabel],
    rows: Sequence[str],
    theme: Theme,
) -> go.Figure:
    """How a few tokens fare from row to row: probability above, place below.

    Args:
        probs: (T, R), 0 to 1; ranks: (T, R), 0 is the best guess; words: T tokens.
        rows: R writers, bottom of the stream first.
    """
    figure = make_subplots(rows=2, shared_xaxes=True, vertical_spacing=0.06)
    depth = np.arange(len(rows))
    for i, word in enumerate(words):
        style = {"color": course_colour(i, theme), "dash": DASHES[i % len(DASHES)], "width": 2}
        for panel, values, said in ((1, probs, "probability"), (2, ranks + 1, "place")):
            figure.add_trace(
                go.Scatter(
                    x=depth,
                    y=values[i],
                    mode="lines+markers",
                    name=word.plain,
                    legendgroup=str(i),
                    showlegend=panel == 1,
                    line=style,
                    marker={"size": 5},
                    hovertemplate=f"{word.plain} after %{{x}}<br>{said} <b>%{{y:.4g}}</b>"
                    "<extra></extra>",
                ),
                panel,
                1,
            )
    lay_out(figure, theme, height=table_height(13), legend={"font": {"family": MONO}})
    names = [writer_label(row) for row in rows]
    figure.update_xaxes(**ticks(range(len(rows)), names, 14), showgrid=False, tickangle=-35)
    figure.update_yaxes(range=[0, 1.02], title=axis_title("probability", theme), row=1, col=1)
    lowest = np.log10(max(10, ranks.max() + 1))
    figure.update_yaxes(
        type="log", range=[1.05 * lowest, -0.05 * lowest], dtick=1, tickformat=",", row=2, col=1
    )
    figure.update_yaxes(title=axis_title("place, 1 is best", theme), row=2, col=1)
    return figure.update_layout(showlegend=True)


def course_colour(i: int, theme: Theme) -> str:
    """A colour for the i-th token; after five the dashes tell lines of one colour apart."""
    return (theme.head, theme.attn, theme.ff, theme.embed, theme.norm)[i % 5]


def _decades(how: Colouring, highest: float) -> dict:
    """Ticks at 1, 10, 100 … where the colour is logarithmic."""
    if not how.logarithmic:
        return {}
    powers = [power for power in range(6) if power <= highest]
    return {"tickvals": powers, "ticktext": [f"{10**power:,}" for power in powers]}


def _best_words(
    words: Sequence[Sequence[Sequence[TokenLabel]]],
    shares: np.ndarray,
    start: int,
    theme: Theme,
) -> go.Scatter:
    """The best token of every cell, in whichever ink can be read on the cell's own colour.

    Args:
        shares: (R, P) of the colour scale, 0 to 1.
    """
    R, P = shares.shape
    x, y = np.meshgrid(np.arange(start, start + P), np.arange(R))
    grounds = (mix(theme.surface, theme.head, share) for share in np.nan_to_num(shares).flat)
    inks = [text_on(ground) for ground in grounds]
    return go.Scatter(
        x=x.ravel().astype(np.int32),
        y=y.ravel().astype(np.int32),
        mode="text",
        text=[cell[0].cut(7) for row in words for cell in row],
        textfont={"family": MONO, "size": 11, "color": inks},
        hoverinfo="skip",
    )


def _hovers(row: Sequence[Sequence[TokenLabel]], probs: np.ndarray) -> list[str]:
    cells = zip(row, probs, strict=True)
    return ["<br>".join(map(_guess, words, shares)) for words, shares in cells]


def _guess(word: TokenLabel, share: float) -> str:
    return f"{probability(share)}  {word.plain}"
