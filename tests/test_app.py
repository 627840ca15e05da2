"""The page's states and bad input, run by Streamlit's own AppTest, without a browser."""

import re
import threading
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model import load_model
from tests.checkpoints import SMALL, random_gpt2
from viz.pages import engine, explore, warm_up
from viz.pages.about import later_runs
from viz.pages.turnstile import Turnstile

APP = Path(__file__).parents[1] / "app.py"


@pytest.fixture(autouse=True)
def fresh_start(monkeypatch):
    """No model of this machine's environment, and a page that has not chosen one yet."""
    monkeypatch.delenv("GLASSBOX_MODEL", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    engine.first_source.clear()
    yield
    engine.first_source.clear()


def opened(**params: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=120)
    for name, value in params.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def page_text(app: AppTest) -> str:
    shown = [element.value for element in app.get("html")]
    return " ".join(value for value in shown if not value.startswith("<style"))


def caption(app: AppTest) -> str:
    [found] = re.findall(r'<p class="gb-caption">(.*?)</p>', page_text(app))
    return re.sub(r"<[^>]+>", "", found)


@pytest.mark.parametrize(
    ("panel", "title"),
    [
        ("attention", "Attention, block"),
        ("embedding", "Embedding"),
        ("mlp", "MLP, block"),
        ("residual", "Residual stream"),
        ("lens", "Logit lens"),
        ("next", "Next token"),
    ],
)
@pytest.mark.parametrize("prompt", ["one", "one two three one two three", "the cat sat " * 20])
def test_every_panel_says_what_it_is_what_stands_out_and_its_errors(panel, title, prompt):
    app = opened(q=prompt, panel=panel)
    text = page_text(app)
    assert title in text
    assert len(caption(app)) > 40
    for check in ("Rows sum to 1", "Stream adds up", "Last lens row is the model"):
        assert check in text
    assert "gb-bad" not in text


@pytest.mark.parametrize("tokens", [1, 2, 64, 256])
@pytest.mark.parametrize(
    ("panel", "side", "words"),
    [
        ("mlp", "active", "neurons are above zero"),
        ("mlp", "neuron", "it speaks for"),
        ("mlp", "gelu", "ReLU would give"),
        ("embedding", "added", "their sum has norm"),
        ("embedding", "nearest", "the typical token has"),
        ("embedding", "positions", "Most like position"),
    ],
)
def test_every_side_of_the_mlp_and_the_embedding_at_any_length(panel, side, words, tokens):
    app = opened(q="The" + " the" * (tokens - 1), panel=panel, **{panel: side})
    assert words in caption(app)


def test_a_neuron_of_choice_is_shown_before_and_after_the_gelu():
    for stage in ("before", "after"):
        app = opened(at="blocks.2.ff", panel="mlp", mlp="neuron", neuron="41", stage=stage)
        assert "Neuron 2.41 is above zero" in caption(app)
        assert app.number_input(key="neuron").value == 41


def test_the_first_view_needs_no_choice():
    text = page_text(opened())
    assert "Attention, block" in text
    assert "head" in text


def test_an_empty_prompt_gets_a_friendly_line():
    assert "Type a sentence above" in page_text(opened(q=""))


def test_too_long_a_prompt_says_count_and_limit_and_offers_the_end():
    app = opened(q="the " * 2000)
    text = page_text(app)
    assert "2,001 tokens" in text
    assert "at most 256" in text
    [button] = [b for b in app.button if b.label.startswith("Use the last")]
    button.click().run()
    assert not app.exception
    assert "Attention, block" in page_text(app)


def test_cutting_never_splits_a_character():
    app = opened(q="🤗" * 300)
    [button] = [b for b in app.button if b.label.startswith("Use the last")]
    button.click().run()
    assert set(app.query_params["q"][0]) == {"🤗"}


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"at": "blocks.99.attn"}, "blocks.99.attn"),
        ({"at": "../etc"}, "../etc"),
        ({"head": "77"}, "no head 77"),
        ({"head": "-1"}, "head=-1"),
        ({"neuron": "99999"}, "no neuron 99999"),
        ({"token": "5000"}, "no token 5000"),
        ({"token": "٣"}, "token="),
        ({"panel": "nope"}, "panel=nope"),
        ({"seed": "1.5"}, "seed=1.5"),
        ({"target": "50257"}, "no token id 50257"),
        ({"colour": "<b>"}, "colour=&lt;b&gt;"),
        ({"model": "/etc/passwd"}, "not on this machine"),
        ({"utm_source": "x"}, "utm_source"),
    ],
)
def test_nonsense_in_the_address_is_ignored_with_a_notice(params, said):
    app = opened(**params)
    text = page_text(app)
    assert said in text
    assert "gb-notice" in text
    assert "Attention, block" in text


