"""What every section is given, and what every section is made of."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from model import GPT, GPTConfig
from viz.diagram import block_of
from viz.learn.stage import TYPE, enlarged
from viz.pages import chrome, components, engine
from viz.pages.explore import chips
from viz.pages.panels.scene import Scene, chart
from viz.pages.state import DEFAULT
from viz.pages.view import panel_for

ROOT = Path(__file__).parents[3]
STAGE_HEIGHT = 370  # pixels of a chart that leave room for title, sentence and controls at 1280x720


@dataclass(frozen=True)
class Lesson(Scene):
    """The trace of the current prompt, the visitor's choices, and where they are shown."""

    pages: list

    @property
    def model(self) -> GPT:
        """The network in use."""
        return self.trace.model

    @property
    def config(self) -> GPTConfig:
        """Its sizes."""
        return self.trace.config

    @property
    def block(self) -> int:
        """The block the visitor chose, here or on Explore."""
        return block_of(self.view.at) or 0

    @property
    def stage(self) -> bool:
        """Whether this is shown to a hall."""
        return self.view.present is not None

    @property
    def size(self) -> int:
        """Pixels of type in drawings."""
        return TYPE if self.stage else 12

    def numbers(self, letters: tuple[str, ...]) -> tuple[int, ...]:
        """A shape in the letters of the design, as it is for this model and prompt."""
        own = {"B": 1, "S": self.count}
        return tuple(own[name] if name in own else getattr(self.config, name) for name in letters)

    def show(self, figure: go.Figure, key: str, stage_height: int = STAGE_HEIGHT) -> go.Figure:
        """A figure, large enough for where it is shown; returned as it came."""
        chart(enlarged(figure, stage_height) if self.stage else figure, key)
        return figure


@dataclass(frozen=True)
class Shape:
    """A tensor the reader can now name, and the module or parameter where it is born."""

    what: str
    letters: tuple[str, ...]
    where: str  # path of the module whose output it is, or of the parameter; block 0 for all blocks


@dataclass(frozen=True)
class Section:
    """One building block of the chapter. Texts are HTML; every token in them is escaped."""

    name: str
    title: str
    kind: str  # its colour
    point: str  # the one sentence to remember
    text: Callable[[Lesson], str]
    picture: Callable[[Lesson], go.Figure | None] | None = None  # returns what a table can tell
    shapes: tuple[Shape, ...] = ()
    code: tuple[object, ...] = ()  # what runs here
    since: Callable[[Lesson], str] | None = None  # what the 2017 Transformer did
    old_code: tuple[object, ...] = ()
    box: str = ""  # on Explore; {} stands for the block in view
    panel: str = ""  # the panel opened there, where it is not the box's own
    share: float = 0.58  # of the width, for the picture


def source_of(part: object) -> str:
    """The source of a class or function, as it stands in the file that runs."""
    return inspect.getsource(part)


def place_of(part: object) -> str:
    """Where that is: `model/gpt.py, line 24`."""
    file = Path(inspect.getsourcefile(part)).relative_to(ROOT)
    return f"{file.as_posix()}, line {inspect.getsourcelines(part)[1]}"


def explore_link(lesson: Lesson, section: Section) -> None:
    """The same box on Explore, with the same prompt."""
    box = section.box.format(lesson.block)
    panel = section.panel or panel_for(box)
    view = replace(lesson.view, at=box, panel=panel, section=section.name, present=None)
    st.page_link(
        lesson.pages[0],
        label=f"Open {box} on Explore",
        query_params=view.params(DEFAULT),
    )


def reads(lesson: Lesson, sentence: str) -> None:
    """How to read the picture; in a hall the lecturer says it."""
    if not lesson.stage:
        chrome.say(sentence)


def block_slider(lesson: Lesson, part: str) -> None:
    """Which block is shown; the choice travels to Explore and back."""
    if lesson.config.N == 1:
        return
    key = f"block_{part}"
    st.session_state[key] = lesson.block
    st.slider(
        "Block",
        0,
        lesson.config.N - 1,
        key=key,
        on_change=lambda: lesson.choose(at=f"blocks.{st.session_state[key]}.{part}"),
    )


def token_choice(lesson: Lesson) -> None:
    """Which token is in focus: its chip, or in a hall a slider."""
    if not lesson.stage:
        last = (len(lesson.trace.writers) - 1,)
        seen = engine.lens(lesson.source, lesson.trace.ids, last, (lesson.view.token,), 10)
        data = chips(lesson, seen) | {"next": None}
        components.tokens(data, lambda position: lesson.choose(token=int(position)))
    elif lesson.count > 1:
        st.session_state["token_slider"] = lesson.view.token
        st.slider(
            "Token",
            0,
            lesson.count - 1,
            key="token_slider",
            on_change=lambda: lesson.choose(token=st.session_state["token_slider"]),
        )


def token_and_block(lesson: Lesson, part: str) -> None:
    """Both choices; in a hall side by side, to leave room for the picture."""
    if not lesson.stage:
        token_choice(lesson)
        block_slider(lesson, part)
        return
    left, right = st.columns(2, gap="large")
    with left:
        token_choice(lesson)
    with right:
        block_slider(lesson, part)


def pick_one(title: str, options: dict[str, str], key: str) -> str:
    """A row of buttons whose choice belongs to this picture alone; returns it."""
    first = next(iter(options))
    st.session_state.setdefault(key, first)
    chosen = st.segmented_control(
        title,
        list(options),
        format_func=options.get,
        required=True,
        key=key,
        label_visibility="collapsed",
    )
    return chosen or first
