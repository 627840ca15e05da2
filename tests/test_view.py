"""The address bar and the view say the same thing."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest

from model import GPTConfig
from viz.pages.view import View, box_shown, fitted, from_params, layer_of, panel_for

DEFAULT = View(q="The cat")
CONFIG = GPTConfig(dmodel=24, N=6, H=6)
PROMPTS = ["", " ", "a&b=c#d?e", "100% +1", "🤗 東京\n\t", "<script>", "\u202eabc", "x" * 3000]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_view_comes_back_from_its_address(prompt):
    view = View(q=prompt, at="blocks.3.attn", head=7, token=12, panel="lens", colour="kl")
    address = urlencode(view.params(DEFAULT))
    again, notices = from_params(dict(parse_qsl(address, keep_blank_values=True)), DEFAULT)
    assert again == view
    assert notices == []


def test_the_default_view_has_an_empty_address():
    assert DEFAULT.params(DEFAULT) == {}
    assert from_params({}, DEFAULT) == (DEFAULT, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [("head", "x"), ("head", "-1"), ("token", "1e3"), ("token", "9" * 40), ("token", "٣"),
     ("seed", "1.5"), ("top_k", "5.0"), ("temperature", "1."), ("panel", ""), ("colour", "red"),
     ("grown", "1..2"), ("grown", "-1"), ("grown", "9" * 40),
     ("rows", "two"), ("span", "wide"), ("nonsense", "1")],
)  # fmt: skip
def test_what_cannot_be_had_is_told_and_left_out(name, text):
    view, notices = from_params({name: text}, DEFAULT)
    assert view == DEFAULT
    assert len(notices) == 1
    assert name in notices[0]


def test_a_continuation_may_be_of_any_vocabulary():
    view = View(q="x", grown="60000.3")
    assert from_params(view.params(DEFAULT), DEFAULT) == (view, [])


def test_boxes_heads_and_tokens_a_model_lacks_are_put_back():
    absent = View(q="x", at="blocks.6.attn", head=6, token=1, neuron=96, target=50257)
    view, faults = fitted(absent, CONFIG, 1)
    assert view == View(q="x")
    assert len(faults) == 5
    kept = View(q="x", at="blocks.5.norm_1", head=5, token=0, neuron=95, target=50256)
    assert fitted(kept, CONFIG, 1) == (kept, [])


def test_each_box_opens_its_panel():
    assert panel_for("blocks.0.attn") == "attention"
    assert panel_for("blocks.0.ff") == "mlp"
    assert panel_for("blocks.0.norm_2") == "residual"
    assert panel_for("embed") == "embedding"
    assert panel_for("norm") == "lens"
    assert panel_for("lm_head") == "next"
    assert layer_of(View(q="", at="blocks.11.ff")) == 11
    assert layer_of(View(q="", at="embed")) == 0


def test_the_box_in_the_diagram_is_that_of_the_panel():
    view = View(q="", at="blocks.3.attn")
    shown = {
        p: box_shown(replace(view, panel=p)) for p in ("attention", "mlp", "embedding", "next")
    }
    assert shown == {
        "attention": "blocks.3.attn",
        "mlp": "blocks.3.ff",
        "embedding": "embed",
        "next": "lm_head",
    }
    for panel in ("residual", "lens", "code"):
        assert box_shown(replace(view, at="blocks.3.norm_2", panel=panel)) == "blocks.3.norm_2"
