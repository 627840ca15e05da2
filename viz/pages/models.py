"""Which model runs: the menu of what is here and what can be fetched, and how a download goes.

A download belongs to the server, not to a visitor: it is done once, goes on when a page is closed,
and every page that is open shows it.
"""

import html
from collections.abc import Callable
from functools import partial

import streamlit as st

from model.checkpoint import BUILT_IN, here, offered
from model.downloads import Download, Downloads
from model.hub import PUBLISHED, offline
from model.memory import gigabytes, shortage
from viz.pages import engine

OnSource = Callable[[str], None]  # called with the model a visitor has chosen
EVERY = 0.5  # seconds between two looks at a running download
PREFERRED = "gpt2"


@st.cache_resource(show_spinner=False)
def downloads() -> Downloads:
    """The server's downloads."""
    return Downloads()


def menu(source: str, on_source: OnSource) -> None:
    """The model in use, and a line for every other one the page offers."""
    label = f"{engine.title(source)} :small[:gray[{engine.parameters(source):,} parameters]]"
    with st.popover(label, key="model_menu"):
        st.html(in_use(source))
        for name in offered():
            if name != source:
                line(name, on_source)
        if offline() and not all(map(here, offered())):
            st.html('<p class="gb-title">HF_HUB_OFFLINE is set here, so nothing is fetched.</p>')


def in_use(source: str) -> str:
    """The model that runs, as HTML."""
    config = engine.model(source).config
    return (
        f'<p class="gb-model"><strong>{html.escape(engine.title(source))}</strong> in use</p>'
        f'<p class="gb-title">{config.N} blocks of {config.H} heads, a stream {config.dmodel:,} '
        f"wide, {config.max_seq_len:,} tokens of context</p>"
    )


def line(name: str, on_source: OnSource) -> None:
    """One model: what it is, and what can be done about it now."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"model_{_slug(name)}"):
        st.html(described(name), width="stretch")
        if here(name):
            st.button("Use", key=f"use_{_slug(name)}", on_click=on_source, args=(name,))
        elif fetchable(name):
            size = gigabytes(PUBLISHED[name].size)
            st.button(f"Fetch {size}", key=f"fetch_{name}", on_click=fetch, args=(name,))


def described(name: str) -> str:
    """A model's name and size as HTML, and what stands in its way."""
    to_fetch = name in PUBLISHED and not here(name)
    obstacle = shortage(PUBLISHED[name].config.parameters) if to_fetch else ""
    if name in PUBLISHED:
        config = PUBLISHED[name].config
        size = f"{config.parameters / 1e6:,.0f} million parameters, {config.N} blocks"
    else:
        size = "small, made for this page" if name == BUILT_IN else "a folder of this machine"
    note = f"; it {obstacle}" if obstacle else ""
    return (
        f'<p class="gb-model"><strong>{html.escape(engine.title(name))}</strong></p>'
        f'<p class="gb-title">{size}{note}</p>'
    )


def fetchable(name: str) -> bool:
    """Whether a visitor may begin to fetch it now."""
    if name not in PUBLISHED or offline() or shortage(PUBLISHED[name].config.parameters):
        return False
    under_way = downloads().get(name)
    return under_way is None or under_way.state != "running"


def offer(source: str, on_source: OnSource) -> None:
    """In plain sight while the built-in model stands in: the way to GPT-2 Small."""
    if source != BUILT_IN or PREFERRED not in offered():
        return
    title, size = engine.title(PREFERRED), gigabytes(PUBLISHED[PREFERRED].size)
    button = partial(st.button, key="offer", type="tertiary", args=(PREFERRED,))
    if here(PREFERRED):
        button(f"Use {title}", on_click=on_source)
    elif fetchable(PREFERRED):
        button(f"Get {title} · {size}", on_click=fetch)


def fetch(name: str) -> None:
    """Begin to fetch a model, or join those who wait for it."""
    downloads().start(name)
    watched().add(name)


