"""About: what runs here, where it comes from, and what it cannot tell."""

import html
from itertools import accumulate

import numpy as np
import streamlit as st

from model.mini.asset import about_asset, runs_of, shipped_scores, trained_ids
from model.mini.curves import Curve, shipped_curves
from viz.pages import chrome, engine, growth
from viz.pages.panels.scene import PLOT
from viz.pages.proof import provenance
from viz.pages.reading import usable_source
from viz.pages.state import current_view, show_notices
from viz.training import loss_curves

SIZES = """
OpenAI’s report calls the smallest GPT-2 a model of **117M** parameters; its model card says
**124M**. Counting the network, with the embedding table that also serves as output layer counted
once, gives 124,439,808. OpenAI later noted that the report’s counts were wrong; the name stuck.
"""

LIMITS = """
- The **logit lens** reads every layer with the norm and the output table made for the last one. In
  early layers that translation is rough: a guess there is a hint, not a thought.
- **Attention** shows where a head looked, not what it took or whether it mattered.
- The **first token** of a prompt often gets most of the attention and, in all but the first and
  last blocks, carries by far the largest vector. Heads that find nothing to read rest there: an
  attention sink, not a fault.
- All numbers are computed in 32-bit floats on this machine, in the pass you see. Under each picture
  stand the errors measured in that very pass.
"""

RANDOM = "of its attention, on random tokens that come twice"  # what a head's score is a share of

LATER_RUNS = (
    " After {when} minutes a new run went on from the one before, with more words and skills, or "
    "plainer stories. From the second on, the answers of tasks count four times in the loss."
)
ASTRAY = (
    " The last run was also trained to give, in stories, nothing to words that never follow there."
)

THANKS = """
The network follows Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*; the
logit lens is nostalgebraist’s (2020); the names of heads are those of Elhage et al. 2021, Olsson et
al. 2022 and Wang et al. 2022. GPT-2’s byte-pair ranks are OpenAI’s, as published under the MIT
licence with Whisper. This project is under the MIT licence.
"""


def about(pages: list) -> None:
    """The page."""
    chrome.style()
    growth.stop()
    source = usable_source(current_view("about"))
    chrome.header(pages, source)
    show_notices(st.empty())
    with st.container(key="prose"):
        st.header("What this is")
        st.markdown(
            "A GPT that runs in the open. You give it a prompt; the model runs once, with hooks on "
            "its modules, and every attention map, the size of the residual stream and every "
            "layer’s early guess at the next token are laid beside a drawing of the architecture. "
            "A click on the drawing shows the tensor behind that box."
        )
        st.header("The model in use")
        in_use(source)
        provenance(source)
        st.header("The built-in model")
        built_in()
        st.header("Why 117M and 124M")
        st.markdown(SIZES)
        st.header("What to keep in mind")
        st.markdown(LIMITS)
        st.header("Sources and licences")
        st.markdown(THANKS)


def in_use(source: str) -> None:
    """The model's sizes, computed from the loaded network."""
    config = engine.model(source).config
    rows = {
        "Parameters": f"{engine.parameters(source):,}",
        "Blocks (N)": config.N,
        "Heads in each block (H)": config.H,
        "Width of the stream (dmodel)": f"{config.dmodel:,}",
        "Width of one head (dk)": config.dk,
        "Width of the MLP (dff)": f"{config.dff:,}",
        "Context, tokens": f"{config.max_seq_len:,}",
        "Vocabulary, tokens": f"{config.vocabsize:,}",
    }
    chrome.facts(engine.title(source), rows)


