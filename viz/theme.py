"""Every colour on the page, for light and dark, and the layout all figures share.

One colour a kind of component, the same in the diagram, the panels and the charts. Heat maps use
one hue that runs from the panel's own background to full strength, so that zero looks like nothing
and order survives every kind of colour blindness.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import plotly.graph_objects as go

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"
# A click selects; plotly would fade all that was not clicked.
NEVER_DIMMED = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"


@dataclass(frozen=True)
class Theme:
    """One complete set of colours, as CSS hex strings."""

    name: str
    background: str
    surface: str  # chips, captions, empty cells
    text: str
    muted: str  # secondary text
    line: str  # borders and grid lines
    embed: str  # a strong colour for each kind of component, and a soft one to fill its box
    embed_soft: str
    attn: str
    attn_soft: str
    ff: str
    ff_soft: str
    norm: str
    norm_soft: str
    head: str  # the unembedding, and every guess it makes
    head_soft: str
    stream: str
    accent: str  # outlines what is picked, against any of the colours above
    on_strong: str  # text on a strong colour


LIGHT = Theme(
    name="light",
    background="#ffffff",
    surface="#f4f6f8",
    text="#1a2230",
    muted="#586376",
    line="#dde2e8",
    embed="#2f7d5d",
    embed_soft="#dcebe4",
    attn="#2462a8",
    attn_soft="#dce7f3",
    ff="#a35610",
    ff_soft="#f9eadb",
    norm="#636b79",
    norm_soft="#e8eaed",
    head="#7d4a9f",
    head_soft="#e9dff0",
    stream="#d3d7dc",
    accent="#b34e06",
    on_strong="#ffffff",
)

DARK = Theme(
    name="dark",
    background="#0f141b",
    surface="#1b222b",
    text="#e8edf3",
    muted="#9aa6b5",
    line="#2b3440",
    embed="#5fb892",
    embed_soft="#1b322a",
    attn="#6ba4ec",
    attn_soft="#1c2f47",
    ff="#dd9a4f",
    ff_soft="#3a2b1c",
    norm="#98a2b0",
    norm_soft="#29313b",
    head="#b583d6",
    head_soft="#33264a",
    stream="#3a444f",
    accent="#f0a04b",
    on_strong="#0f141b",
)


def theme_named(name: str | None) -> Theme:
    """The theme of that name; light when the browser has not said."""
    return DARK if name == "dark" else LIGHT


def css_variables() -> str:
    """`--gb-<colour>` for every colour; each follows the page's colour scheme by itself."""
    light, dark = asdict(LIGHT), asdict(DARK)
    rows = (
        f"--gb-{name.replace('_', '-')}: light-dark({light[name]}, {dark[name]});"
        for name in light
        if name != "name"
    )
    return ":root{" + "".join(rows) + f"--gb-font:{FONT};--gb-mono:{MONO};" + "}"


def scale(theme: Theme, kind: str) -> list[tuple[float, str]]:
    """A plotly colour scale from the panel's background to the strong colour of `kind`."""
    low, high = theme.surface, getattr(theme, kind)
    return [(step / 8, mix(low, high, step / 8)) for step in range(9)]


def signed_scale(theme: Theme) -> list[tuple[float, str]]:
    """For values around zero: orange above it, blue below, the ground at it, in every picture."""
    low, high = theme.attn, theme.ff
    under = [(0.5 - step / 8, mix(theme.surface, low, step / 4)) for step in (4, 3, 2, 1)]
    return under + [(0.5 + step / 8, mix(theme.surface, high, step / 4)) for step in range(5)]


def signed_colours(values: Iterable[float], theme: Theme) -> list[str]:
    """The two hues of `signed_scale` for bars around zero."""
    return [theme.ff if value >= 0 else theme.attn for value in values]


def mix(low: str, high: str, share: float) -> str:
    """The colour `share` of the way from `low` to `high` (both `#rrggbb`)."""
    pairs = zip(_channels(low), _channels(high), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def text_on(ground: str) -> str:
    """Black or white, whichever can be read on `ground`: at least 4.58 to 1 on any colour."""
    return "#000000" if luminance(ground) > 0.179 else "#ffffff"


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, 0 to 1, as WCAG 2 defines it."""
    shares = (channel / 255 for channel in _channels(colour))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def lay_out(figure: go.Figure, theme: Theme, height: int, **extra) -> go.Figure:
    """Give `figure` the house layout: no frame, no menu bar, one type scale; returns it."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": 12, "color": theme.text},
        hoverlabel={
            "bgcolor": theme.background,
            "bordercolor": theme.line,
            "font": {"family": FONT, "size": 13, "color": theme.text},
            "align": "left",
        },
        showlegend=False,
        dragmode=False,
        **extra,
    )
    # Margins make room for the labels, so none overflows; looking for some takes plotly 70 ms.
    axis = {"automargin": True, "ticklabeloverflow": "allow", "fixedrange": True}
    axis["exponentformat"] = "power"  # 10^-6 rather than a μ that nobody asked for
    figure.update_xaxes(zeroline=False, gridcolor=theme.line, **axis)
    figure.update_yaxes(zeroline=False, gridcolor=theme.line, **axis)
    return figure


def axis_title(text: str, theme: Theme) -> dict:
    """What an axis measures, with its unit, in the small type of all axes."""
    return {"text": text, "font": {"size": 11, "color": theme.muted}}


def colour_bar(theme: Theme, title: str, **extra) -> dict:
    """A slim colour bar that names what it measures."""
    return {
        "title": axis_title(title, theme) | {"side": "right"},
        "thickness": 10,
        "outlinewidth": 0,
        "tickfont": {"size": 11, "color": theme.muted},
        "exponentformat": "power",
        "xpad": 8,
        **extra,
    }


def _channels(colour: str) -> tuple[int, int, int]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
