"""What the chapter rests on, and what each source is cited for."""

import html
from dataclasses import dataclass

from viz.pages.learn.lesson import Lesson, Section


@dataclass(frozen=True)
class Source:
    """One publication."""

    title: str
    by: str
    address: str
    cited_for: str


SOURCES = (
    Source(
        "Language Models are Unsupervised Multitask Learners",
        "Radford, Wu, Child, Luan, Amodei, Sutskever · OpenAI, 2019",
        "https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf",
        "GPT-2 itself: the four sizes, norms moved before each part, the extra norm at the end, "
        "starting weights narrowed by depth, and the training goal",
    ),
    Source(
        "Attention Is All You Need",
        "Vaswani and others · NeurIPS 2017",
        "https://arxiv.org/abs/1706.03762",
        "the Transformer compared with: its parts, the sinusoids, √dk and √dmodel, the shared "
        "table, the sizes of the base model",
    ),
    Source(
        "GPT-2 model card",
        "OpenAI and Hugging Face · openai-community/gpt2",
        "https://huggingface.co/openai-community/gpt2",
        "the released weights, their field names, 124M parameters, intended use and limits",
    ),
    Source(
        "Code for the paper",
        "OpenAI · github.com/openai/gpt-2",
        "https://github.com/openai/gpt-2",
        "the tanh form of GELU, the order of operations, and the note that the report’s parameter "
        "counts were wrong",
    ),
    Source(
        "Improving Language Understanding by Generative Pre-Training",
        "Radford, Narasimhan, Salimans, Sutskever · OpenAI, 2018",
        "https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf",
        "GPT-1: the decoder alone, learned positions, GELU, and the size that rounds to 117M",
    ),
    Source(
        "Gaussian Error Linear Units",
        "Hendrycks, Gimpel · 2016",
        "https://arxiv.org/abs/1606.08415",
        "GELU and its approximation by tanh",
    ),
    Source(
        "Layer Normalization",
        "Ba, Kiros, Hinton · 2016",
        "https://arxiv.org/abs/1607.06450",
        "the four steps of LayerNorm",
    ),
    Source(
        "On Layer Normalization in the Transformer Architecture",
        "Xiong and others · ICML 2020",
        "https://arxiv.org/abs/2002.04745",
        "pre-norm against post-norm before training: norms, gradients, warm-up",
    ),
    Source(
        "Using the Output Embedding to Improve Language Models",
        "Press, Wolf · EACL 2017",
        "https://arxiv.org/abs/1608.05859",
        "one table for input and output",
    ),
)


def text(_lesson: Lesson) -> str:
    """The list."""
    items = "".join(
        f"<li><a href='{html.escape(s.address)}' target='_blank' rel='noopener'>"
        f"{html.escape(s.title)}</a><span>{html.escape(s.by)}</span>"
        f"<p>Cited for {html.escape(s.cited_for)}.</p></li>"
        for s in SOURCES
    )
    return f'<ol class="gl-sources">{items}</ol>'


SECTION = Section(
    name="sources",
    title="Sources",
    kind="norm",
    point="What this chapter rests on, and what each is cited for.",
    text=text,
)
