"""Next token: the model's own answer at the token in focus, and drawing from it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model import Lens, sampling
from viz import captions
from viz.next_token import next_token_bars
from viz.pages import chrome, engine, growth
from viz.pages.panels import lens
from viz.pages.panels.scene import Scene, chart, foot

SHOWN = 13
APPEND = " Click a bar to append that token to the prompt."


def show(scene: Scene) -> None:
    """The panel."""
    position = scene.view.token
    seen = engine.answer(scene.source, scene.trace.ids, position, SHOWN)
    ids, probs, vocabsize = seen.ids[0, 0], seen.probs[0, 0], scene.trace.config.vocabsize
    last = position == scene.count - 1
    chrome.heading(
        f"Next token after position {position}", "lm_head", f"(vocabsize {vocabsize:,})", "head"
    )
    chrome.say(
        f"The model’s answer is a probability for each token it knows, {vocabsize:,} in all (pale "
        "bars: temperature 1, nothing cut). Full bars are what a token is drawn from, as set "
        f"below.{APPEND if last else ''}"
    )
    settings(scene)
    words = [engine.guess(scene.source, token) for token in ids]
    figure = next_token_bars(words, probs, scene.theme, drawn=drawn_from(scene)[ids])
    pick = (lambda point: append(scene, ids[int(point["y"])])) if last else None
    # A key for each length: the same row picked again, for another token, is another choice.
    chart(figure, f"next_token_{scene.count}", pick)
    draw_buttons(scene, last)
    said = captions.next_token(words, probs, float(seen.entropy[0, 0]), scene.label)
    chrome.stands_out(said)
    foot(scene, "next", *[lambda: rows(scene, seen)] * 2)


def rows(scene: Scene, seen: Lens) -> pd.DataFrame:
    """The best tokens, with the probability each is drawn with, one row a token."""
    drawn = drawn_from(scene)[seen.ids[0, 0]]
    return lens.rows(scene, seen, [0]).assign(**{"drawn with probability": drawn})


def drawn_from(scene: Scene) -> np.ndarray:
    """(vocabsize,): the probabilities a token is drawn from at the position in focus."""
    view, position = scene.view, scene.view.token
    logits = engine.logits(scene.source, scene.trace.ids, position)
    return sampling.distribution(logits, view.temperature, view.top_k, view.top_p)


def append(scene: Scene, token: int) -> None:
    """A token was picked: it joins the prompt."""
    if growth.full(scene.source, scene.trace.ids):
        scene.tell(f"The context is full: this model reads at most {scene.count:,} tokens at once.")
    else:
        scene.choose(**growth.with_token(scene.view, token), **_standing(scene))


@dataclass(frozen=True)
class Setting:
    """A slider of the way tokens are drawn."""

    title: str
    low: float
    high: float
    step: float
    why: str
    cuts: bool  # whether its upper end means that nothing is cut off


SETTINGS = {
    "temperature": Setting(
        *("Temperature", 0.0, 2.0, 0.05),
        why="Below 1 sharpens the choice, above 1 flattens it; 0 always takes the best.",
        cuts=False,
    ),
    "top_k": Setting(
        *("Top-k", 1, 100, 1),
        why="Only the k best tokens can be drawn; 100 means all of them.",
        cuts=True,
    ),
    "top_p": Setting(
        *("Top-p", 0.05, 1.0, 0.05),
        why="Only the best tokens that together reach this probability; 1 means all of them.",
        cuts=True,
    ),
}


def settings(scene: Scene) -> None:
    """Temperature, top-k, top-p and the seed."""
    *sliders, last = st.columns(len(SETTINGS) + 1, gap="medium")
    for column, (name, setting) in zip(sliders, SETTINGS.items(), strict=True):
        with column:
            slider(scene, name, setting)
    with last:
        st.session_state["choice_seed"] = scene.view.seed
        st.number_input(
            "Seed",
            0,
            999_999,
            step=1,
            key="choice_seed",
            help="The same seed draws the same text again.",
            on_change=lambda: scene.choose(seed=st.session_state["choice_seed"]),
        )


def slider(scene: Scene, name: str, setting: Setting) -> None:
    """One setting; where it cuts nothing the view says None."""
    key, value = f"choice_{name}", getattr(scene.view, name)
    st.session_state[key] = setting.high if value is None else value

    def changed() -> None:
        chosen = st.session_state[key]
        scene.choose(**{name: None if setting.cuts and chosen == setting.high else chosen})

    st.slider(
        setting.title,
        setting.low,
        setting.high,
        step=setting.step,
        key=key,
        help=setting.why,
        on_change=changed,
    )


def draw_buttons(scene: Scene, last: bool) -> None:
    """Draw one, draw many with a pause, take back."""
    if not last:
        chrome.say("Tokens are drawn after the last one: choose that above to go on.", "title")
        return
    view, grown = scene.view, scene.view.grown
    with st.container(horizontal=True, vertical_alignment="center", key="draw"):
        if growth.going():
            st.button(f"Pause ({growth.going()} to go)", on_click=growth.stop, key="pause")
        else:
            st.button("Draw one token", on_click=lambda: draw(scene), key="draw_one")
            many = f"Draw {growth.STEPS}, step by step"
            st.button(many, on_click=lambda: start(scene), key="many")
        st.button(
            "Take one back",
            on_click=lambda: scene.choose(**growth.without_last(view)),
            disabled=not grown,
            key="back",
        )
        st.button(
            "Back to the prompt",
            on_click=lambda: scene.choose(grown=None, token=None, source=None),
            disabled=not grown,
            key="reset",
        )


def draw(scene: Scene) -> None:
    """Draw one token and append it."""
    append(scene, growth.drawn(scene.source, scene.trace.ids, scene.view))


def start(scene: Scene) -> None:
    """Begin drawing many; the page shows each."""
    growth.start()
    scene.choose(grown=scene.view.grown, **_standing(scene))


def _standing(scene: Scene) -> dict:
    """The box and head in view: they stay picked while the prompt grows."""
    return {"at": scene.view.at, "head": scene.view.head}
