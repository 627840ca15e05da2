"""Next token: the model's own answer at the token in focus."""

from viz import captions
from viz.next_token import next_token_bars
from viz.pages import chrome, engine
from viz.pages.panels import lens
from viz.pages.panels.scene import Scene, chart, foot

SHOWN = 20


def show(scene: Scene) -> None:
    """The panel."""
    trace, position = scene.trace, scene.view.token
    last = len(trace.writers) - 1
    seen = engine.lens(scene.source, trace.ids, (last,), (position,), SHOWN)
    probs, vocabsize = seen.probs[0, 0], trace.config.vocabsize
    shape = f"(vocabsize {vocabsize:,})"
    chrome.heading(f"Next token after position {position}", "lm_head", shape, "head")
    chrome.say(
        "The model’s answer: a probability for every token of its vocabulary, at temperature 1 "
        f"and with nothing cut off. The {SHOWN} best are shown; all {vocabsize:,} sum to 1."
    )
    words = [engine.word(token) for token in seen.ids[0, 0]]
    chart(next_token_bars(words, probs, scene.theme), "next_token")
    said = captions.next_token(words, probs, float(seen.entropy[0, 0]), scene.label)
    chrome.stands_out(said)
    foot(scene, "next", *[lambda: lens.rows(seen, [0])] * 2)
