"""The answer to: are these really OpenAI's weights?"""

import html

import streamlit as st

from model import GPT2_SIZES
from model.proof import Proof, openai_release, prove
from viz.pages import engine


@st.cache_resource(show_spinner=False, max_entries=8)
def proof(source: str) -> Proof:
    """The loaded network against the published fingerprints. Half a second for GPT-2 Small."""
    return prove(engine.model(source))


def provenance(source: str) -> None:
    """Whether the model in use is OpenAI's GPT-2 Small, bit for bit, and where it is not."""
    title = html.escape(engine.title(source))
    if engine.model(source).config != GPT2_SIZES["gpt2"]:
        st.html(
            f"<p>{title}: another shape than GPT-2 Small, so there is nothing to compare with "
            "OpenAI’s release.</p>"
        )
        return
    with st.spinner("Comparing the weights with OpenAI’s release, tensor by tensor"):
        found = proof(source)
    total = len(openai_release())
    if found.holds:
        st.html(
            f'<p class="gb-proof"><strong>OpenAI’s release, bit for bit.</strong> All {total} '
            "tensors in memory have the fingerprints of the GPT-2 Small that OpenAI published.</p>"
        )
        return
    st.html(
        f'<p class="gb-proof gb-bad"><strong>Not OpenAI’s release.</strong> '
        f"{len(found.different)} of {len(found.tensors)} tensors are not the same, bit for bit, as "
        "those of the GPT-2 Small that OpenAI published.</p>"
    )
    with st.expander("Tensor by tensor"):
        st.html(table(found))


def table(found: Proof) -> str:
    """The tensors that are not the release's, as HTML."""
    rows = "".join(
        f"<tr><td>{html.escape(t.name)}</td><td>{t.shape}</td><td>{t.verdict}</td></tr>"
        for t in found.different
    )
    head = "<tr><th>tensor</th><th>shape</th><th>compared with the release</th></tr>"
    return f'<table class="gb-table"><thead>{head}</thead><tbody>{rows}</tbody></table>'
