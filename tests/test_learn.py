"""The chapter: its listings are the running source, its shapes and numbers those of the network,
its pictures what PyTorch computes."""

import html
import inspect
import json
import re
from textwrap import dedent
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

from model import GPT, GPT2_SIZES, GPTConfig, TransformerConfig
from model.trace import hooked
from viz.captions import at
from viz.diagram import boxes
from viz.labels import isolate, token_label
from viz.learn import activations, architectures, drawing, sizes, softmax, stage, tying
from viz.learn.depth import through_depth
from viz.learn.listing import listing
from viz.learn.normalising import spread_bars, steps
from viz.learn.positions import summands
from viz.learn.table import rows_of
from viz.pages.learn import CHAPTER, ORDER, written
from viz.pages.learn.attention import caption as attention_caption
from viz.pages.learn.comparison import comparison
from viz.pages.learn.lesson import place_of, source_of
from viz.pages.learn.sources import SOURCES
from viz.pages.view import SECTIONS
from viz.theme import DARK, LIGHT

LIMIT = 500_000  # bytes of a picture
SMALL = GPTConfig(dmodel=24, vocabsize=61, max_seq_len=9, N=2, H=3)
PARTS = [(s.name, part) for s in CHAPTER.values() for part in (*s.code, *s.old_code)]
SHAPES = [(s.name, shape) for s in CHAPTER.values() for shape in s.shapes]


def labels(count: int, text: str = " the"):
    given = {"group": 0, "group_text": text, "special": False}
    return [token_label(i, 262, text.encode(), **given) for i in range(count)]


# The text


def test_sections_follow_the_chapter():
    assert tuple(SECTIONS) == ORDER
    assert ORDER[0] == "config" and ORDER[-2:] == ("comparison", "sources")


@pytest.mark.parametrize(("section", "part"), PARTS, ids=lambda x: getattr(x, "__qualname__", x))
def test_a_listing_is_the_running_source_and_nothing_else(section, part):
    shown = html.unescape(re.sub(r"<[^>]+>", "", listing(source_of(part))))
    assert shown == dedent(inspect.getsource(part)).rstrip("\n")


@pytest.mark.parametrize("name", [n for n in ORDER if n != "sources"])
def test_every_section_has_all_its_parts(name):
    section = CHAPTER[name]
    assert section.code and section.old_code and section.shapes
    assert section.since and section.picture and section.box
    assert section.box.format(1) in boxes(2)


def test_a_listing_escapes_and_colours():
    shown = listing("x = self.attn(a < b)  # <b>\n")
    assert shown == (
        'x = self.<span class="gl-attn">attn</span>(a &lt; b)  '
        '<span class="gl-quiet"># &lt;b&gt;</span>'
    )


def test_places_name_file_and_line():
    file, line = place_of(GPT).split(", line ")
    assert file == "model/gpt.py"
    assert "class GPT(" in inspect.getsource(inspect.getmodule(GPT)).splitlines()[int(line) - 1]


@pytest.mark.parametrize(("section", "shape"), SHAPES, ids=lambda x: getattr(x, "what", x))
def test_every_shape_is_that_of_the_running_network(section, shape):
    """Letters in the table against tensors seen by a hook. Heads are split after wq has run."""
    letters = {"B": 1, "S": 7} | {n: getattr(SMALL, n) for n in ("dmodel", "dk", "dff", "H")}
    letters |= {"vocabsize": SMALL.vocabsize, "max_seq_len": SMALL.max_seq_len}
    said = tuple(letters[name] for name in shape.letters)
    model = GPT(SMALL)
    parameters = dict(model.named_parameters(remove_duplicate=False))
    if shape.where in parameters:
        assert tuple(parameters[shape.where].shape) == said
        return
    seen = []
    with hooked(model, writes={shape.where: seen.append}) as twin, torch.no_grad():
        twin(torch.arange(7)[None])
    if shape.where.endswith(".wq"):
        seen = [model.blocks[0].attn.split_heads(seen[0])]
    assert tuple(seen[0].shape) == said