def watched() -> set[str]:
    """The downloads this visitor has seen running, whose end they should be told."""
    return st.session_state.setdefault("watched", set())


def progress(source: str, on_source: OnSource) -> None:
    """A line for each download under way, and for the end of those this visitor has watched."""
    running = [each.name for each in downloads().all() if each.state == "running"]
    watched().update(running)
    if watched():
        st.fragment(_lines, run_every=EVERY if running else None)(source, on_source, len(running))


def _lines(source: str, on_source: OnSource, running: int) -> None:
    shown = [each for each in downloads().all() if each.name in watched()]
    for each in shown:
        # A place of its own for each state: where a button took another's place in the page, a
        # click that followed at once was lost.
        with st.container(
            horizontal=True, vertical_alignment="center", key=f"load_{each.name}_{each.state}"
        ):
            st.html(told(each), width="stretch")
            _buttons(each, source, on_source)
    chosen = st.session_state.pop("start_over", False)
    if chosen or running != sum(each.state == "running" for each in shown):
        st.rerun()  # the whole page: there is another model to choose, or nothing left to watch


def _buttons(each: Download, source: str, on_source: OnSource) -> None:
    """What can be done about a download.

    Callbacks, since they run before anything else: the next look at a download may come in between
    and cut short the run that a click has caused.
    """
    name = each.name
    if each.state == "running":
        st.button("Cancel", key=f"cancel_{name}", on_click=downloads().stop, args=(name,))
        return
    if each.state != "done":
        label = "Go on" if each.state == "stopped" else "Try again"
        st.button(label, key=f"again_{name}", on_click=fetch, args=(name,))
    elif name != source:
        label, args = f"Use {engine.title(name)}", (name, on_source)
        st.button(label, key=f"run_{name}", type="primary", on_click=_use, args=args)
    st.button(
        "Close", key=f"close_{name}", type="tertiary", on_click=watched().discard, args=(name,)
    )


def _use(name: str, on_source: OnSource) -> None:
    watched().discard(name)
    on_source(name)
    st.session_state["start_over"] = True  # the click was made in a part of the page


def told(each: Download) -> str:
    """How a download stands, as HTML."""
    title = html.escape(engine.title(each.name))
    share = each.here / each.size
    if each.state == "done":
        said = f"<strong>{title}</strong> is on this machine."
    elif each.state == "failed":
        said = html.escape(each.reason) + "."
    elif each.state == "stopped":
        said = f"<strong>{title}</strong>: stopped. {gigabytes(each.here)} are kept for later."
    else:
        said = f"Fetching <strong>{title}</strong> · {_going(each)}"
    bar = f'<span class="gb-bar"><span style="width:{share:.1%}"></span></span>'
    bar = bar if each.state == "running" else ""
    return f'<p class="gb-load" role="status">{bar}<span>{said}</span></p>'


def _going(each: Download) -> str:
    """Bytes, rate and time left, as far as they are known."""
    if not each.here:
        return f"asking the hub for {gigabytes(each.size)}"
    parts = [f"{_like(each.here, each.size)} of {gigabytes(each.size)}"]
    if each.rate:
        parts.append(f"{each.rate / 1e6:.1f} MB a second")
        parts.append(f"{duration(each.seconds_left)} left")
    return " · ".join(parts)


def _like(count: int, size: int) -> str:
    """`count` bytes in the unit `size` is told in, so that the figures do not jump about."""
    return f"{count / 1e9:.2f}" if size >= 0.9995e9 else f"{count / 1e6:.0f}"


def duration(seconds: float) -> str:
    """About how long: 8 s, 3 min, 2 h."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} h"


def _slug(name: str) -> str:
    """A key for a source: a folder's path is of no use in the page's HTML."""
    return name if name in (BUILT_IN, *PUBLISHED) else str(offered().index(name))