def built_in() -> None:
    """The built-in model's card, from what was recorded when it was made."""
    made, scores = about_asset(), shipped_scores()
    families = scores["families"]
    st.markdown(
        "A small model of the same architecture, trained by this project on text from its own "
        f"generator: short stories and {len(families)} families of small skills in simple English. "
        f"It knows {len(trained_ids()):,} of GPT-2’s tokens; all others share one row of its "
        "table, and are underlined in a prompt. It is here so that the page starts at once and "
        "shows the circuits clearly; of the world it knows its word lists and no more."
    )
    chrome.facts("Built-in model", card(made, scores) | stored())
    shipped, *trials = shipped_curves()
    training("How its training went", "loss", [shipped])
    chrome.say(
        "How surprising the true next tokens were: 0 nats is certainty, ln 50,257 = 10.8 nats a "
        "blind guess. Training begins with random tokens that come again, in longer and longer "
        "rows, so the loss jumps where the rows change; then stories and skills follow."
        + later_runs(made)
    )
    if trials:
        training("Which shape learns most in the same time", "shapes", trials)
        chrome.say(
            f"{len(trials)} shapes, trained for {trials[0].minutes[-1]:.0f} minutes each on the "
            "same text, half of it random tokens. The solid line is the shape that ships."
        )
    with st.expander("How often it is right, by family"):
        st.html(accuracies(families))


def training(title: str, key: str, runs: list[Curve]) -> None:
    """The loss curves of some runs under a title."""
    st.html(f'<p class="gb-title">{title}</p>')
    curves = [(run.name, np.array(run.minutes), np.array(run.losses)) for run in runs]
    figure = loss_curves(curves, chrome.theme())
    st.plotly_chart(figure, key=key, config=PLOT, theme=None)


def later_runs(made: dict) -> str:
    """When training began again, in words; empty for a model of one run."""
    ends = accumulate(run["minutes"] for run in reversed(runs_of(made)))
    when = " and ".join(f"{end:.0f}" for end in list(ends)[:-1])
    return (LATER_RUNS.format(when=when) if when else "") + (ASTRAY if made.get("astray") else "")


def card(made: dict, scores: dict) -> dict[str, str]:
    """What the built-in model is and does, in figures."""
    runs = runs_of(made)
    minutes, tokens = (sum(run[key] for run in runs) for key in ("minutes", "tokens"))
    right = [family["accuracy"] for family in scores["families"].values()]
    induction, previous = scores["heads"]["induction"], scores["heads"]["previous"]
    return {
        "Trained for": f"{minutes:,.0f} minutes on two processor cores",
        "Tokens seen": f"{tokens:,}",
        "Held-out tasks, best guess right": f"{scores['mean_accuracy']:.0%} on average",
        "Families at 95% or more": f"{sum(a >= 0.95 for a in right)} of {len(right)}",
        "Loss on held-out stories": f"{scores['story_loss']:.2f} nats a token",
        "Best induction head": f"{induction['head']}, {induction['score']:.2f} {RANDOM}",
        "Best previous-token head": f"{previous['head']}, {previous['score']:.2f} {RANDOM}",
    }


def stored() -> dict[str, str]:
    """How many weights are its own: the page counts the whole table, as for any other model."""
    config, known = engine.model(engine.BUILT_IN).config, len(trained_ids())
    copies = (config.vocabsize - known - 1) * config.dmodel
    return {"Weights, shared ones counted once": f"{config.parameters - copies:,}"}


def accuracies(families: dict) -> str:
    """A table of all families, the best first, as HTML."""
    ordered = sorted(families.items(), key=lambda item: -item[1]["accuracy"])
    rows = "".join(
        f"<tr><td>{html.escape(name.replace('_', ' '))}</td><td>{family['accuracy']:.0%}</td>"
        f"<td>{family['probability']:.2f}</td><td>{_blocks(family)}</td>"
        f"<td>{family['items']}</td></tr>"
        for name, family in ordered
    )
    head = (
        "<tr><th>family</th><th>best guess right</th><th>mean probability of the answer</th>"
        "<th>blocks until the lens has it</th><th>held-out items</th></tr>"
    )
    return f'<table class="gb-table"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _blocks(family: dict) -> str:
    return "none right" if family["blocks"] is None else f"{family['blocks']:.1f}"