def test_shapes_are_written_as_python_writes_them():
    assert written((1, 12, 192)) == "(1, 12, 192)"
    assert written((192,)) == "(192,)"
    assert written((1, 9, 50257)) == "(1, 9, 50257)"
    assert written(("B", "S")) == "(B, S)"


def test_the_comparison_is_computed_and_links_to_sections():
    rows = {name: (section, old, new) for name, section, old, new in comparison()}
    assert rows["Parameters"] == ("config", "63,082,496", "124,439,808")
    assert rows["Positions"][2] == f"learned, {GPTConfig().max_seq_len:,} rows"
    assert str(TransformerConfig().N) in rows["Architecture"][1]
    assert {section for section, _, _ in rows.values()} <= set(SECTIONS)


def test_sources_say_what_they_are_cited_for():
    assert all(s.address.startswith("https://") and s.cited_for for s in SOURCES)
    titles = [s.title for s in SOURCES]
    assert titles[0] == "Language Models are Unsupervised Multitask Learners"
    assert "Attention Is All You Need" in titles and "GPT-2 model card" in titles


# The page, by Streamlit's own test runner


def page() -> None:
    """Learn alone, as app.py shows it."""
    import streamlit as st

    from viz.pages.learn import learn

    pages: list = []
    pages.append(st.Page(lambda: learn(pages), title="Learn", url_path="learn", default=True))
    st.navigation(pages, position="hidden").run()


def opened(**params: str) -> AppTest:
    app = AppTest.from_function(page, default_timeout=120)
    for name, value in params.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def text_of(app: AppTest) -> str:
    return " ".join(e.value for e in app.get("html") if not e.value.startswith("<style"))


@pytest.mark.parametrize("name", ORDER)
def test_every_section_opens_on_the_page_and_on_stage(name):
    text = text_of(opened(section=name, q="the the the the"))
    assert html.escape(CHAPTER[name].title) in text
    assert name == "sources" or "(1, 4, " in text or name == "config"
    stage_text = text_of(opened(section=name, q="the the the the", present="1"))
    assert CHAPTER[name].point in stage_text
    assert "gl-code" not in stage_text


@pytest.mark.parametrize("prompt", ["one", "the cat sat " * 60], ids=["1 token", "180 tokens"])
def test_one_token_is_enough_and_many_are_not_too_many(prompt):
    for name in ("embeddings", "mlp", "attention", "block", "gpt"):
        assert "gb-caption" in text_of(opened(section=name, q=prompt))


def test_bad_input_is_answered_as_on_explore():
    assert "more" in text_of(opened(q="")) or "Type a sentence" in text_of(opened(q=""))
    assert "at most" in text_of(opened(q="word " * 400))


def test_a_stage_without_a_readable_prompt_can_be_left():
    app = opened(q="word " * 400, present="1")
    app.button(key="leave").click().run()
    assert app.session_state["view"].present is None
    assert "at most" in text_of(app)
    assert "not a choice here" in text_of(opened(section="nonsense"))


def test_token_text_stays_text():
    text = text_of(opened(section="layernorm", q="<b>x</b><script>"))
    assert "<script>" not in text


# The pictures


def test_gelu_and_relu_are_torchs():
    x = torch.linspace(-6, 6, 1001, dtype=torch.float64)
    for ours, theirs in (
        (activations.gelu_tanh, F.gelu(x, approximate="tanh")),
        (activations.gelu_exact, F.gelu(x)),
        (activations.relu, F.relu(x)),
    ):
        np.testing.assert_allclose(ours(x.numpy()), theirs.numpy(), atol=1e-12)


