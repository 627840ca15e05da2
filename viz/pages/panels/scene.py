"""What every panel is given, and the parts all panels are built from."""

from collections.abc import Callable
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from model import Trace
from viz.labels import TokenLabel, error_size
from viz.pages import chrome, engine
from viz.pages.view import View
from viz.theme import Theme

PLOT = {"displayModeBar": False, "typesetMath": False}  # `$` in a token is no formula


@dataclass(frozen=True)
class Scene:
    """The trace, its labels, the visitor's choices, and the way to change them."""

    source: str
    trace: Trace
    labels: tuple[TokenLabel, ...]
    view: View  # with box, head and token chosen
    theme: Theme
    choose: Callable[..., None]  # choose(head=3, token=2), for callbacks
    tell: Callable[[str], None]  # a sentence for the visitor, for callbacks

    @property
    def label(self) -> TokenLabel:
        """The token in focus."""
        return self.labels[self.view.token]

    @property
    def count(self) -> int:
        """S: tokens of the prompt."""
        return len(self.labels)


def chart(figure: go.Figure, key: str, picked: Callable[[dict], None] | None = None) -> None:
    """Show a figure; a click on it reaches `picked` as the selected point, {"x": …, "y": …}."""

    def selected() -> None:
        points = st.session_state[key].get("selection", {}).get("points", [])
        if points:
            picked(points[0])

    asks = {"on_select": selected, "selection_mode": "points"} if picked else {}
    st.plotly_chart(figure, key=key, config=PLOT, theme=None, **asks)


def choice(scene: Scene, name: str, title: str, options: dict[str, str]) -> None:
    """A row of buttons for one part of the view; `title` is its name for screen readers."""
    key = f"choice_{name}"
    st.session_state[key] = getattr(scene.view, name)
    st.segmented_control(
        title,
        list(options),
        format_func=options.get,
        required=True,
        key=key,
        on_change=lambda: scene.choose(**{name: st.session_state[key]}),
        label_visibility="collapsed",
    )


def extent(positions: range, count: int) -> str:
    """Which tokens a picture shows, in words."""
    if len(positions) == count:
        return f"all {count} tokens" if count > 1 else "1 token"
    shown = f"tokens {positions.start} to {positions.stop - 1} of {count:,}"
    return f"{shown}; choose a token above to move along"


def foot_checks(scene: Scene) -> None:
    """The last line of a panel that has no table of its own."""
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        _checks(scene)


def foot(scene: Scene, name: str, table: Callable, everything: Callable) -> None:
    """The last line of a panel: the checks, the table of what is in focus, the CSV of it all."""
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        _checks(scene)
        chrome.data(name, table, everything)


def _checks(scene: Scene) -> None:
    checks = scene.trace.checks
    last_row = engine.last_row_error(scene.source, scene.trace.ids, scene.view.token)
    said = (
        _check("Rows sum to 1", checks["row_sum"], 1e-5, "any row of any attention pattern"),
        _check(
            "Stream adds up", checks["stream"], 1e-4, "the stream against the sum of all writes"
        ),
        _check("Last lens row is the model", last_row, 1e-5, "the best tokens' probabilities"),
    )
    st.html('<p class="gb-checks">' + "".join(said) + "</p>", width="content")


def _check(title: str, error: float, bound: float, what: str) -> str:
    kind, verdict = ("", "error") if error <= bound else ("gb-bad", "off by")
    hint = f"{what}: the largest difference measured in this run; fp32 should stay below {bound:g}"
    return (
        f'<span class="{kind}" title="{hint}">{title} <b>({verdict} {error_size(error)})</b></span>'
    )
