"""Configuration: the numbers everything follows from, and what they cost in parameters."""

import html

import plotly.graph_objects as go
import streamlit as st

from model import GPT2_SIZES, GPTConfig, TransformerConfig
from model.count import gpt_parameters, transformer_parameters
from viz.labels import percent
from viz.learn.drawing import stack
from viz.learn.sizes import parameter_bars
from viz.pages import chrome, components
from viz.pages.learn.lesson import Lesson, Section, Shape, reads

# GPT-1 (Radford et al. 2018) had the blocks of GPT-2 Small on fewer tokens and positions.
GPT1 = GPTConfig(vocabsize=40478, max_seq_len=512)
TITLES = {"gpt2": "Small", "gpt2-medium": "Medium", "gpt2-large": "Large", "gpt2-xl": "XL"}
SIZES = {TITLES[name]: config for name, config in GPT2_SIZES.items()}
VOCABULARIES = (5_000, 10_000, 20_000, 40_478, 50_257, 100_000)
CONTEXTS = (128, 256, 512, 1024, 2048)
HEAD_WIDTHS = (16, 32, 64, 96, 128)


def text(lesson: Lesson) -> str:
    """What the numbers mean."""
    c = lesson.config
    return f"""
<p>Every part of the network is built from one <code>GPTConfig</code>. Its <b>stream</b>, the vector
that travels up through the model at each position, is <code>dmodel</code> = {c.dmodel:,} numbers
wide. <code>N</code> = {c.N} blocks work on it one after another, each with <code>H</code> = {c.H}
attention heads. The model knows <code>vocabsize</code> = {c.vocabsize:,} tokens and reads at most
<code>max_seq_len</code> = {c.max_seq_len:,} of them.</p>
<p>Two widths follow and cannot be chosen: a head works in <code>dk = dmodel / H</code> = {c.dk}
dimensions, and the MLP opens the stream to <code>dff = 4 · dmodel</code> = {c.dff:,}.</p>
<p>A <b>parameter</b> is a number that training sets. The model in use has
{c.parameters:,} of them.</p>
<p><b>117M or 124M?</b> The report of 2019 gives its smallest model 117 million parameters; counted,
with the table shared by input and output counted once, it has {GPTConfig().parameters:,}. OpenAI
later noted in its repository that the report’s counts were wrong; the old name stayed in use.
GPT-1’s {GPT1.parameters / 1e6:.1f} million (same blocks, {GPT1.vocabsize:,} tokens,
{GPT1.max_seq_len} positions) do round to 117.</p>
{sizes_table()}"""


def sizes_table() -> str:
    """The four published sizes, counted."""
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th><td>{c.dmodel:,}</td><td>{c.N}</td>"
        f"<td>{c.H}</td><td>{c.parameters:,}</td></tr>"
        for name, c in SIZES.items()
    )
    head = "".join(f"<th scope='col'>{h}</th>" for h in ("dmodel", "N", "H", "parameters"))
    caption = "<caption>The four published sizes, counted from their configurations</caption>"
    return f"<table class='gl-table gl-numbers'>{caption}<tr><td></td>{head}</tr>{rows}</table>"


def since(_lesson: Lesson) -> str:
    """The base model of 2017."""
    old = TransformerConfig()
    total = sum(transformer_parameters(old).values())
    return f"""<p>The base model had {old.N} encoder and {old.N} decoder blocks, a stream
{old.dmodel} wide and {old.H} heads of width {old.dk}. Its MLP was as wide as four streams too,
{old.dff:,}. With one table of {old.vocabsize:,} tokens for source, target and output that makes
{total:,} parameters; the paper’s table says 65 million.</p>"""


def picture(lesson: Lesson) -> go.Figure:
    """Sliders, the model they describe, and its parameters."""
    reads(
        lesson,
        "First the model: each row is a block, attention (in heads) left of the stream and the MLP "
        "right of it. Then the parameters of each kind of part.",
    )
    presets(lesson)
    config = sliders(lesson)
    shares, height = ([0.5, 0.5], 310) if lesson.stage else ([0.42, 0.58], 330)
    left, right = st.columns(shares, gap="small", vertical_alignment="center")
    with left:
        drawn = stack(N=config.N, H=config.H, dmodel=config.dmodel, height=height, size=lesson.size)
        components.drawing({"drawings": [drawn], "size": lesson.size}, lambda _: None)
    counts = gpt_parameters(config)
    with right:
        figure = lesson.show(parameter_bars(counts, lesson.theme), "parameter_bars", height)
    chrome.stands_out(caption(config, counts))
    return figure