def test_layernorm_ends_where_torchs_ends():
    x, weight, bias = torch.randn(3, 48, dtype=torch.float64)
    done = steps(x.numpy(), weight.numpy(), bias.numpy(), 1e-5)
    want = F.layer_norm(x, (48,), weight, bias, 1e-5)
    np.testing.assert_allclose(done[-1].values, want.numpy(), atol=1e-12)
    np.testing.assert_array_equal(done[0].values, x.numpy())
    assert abs(done[1].values.mean()) < 1e-12
    assert done[2].values.std() == pytest.approx(1, abs=1e-4)


def test_mask_and_softmax_are_torchs():
    scores = torch.randn(5, 5)
    ahead = torch.ones(5, 5).triu(1).bool()
    want = scores.masked_fill(ahead, -torch.inf).softmax(dim=-1).numpy()
    got = {
        fill: softmax.softmax(softmax.masked(scores.numpy(), value))
        for fill, value in softmax.FILLS.items()
    }
    np.testing.assert_allclose(got["inf"], want, atol=1e-6)
    np.testing.assert_array_equal(got["inf"], got["big"])  # -1e9 does what -inf does
    np.testing.assert_allclose(got["none"], scores.softmax(dim=-1).numpy(), atol=1e-6)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e12, -1e12])
def test_an_edited_score_stays_a_number_in_range(value):
    before = np.zeros((3, 3))
    after = softmax.changed(before, 1, 0, value)
    assert np.isfinite(after).all() and np.abs(after).max() <= softmax.LARGEST
    assert (before == 0).all()
    assert (softmax.changed(before, 9, 0, 1.0) == 0).all()


def test_matrices_name_each_cell_and_sum_to_one():
    data = softmax.matrices(np.zeros((4, 4)), labels(4), "inf", LIGHT)
    assert data["sums"] == ["1.00"] * 4
    assert data["shares"][3][0]["text"] == "0.25"
    assert data["masked"][0][1] == "−∞" and data["masked"][1][1] == "0.00"


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([1, 1, 1], "gives <b>0.33</b> of its attention to each token: all scores are 1.00."),
        ([9, 1, 9], "gives <b>0.50</b> of its attention to each of {0} and {2}: a score of 9.00"),
        ([1, 9, 1], "gives <b>1.00</b> of its attention to {1}: a score of 9.00"),
        ([5], "gives <b>1.00</b> of its attention to {0}: a score of 5.00"),
    ],
)
def test_of_equal_scores_none_stands_out(scores, said):
    shown = labels(len(scores))
    matrix = np.tile(np.array(scores, dtype=float), (len(scores), 1))
    text = attention_caption(SimpleNamespace(labels=shown), matrix, "inf")
    assert said.format(*map(at, shown)) in text


