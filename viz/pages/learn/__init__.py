"""Learn: the chapter, running. Its text explains, its code is the code that runs, its numbers are
those of the current prompt."""

import html

import streamlit as st

from viz.learn.listing import listing
from viz.learn.table import rows_of
from viz.pages import chrome, components, engine, growth
from viz.pages.explore import completed
from viz.pages.learn import (
    attention,
    block,
    comparison,
    config,
    embeddings,
    gpt,
    layernorm,
    mlp,
    residual,
    sources,
)
from viz.pages.learn.lesson import Lesson, Section, explore_link, place_of, source_of
from viz.pages.reading import read_prompt, usable_source
from viz.pages.state import EXAMPLES, choose, current_view, notice, run
from viz.pages.view import SECTIONS

CHAPTER: dict[str, Section] = {
    module.SECTION.name: module.SECTION
    for module in (
        *(config, embeddings, layernorm, mlp, attention),
        *(residual, block, gpt, comparison, sources),
    )
}
ORDER = tuple(CHAPTER)


def learn(pages: list) -> None:
    """The page: the same prompt and trace as Explore, one section of the chapter at a time."""
    chrome.style()
    sheets = ["learn.css"]
    growth.stop()
    view = current_view("learn")
    source = usable_source(view)
    if view.present:
        sheets.append("learn_stage.css")
    st.html("<style>" + "".join(_sheet(name) for name in sheets) + "</style>")
    if not view.present:
        chrome.header(pages, source)
        components.prompt(view.q, EXAMPLES, run)
    ids = read_prompt(source, view)
    if ids is not None:
        chapter(pages, source, ids)
    elif view.present:  # the prompt's field is hidden on the stage
        st.button("Leave the stage", key="leave", on_click=lambda: choose(present=None))


def _sheet(name: str) -> str:
    return (components.ASSETS / name).read_text(encoding="utf-8")


@st.fragment
def chapter(pages: list, source: str, ids: tuple[int, ...]) -> None:
    """The section in view: what turning a page or moving a slider repaints."""
    trace = engine.trace(source, ids)
    view = completed(st.session_state["view"], trace, attention.sharing_head(trace))
    lesson = Lesson(
        source=source,
        trace=trace,
        labels=engine.labels(ids),
        view=view,
        theme=chrome.theme(),
        choose=choose,
        tell=notice,
        pages=pages,
    )
    section = CHAPTER[view.section]
    if lesson.stage:
        on_stage(lesson, section)
    else:
        on_page(lesson, section)


def on_page(lesson: Lesson, section: Section) -> None:
    """One section for a reader: text, shapes and picture, then both codes."""
    contents(section)
    with st.container(key="section"):
        heading(lesson, section)
        if section is sources.SECTION:
            prose(section.text(lesson))
        else:
            top(lesson, section)
            codes(lesson, section)
        turning(section)


def contents(section: Section) -> None:
    """The chapter's sections in a row."""
    st.session_state["contents"] = section.name
    with st.container(key="contents_row"):
        st.segmented_control(
            "Section",
            ORDER,
            format_func=lambda name: f"{ORDER.index(name) + 1} {SECTIONS[name]}",
            required=True,
            key="contents",
            on_change=lambda: go_to(st.session_state["contents"]),
            label_visibility="collapsed",
        )


def heading(lesson: Lesson, section: Section) -> None:
    """Title and point, and the way to the same box on Explore."""
    with st.container(horizontal=True, vertical_alignment="center", key="section_heading"):
        st.html(
            f'<div class="gl-heading gb-{section.kind}"><h1>{html.escape(section.title)}</h1>'
            f"<p>{section.point}</p></div>"
        )
        if section.box:
            explore_link(lesson, section)
            st.button("Present", key="present", on_click=lambda: choose(present="1"))


def top(lesson: Lesson, section: Section) -> None:
    """What it is, in words, shapes and a picture."""
    left, right = st.columns([1 - section.share, section.share], gap="medium")
    with left:
        prose(section.text(lesson))
        shapes(lesson, section)
    with right, st.container(border=True, key="picture"):
        figure = section.picture(lesson)
        if figure is not None:
            chrome.data(section.name, lambda: rows_of(figure), lambda: rows_of(figure))


def prose(text: str) -> None:
    """Running text, already HTML."""
    st.html(f'<div class="gl-text">{text}</div>')


def shapes(lesson: Lesson, section: Section) -> None:
    """The section's tensors: in letters, and for the current prompt."""
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(shape.what)}</th>"
        f"<td><code>{written(shape.letters)}</code></td>"
        f"<td><code>{written(lesson.numbers(shape.letters))}</code></td></tr>"
        for shape in section.shapes
    )
    caption = "Shapes: B texts, S tokens, H heads; right, for the current prompt"
    st.html(f"<table class='gl-table gl-shapes'><caption>{caption}</caption>{rows}</table>")


def written(shape: tuple) -> str:
    """`(1, 9, 50257)` and `(192,)`, as Python writes them."""
    inside = ", ".join(map(str, shape))
    return f"({inside},)" if len(shape) == 1 else f"({inside})"


def codes(lesson: Lesson, section: Section) -> None:
    """The source that runs, and beside it the part it descends from."""
    left, right = st.columns(2, gap="medium")
    with left:
        st.html('<h2 class="gl-h2">The code that runs here</h2>')
        for part in section.code:
            code(part)
    with right:
        st.html('<h2 class="gl-h2">Since 2017</h2>')
        prose(section.since(lesson))
        for part in section.old_code:
            code(part)


def code(part: object) -> None:
    """One class or function, read from its file now; its place is shown above it."""
    name = html.escape(part.__qualname__)
    st.html(
        f'<figure class="gl-code"><figcaption><b>{name}</b> {place_of(part)}</figcaption>'
        f'<pre tabindex="0" role="region" aria-label="Source of {name}"><code>'
        f"{listing(source_of(part))}</code></pre></figure>"
    )


def turning(section: Section) -> None:
    """To the sections before and after."""
    here = ORDER.index(section.name)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="turning"):
        for step, arrow in ((-1, "← {}"), (1, "{} →")):
            if here + step in range(len(ORDER)):
                name = ORDER[here + step]
                title = arrow.format(CHAPTER[name].title)
                st.button(title, key=f"turn_{step}", on_click=go_to, args=(name,), type="tertiary")


def go_to(name: str) -> None:
    """Open a section."""
    choose(section=name)


def on_stage(lesson: Lesson, section: Section) -> None:
    """One section for a hall: title, point and picture; the arrow keys turn."""
    answered = st.session_state.get("press", 0)
    components.keys({"sections": ORDER, "shown": section.name, "press": answered}, turn)
    number = f"← {ORDER.index(section.name) + 1} / {len(ORDER)} → · Esc"
    st.html(
        f'<div class="gl-stage gb-{section.kind}"><h1>{html.escape(section.title)}</h1>'
        f"<span>{number}</span><p>{section.point}</p></div>"
    )
    with st.container(key="stage"):
        if section is sources.SECTION:
            titles = "".join(f"<li>{html.escape(s.title)}</li>" for s in sources.SOURCES)
            prose(f"<ul>{titles}</ul>")
        else:
            section.picture(lesson)


def turn(go: dict) -> None:
    """A key was pressed: show the section it leads to. The count of presses goes back with it."""
    st.session_state["press"] = go["press"]
    choose(section=go["section"], **({"present": None} if go["leave"] else {}))