def presets(lesson: Lesson) -> None:
    """Whole configurations to start from."""
    named = {"This model": lesson.config, **SIZES, "GPT-1": GPT1}

    def take() -> None:
        chosen = st.session_state.get("preset")
        if chosen:
            put(named[chosen])

    # Sliders that were not shown for a while have lost their values.
    known = "learn_N" in st.session_state
    if not known or st.session_state.get("learn_source") != lesson.source:
        st.session_state.update(learn_source=lesson.source, preset="This model")
        put(lesson.config)
    st.segmented_control(
        "Start from", list(named), key="preset", on_change=take, label_visibility="collapsed"
    )


def put(config: GPTConfig) -> None:
    """Set the sliders to a configuration."""
    state = {
        "learn_N": config.N,
        "learn_H": config.H,
        "learn_dk": config.dk,
        "learn_vocab": config.vocabsize,
        "learn_context": config.max_seq_len,
    }
    st.session_state.update(state)


def sliders(lesson: Lesson) -> GPTConfig:
    """The configuration the sliders describe; heads times their width is always a whole stream."""
    here = lesson.config
    fields = st.columns(3 if lesson.stage else 5, gap="medium")
    with fields[0]:
        N = st.slider("Blocks, N", 1, max(48, here.N), key="learn_N", on_change=unnamed)
    with fields[1]:
        H = st.slider("Heads, H", 1, max(25, here.H), key="learn_H", on_change=unnamed)
    with fields[2]:
        dk = _steps("Head width, dk", HEAD_WIDTHS, "learn_dk")
    if lesson.stage:  # tokens and positions change little and keep their values
        vocab, context = st.session_state["learn_vocab"], st.session_state["learn_context"]
        st.session_state.update(learn_vocab=vocab, learn_context=context)
    else:
        with fields[3]:
            vocab = _steps("Vocabulary", VOCABULARIES, "learn_vocab")
        with fields[4]:
            context = _steps("Context", CONTEXTS, "learn_context")
    return GPTConfig(dmodel=H * dk, vocabsize=vocab, max_seq_len=context, N=N, H=H)


def _steps(title: str, steps: tuple[int, ...], key: str) -> int:
    """A slider over a few values, and whatever value it stands on now."""
    options = sorted({*steps, st.session_state[key]})
    return st.select_slider(title, options, format_func="{:,}".format, key=key, on_change=unnamed)


def unnamed() -> None:
    """Once a slider moves, the configuration is nobody's any more."""
    st.session_state["preset"] = None


def caption(config: GPTConfig, counts: dict[str, int]) -> str:
    """The sum, and what holds most of it."""
    total = sum(counts.values())
    tables, blocks = counts["wte"] + counts["wpe"], counts["attn"] + counts["ff"]
    return (
        f"dmodel = {config.H} × {config.dk} = <b>{config.dmodel:,}</b>; "
        f"<b>{total:,}</b> parameters, {percent(tables / total)} of them in the two tables and "
        f"{percent(blocks / total)} in attention and MLP."
    )


SECTION = Section(
    name="config",
    title="Configuration",
    kind="norm",
    point="Five numbers fix the shape of every tensor in the model.",
    text=text,
    picture=picture,
    shapes=(
        Shape("token table", ("vocabsize", "dmodel"), "wte.weight"),
        Shape("position table", ("max_seq_len", "dmodel"), "wpe.weight"),
        Shape("query weights of a block", ("dmodel", "dmodel"), "blocks.0.attn.wq.weight"),
        Shape("first MLP weights of a block", ("dff", "dmodel"), "blocks.0.ff.w1.weight"),
    ),
    code=(GPTConfig,),
    since=since,
    old_code=(TransformerConfig,),
    box="embed",
)