def figures(colours):
    """Every figure of the chapter, at sizes beyond GPT-2 XL's."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(64, 1600))
    shares = rng.uniform(size=32)
    many = {"pre": np.arange(49.0), "post": np.ones(49)}
    yield sizes.parameter_bars({"wte": 5, "wpe": 1, "attn": 3, "ff": 6, "lm_head": 0}, colours)
    yield summands(dict.fromkeys("abcd", wide), labels(64), 0, colours)
    yield spread_bars(wide[0], colours)
    yield activations.curves(0.5, wide, colours)
    yield through_depth(many, {k: v[1:] for k, v in many.items()}, colours)
    yield tying.both_uses(wide[0], shares, range(3, 35), labels(64), colours)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_figures_are_small_and_grow_for_the_stage(colours):
    for figure in figures(colours):
        before = figure.to_json()
        assert len(before) < LIMIT
        large = stage.enlarged(figure, 380)
        assert figure.to_json() == before  # the original is left alone
        sizes_of_type = [int(s) for s in re.findall(r'"size":(\d+)', type_of(large))]
        assert sizes_of_type and min(sizes_of_type) >= stage.TYPE
        for axis in large.select_yaxes():
            assert all(isinstance(value, int | float) for value in axis.tickvals or ())


def type_of(figure) -> str:
    """The layout of a figure as JSON, template aside: where its type is set."""
    layout = json.loads(figure.to_json())["layout"]
    layout.pop("template", None)
    return json.dumps(layout, separators=(",", ":"))


def test_every_figure_can_be_read_as_a_table():
    for figure in figures(LIGHT):
        rows = rows_of(figure)
        assert len(rows) > 0 and not rows.isna().any(axis=None)
    figure = tying.both_uses(np.ones(8), np.ones(3) / 4, range(3), labels(3, "a<b"), LIGHT)
    below = rows_of(figure).tail(3)
    assert list(below["x"]) == [isolate("a<b")] * 3 and list(below["y"]) == [0.25] * 3
    assert below["part"].str.startswith("As output").all()


def test_equal_tokens_keep_their_own_columns():
    figure = tying.both_uses(np.ones(8), np.ones(4) / 4, range(4), labels(4), LIGHT)
    assert list(figure.data[1].x) == [0, 1, 2, 3]
    assert list(figure.layout.xaxis2.tickvals) == [0, 1, 2, 3]


def test_figures_leave_their_arguments_alone():
    x = np.linspace(-1, 1, 32)
    kept = x.copy()
    activations.curves(0.0, x, LIGHT)
    spread_bars(x, LIGHT)
    np.testing.assert_array_equal(x, kept)


# The drawings


def walk(shape):
    yield shape
    for child in shape["children"]:
        if not isinstance(child, str):
            yield from walk(child)


def flat(drawn):
    return [element for shape in drawn["shapes"] for element in walk(shape)]


@pytest.mark.parametrize("size", [12, 24])
def test_both_architectures_mark_every_box_and_lead_to_sections(size):
    drawn = architectures.side_by_side(6, 12, size)
    buttons = [e for one in drawn for e in flat(one) if e["attributes"].get("role") == "button"]
    names = {b["attributes"]["data-name"] for b in buttons}
    assert names <= set(SECTIONS)
    marks = {b["attributes"]["class"].split()[-1] for b in buttons}
    assert marks == {"kept", "changed", "removed", "new"}
    assert len(json.dumps(drawn)) < LIMIT


@pytest.mark.parametrize("config", list(GPT2_SIZES.values()), ids=list(GPT2_SIZES))
def test_the_stack_draws_every_head_of_every_block(config):
    drawn = drawing.stack(N=config.N, H=config.H, dmodel=config.dmodel, height=330, size=12)
    drawn_heads = [e for e in flat(drawn) if e["attributes"].get("class") == "solid attn"]
    assert len(drawn_heads) == config.N * config.H
    assert len(json.dumps(drawn)) < LIMIT


@pytest.mark.parametrize(("N", "H"), [(1, 1), (48, 25)])
def test_a_stack_stays_inside_its_drawing(N, H):
    drawn = drawing.stack(N=N, H=H, dmodel=H * 64, height=330, size=12)
    for e in flat(drawn):
        if e["tag"] == "rect":
            a = e["attributes"]
            assert a["y"] >= 0 and a["y"] + a["height"] <= 330.5
            assert a["x"] >= 0 and a["x"] + a["width"] <= drawn["width"]


def test_the_block_shows_the_lengths_it_is_given():
    names = ("enters", "norm_1", "attn", "middle", "norm_2", "ff", "leaves")
    norms = {name: 1.5 + i for i, name in enumerate(names)}
    shapes = {"stream": "(B 1, S 3)", "attn": "(2, 3, 3)", "ff": "(3, 8)"}
    drawn = drawing.block_flow(norms, shapes, 12, 1.7)
    words = {c for e in flat(drawn) for c in e["children"] if isinstance(c, str)}
    assert {"1.5", "norm_1 · 2.5", "+ 3.5", "4.5", "norm_2 · 5.5", "+ 6.5", "7.5"} <= words
