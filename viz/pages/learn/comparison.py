"""2017 and GPT-2 side by side."""

import html
from dataclasses import replace
from urllib.parse import urlencode

from model import GPTConfig, TransformerConfig
from model.count import gpt_parameters, transformer_parameters
from viz.learn.architectures import side_by_side
from viz.pages import components
from viz.pages.learn.lesson import Lesson, Section, Shape, reads
from viz.pages.state import DEFAULT

OLD, SMALL = TransformerConfig(), GPTConfig()


def text(lesson: Lesson) -> str:
    """The table; each row leads to its section."""
    rows = "".join(
        f"<tr><th scope='row'>{_link(lesson, section, name)}</th><td>{old}</td><td>{new}</td></tr>"
        for name, section, old, new in comparison()
    )
    head = (
        "<tr><td></td><th scope='col'>Transformer, 2017</th><th scope='col'>GPT-2 Small</th></tr>"
    )
    return f"""
<p>GPT-2 is the decoder of 2017 with less around it. Take away the encoder and the look across to
it, learn the positions, move the norms, exchange the bend; what remains is one stack that predicts
the next token. Each row leads to its section.</p>
<table class="gl-table">{head}{rows}</table>"""


def comparison() -> tuple[tuple[str, str, str, str], ...]:
    """Rows of the table: name, section, what it was, what it is. Numbers come from both configs."""
    old, new = transformer_parameters(OLD), gpt_parameters(SMALL)
    return (
        ("Architecture", "gpt", f"encoder of {OLD.N} blocks, decoder of {OLD.N}",
         f"one stack of {SMALL.N} blocks"),
        ("Attention", "attention", f"both ways, causal, and across; {OLD.H} heads of {OLD.dk}",
         f"causal only; {SMALL.H} heads of {SMALL.dk}"),
        ("Positions", "embeddings", "computed sinusoids", f"learned, {SMALL.max_seq_len:,} rows"),
        ("Activation", "mlp", f"ReLU, {OLD.dff:,} wide", f"GELU (tanh), {SMALL.dff:,} wide"),
        ("Normalisation", "residual", "after each sum", "before each part, and one at the end"),
        ("Stream", "config", f"{OLD.dmodel} wide", f"{SMALL.dmodel} wide"),
        ("Vocabulary", "embeddings", f"{OLD.vocabsize:,}", f"{SMALL.vocabsize:,}"),
        ("Parameters", "config", f"{sum(old.values()):,}", f"{sum(new.values()):,}"),
        ("Output", "gpt", "log-probabilities", "logits"),
        ("Training goal", "sources", "translate a sentence", "predict the next token"),
    )  # fmt: skip


def _link(lesson: Lesson, section: str, name: str) -> str:
    address = urlencode(replace(lesson.view, section=section).params(DEFAULT))
    return f"<a href='?{html.escape(address)}' target='_self'>{html.escape(name)}</a>"


def since(_lesson: Lesson) -> str:
    """Where the parameters went."""
    old, new = transformer_parameters(OLD), gpt_parameters(SMALL)
    tables = new["wte"] + new["wpe"]
    return f"""<p>Where the parameters sit has changed too. In 2017: {old["embedding"]:,} in the
shared table, {old["encoder"]:,} in the encoder and {old["decoder"]:,} in the decoder. In GPT-2
Small: {tables:,} in the two tables and {sum(new.values()) - tables:,} in blocks and norms, all of
them spent on predicting. Both counts are the sums of the functions printed here, which tests
compare with the networks themselves.</p>"""


def picture(lesson: Lesson) -> None:
    """Both architectures, marked; a click on a box leads to its section."""
    reads(
        lesson,
        "Bottom to top. Dashed and struck out: removed on the way to GPT-2. Orange outline: "
        "changed or new. Plain: kept. A box leads to its section.",
    )
    drawn = side_by_side(OLD.N, SMALL.N, lesson.size)
    data = {"drawings": drawn, "size": lesson.size, "captions": not lesson.stage}
    components.drawing(data, lambda name: lesson.choose(section=name))


SECTION = Section(
    name="comparison",
    title="The Transformer of 2017 and GPT-2",
    kind="attn",
    point="GPT-2 is the decoder alone, with learned positions, norms before each part, and GELU.",
    text=text,
    picture=picture,
    shapes=(
        Shape("into GPT-2’s blocks", ("B", "S", "dmodel"), "drop"),
        Shape("out of GPT-2", ("B", "S", "vocabsize"), "lm_head"),
    ),
    code=(gpt_parameters,),
    since=since,
    old_code=(transformer_parameters,),
    box="blocks.{}.attn",
    panel="attention",
)