def test_a_broken_checkpoint_leaves_the_built_in_model_in_use(monkeypatch, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setenv("GLASSBOX_MODEL", str(tmp_path))
    text = page_text(opened())
    assert "config.json" in text
    assert "The built-in model runs instead" in text
    assert "Attention, block" in text


@pytest.mark.parametrize("params", [{}, {"q": "!", "bos": "1"}, {"q": "!", "grown": "50000"}])
def test_tokens_that_a_model_lacks_are_told_in_one_sentence(monkeypatch, saved_small, params):
    monkeypatch.setenv("GLASSBOX_MODEL", str(saved_small))
    text = page_text(opened(**params))
    assert "This model knows 97 tokens, ids 0 to 96" in text
    assert "Attention, block" in page_text(opened(q="!"))
    explore.prepare()  # the server's own first look finds nothing to read, and no fault


@pytest.fixture
def offer(monkeypatch, tmp_path):
    """offer(vocab_size=1) -> the page starts on a small checkpoint with these settings."""

    def saved(**settings: int) -> None:
        random_gpt2(**SMALL | settings).save_pretrained(tmp_path)
        monkeypatch.setenv("GLASSBOX_MODEL", str(tmp_path))

    return saved


def test_a_continuation_beyond_gpt2_s_tokens_comes_back_from_the_address(offer):
    offer(vocab_size=60_000)
    text = page_text(opened(q="!", grown="59999.5", panel="next"))
    assert "gb-notice" not in text and "Next token after position 2" in text


def test_a_continuation_that_a_model_lacks_is_left_out_with_a_notice(offer):
    offer()
    text = page_text(opened(q="!", grown="5.97", token="2"))
    assert "97 tokens, ids 0 to 96; the continuation has others and is left out." in text
    assert "Attention, block" in text


@pytest.mark.parametrize(
    "params",
    [
        {"panel": "attention", "look": "writes"},
        {"panel": "mlp", "mlp": "neuron"},
        {"panel": "lens", "lens": "cell"},
        {"panel": "next"},
        {"panel": "embedding", "embedding": "nearest"},
    ],
)
def test_lists_are_as_short_as_the_vocabulary(offer, params):
    offer(vocab_size=1)
    opened(q="!", **params)
    assert "This model knows 1 token, id 0; the prompt has" in page_text(opened(q="a", **params))


def test_only_an_end_of_at_least_a_token_is_offered(offer):
    offer(n_positions=1, vocab_size=50257)
    app = opened(q="one two")
    [button] = [b for b in app.button if b.label.startswith("Use the last")]
    assert button.label == "Use the last token"
    app = opened(q="one two", bos="1")
    assert "has 3 tokens" in page_text(app)
    assert not [b for b in app.button if b.label.startswith("Use the last")]


def test_a_target_that_a_model_lacks_is_told(monkeypatch, saved_small):
    monkeypatch.setenv("GLASSBOX_MODEL", str(saved_small))
    app = opened(q="!", panel="lens", colour="rank")
    app.text_input(key="choice_target").set_value(" the").run()
    assert not app.exception
    assert "is token 262, which this model does not have" in page_text(app)


def test_the_server_starts_also_where_its_model_is_broken(monkeypatch, tmp_path):
    monkeypatch.setenv("GLASSBOX_MODEL", str(tmp_path / "nowhere"))
    warm_up.load()  # what is wrong is told to visitors, see above


def test_the_mean_of_heads_is_told_as_such():
    said = caption(opened(panel="attention", at="blocks.3.attn", pool="mean"))
    assert "the heads of block 3 on average give" in said and "head 3." not in said
    assert "some head of block 3 gives" in caption(opened(at="blocks.3.attn", pool="max"))


def about() -> None:
    """About alone, as app.py shows it."""
    import streamlit as st

    from viz.pages.about import about

    pages: list = []
    pages.append(st.Page(lambda: about(pages), title="About", url_path="about", default=True))
    st.navigation(pages, position="hidden").run()


def test_about_gives_the_card_of_the_built_in_model_and_what_is_to_be_said():
    app = AppTest.from_function(about, default_timeout=120)
    app.query_params["model"] = "nope"
    app.run()
    assert not app.exception
    text = page_text(app)
    assert "“nope” is not on this machine" in text
    assert "blocks until the lens has it" in text and "repeated sentence" in text


def test_about_says_when_training_began_anew():
    assert later_runs({"minutes": 5.0}) == ""
    second = {"minutes": 97.0, "before": {"minutes": 78.0}}
    assert " After 78 minutes a new run " in later_runs(second)
    third = {"minutes": 9.0, "before": second}
    assert " After 78 and 175 minutes a new run " in later_runs(third)
    assert "never follow" not in later_runs(third)
    assert "never follow" in later_runs(third | {"astray": 0.2})


@pytest.mark.parametrize("prompt", ["🤗", "東京", "Ωμέγα", "w" * 60])
def test_words_that_the_model_has_never_seen_are_followed_through_depth(prompt):
    assert "At the top it is at place" in caption(opened(q=prompt, panel="lens", lens="course"))


def test_a_visitor_cannot_name_a_folder_of_the_host(tmp_path):
    text = page_text(opened(model=str(tmp_path)))
    assert "not on this machine" in text


def test_markup_in_the_prompt_is_escaped_in_what_the_page_says():
    for panel in ("attention", "residual", "lens", "next"):
        text = page_text(opened(q="<script>alert(1)</script> <b>", panel=panel))
        assert "<script>" not in text
        assert "<b>alert" not in text


def test_the_model_menu_gives_the_size_of_the_loaded_network():
    parameters = sum(p.numel() for p in load_model("mini").parameters())
    [menu, *_] = [block.proto.popover.label for block in opened().get("popover")]
    assert f"{parameters:,}" in menu


def test_the_turnstile_serves_in_order_and_tells_the_place():
    gate, told, order = Turnstile(), [], []
    inside, release = threading.Event(), threading.Event()

    def first():
        with gate.turn(told.append):
            inside.set()
            release.wait(10)
            order.append("first")

    def later(name: str):
        with gate.turn(told.append, every=0.01):
            order.append(name)

    threads = [threading.Thread(target=first)]
    threads[0].start()
    assert inside.wait(10)
    for name in ("second", "third"):
        threads.append(threading.Thread(target=later, args=(name,)))
        threads[-1].start()
        while len(threads) - 1 not in told:  # until the new one stands in the queue
            time.sleep(0.005)
    release.set()
    for thread in threads:
        thread.join(10)
    assert order == ["first", "second", "third"]
    assert set(told) == {1, 2}


def test_the_turnstile_moves_on_after_an_error():
    gate = Turnstile()
    with pytest.raises(RuntimeError), gate.turn(lambda _: None):
        raise RuntimeError
    with gate.turn(pytest.fail):
        pass


def test_a_choice_puts_off_the_next_token():
    app, before = opened(q="one two", panel="next"), time.monotonic()
    app.button(key="draw_one").click().run()
    assert app.session_state["stepped"] > before
