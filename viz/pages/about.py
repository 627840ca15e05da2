"""About: what runs here, where it comes from, and what it cannot tell."""

import streamlit as st

from model.mini.asset import about_asset, trained_ids
from viz.pages import chrome, engine
from viz.pages.proof import provenance
from viz.pages.reading import usable_source
from viz.pages.state import choose, current_view

SIZES = """
OpenAI’s report calls the smallest GPT-2 a model of **117M** parameters; its model card says
**124M**. Counting the network, with the embedding table that also serves as output layer counted
once, gives 124,439,808. The first figure was a miscount in the report, and the name stuck.
"""

LIMITS = """
- The **logit lens** reads every layer with the norm and the output table made for the last one. In
  early layers that translation is rough: a guess there is a hint, not a thought.
- **Attention** shows where a head looked, not what it took or whether it mattered.
- The **first token** of a prompt often gets most of the attention and carries by far the largest
  vector. Heads that find nothing to read rest there: an attention sink, not a fault.
- All numbers are computed in 32-bit floats on this machine, in the pass you see. Under each picture
  stand the errors measured in that very pass.
"""

THANKS = """
The network follows Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*; the
logit lens is nostalgebraist’s (2020); the names of heads are those of Elhage et al. 2021, Olsson et
al. 2022 and Wang et al. 2022. GPT-2’s byte-pair ranks are OpenAI’s, as published under the MIT
licence with Whisper. This project is under the MIT licence.
"""


def about(pages: list) -> None:
    """The page."""
    chrome.style()
    source = usable_source(current_view())
    chrome.header(pages, source, lambda name: choose(model=name, at=None, head=None, neuron=None))
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
    """How the built-in model was made, from the file's own metadata."""
    made = about_asset()
    st.markdown(
        "A small model of the same architecture, trained by this project on text from its own "
        "generator: short stories and families of small skills in simple English. It knows "
        f"{len(trained_ids()):,} of GPT-2’s tokens; in a prompt, tokens it has never seen are "
        "underlined. It is young: it tells simple stories, continues days and months and knows "
        "some facts, but it does not copy yet and has no induction head. It is here so that the "
        "page starts at once, not to know things."
    )
    rows = {
        "Trained for": f"{made['minutes']:,.0f} minutes on two processor cores",
        "Tokens seen": f"{made['tokens']:,}",
        "Final training loss": f"{made['loss']:.2f} nats a token",
    }
    chrome.facts("Built-in model", rows)
