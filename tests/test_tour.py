"""Heads found by what they do, in networks built to do it; the tour that visits them."""

import math
import re

import pytest
import torch
from playwright.sync_api import expect

from model import GPT, GPT2_SIZES, GPTConfig, Tokenizer, run_trace
from model.circuits import attention_between, direct_effects, repeated, repetition_scores
from viz.pages.tour import heads_of
from viz.pages.view import View, from_params
from viz.tour import SCORES, STOPS, neighbours

HALF = 32  # dimensions for positions, and as many for tokens


@pytest.fixture(scope="module")
def built() -> GPT:
    """One block whose head 0 looks at the token before, and head 1 at the token's own copies."""
    model = GPT(GPTConfig(dmodel=2 * HALF, vocabsize=HALF, max_seq_len=HALF, N=1, H=2)).eval()
    for weight in model.parameters():
        weight.requires_grad_(False).zero_()
    one_hot = torch.eye(HALF)
    model.wpe.weight[:, :HALF] = one_hot
    model.wte.weight[:, HALF:] = one_hot
    model.blocks[0].norm_1.weight.fill_(10.0)
    attn = model.blocks[0].attn
    attn.wk.weight.copy_(torch.eye(2 * HALF))  # head 0's keys say where, head 1's say what
    attn.wq.weight[: HALF - 1, 1:HALF] = torch.eye(HALF - 1)  # asks for the position before
    attn.wq.weight[HALF:, HALF:] = one_hot  # asks for the same token
    return model


@pytest.fixture(scope="module")
def drawn() -> GPT:
    """A network with all weights drawn, norms and biases too."""
    torch.manual_seed(0)
    model = GPT(GPTConfig(dmodel=24, vocabsize=50, max_seq_len=20, N=3, H=4)).eval()
    for weight in model.parameters():
        weight.requires_grad_(False).add_(0.3 * torch.randn_like(weight))
    return model


# -------------------------------------------------------------------------------------- scores


def test_the_sequence_is_drawn_once_and_comes_twice():
    ids = repeated(range(100, 200), 30, seed=1)
    assert ids[:30] == ids[30:]
    assert len(set(ids)) == 30 and set(ids) <= set(range(100, 200))
    assert ids == repeated(range(100, 200), 30, seed=1) != repeated(range(100, 200), 30, seed=2)


def test_heads_built_to_do_it_score_what_they_must(built):
    scores = {name: values[0].tolist() for name, values in repetition_scores(built).items()}
    assert scores["previous"][0] == pytest.approx(1, abs=1e-3)
    assert scores["entropy"][0] == pytest.approx(0, abs=1e-2)
    # At the second copy half the attention stays, half goes to the first: 0.5, and log 2 nats.
    assert scores["duplicate"][1] == pytest.approx(0.5, abs=1e-3)
    assert scores["current"][1] == pytest.approx(0.75, abs=1e-3)
    assert scores["entropy"][1] == pytest.approx(math.log(2) / 2, abs=1e-2)
    assert max(scores["induction"]) < 0.05


def test_scores_are_a_property_of_the_model(drawn):
    once, again = repetition_scores(drawn), repetition_scores(drawn)
    assert all(torch.equal(once[name], again[name]) for name in once)
    assert all(values.shape == (3, 4) and values.isfinite().all() for values in once.values())


def test_only_the_tokens_allowed_are_drawn(built):
    assert repetition_scores(built, [3, 5, 8])["previous"][0, 0] == pytest.approx(1, abs=1e-3)


def test_attention_between_two_tokens_is_the_pattern_s_cell(drawn):
    trace = run_trace(drawn, [4, 8, 15, 16, 23])
    found = attention_between(trace, 4, 2)
    assert torch.equal(found, torch.stack([trace.attention(i)[:, 4, 2] for i in range(3)]))
    with pytest.raises(ValueError, match="read"):
        attention_between(trace, 2, 4)


def test_direct_effects_of_heads_and_the_rest_make_the_difference_of_two_logits(drawn):
    trace, position, token, against = run_trace(drawn, [4, 8, 15, 16, 23]), 3, 7, 41
    effects = direct_effects(drawn, trace, position, token, against)
    rows = drawn.lm_head.weight
    direction = rows[token] - rows[against]

    def effect(write):
        spread = trace.residual[-1, position].var(unbiased=False) + drawn.norm.eps
        normed = (write - write.mean()) / spread.sqrt() * drawn.norm.weight
        return (normed @ direction).item()

    stream = trace.residual[:, position]
    rest = effect(stream[0]) + drawn.norm.bias @ direction
    for i, block in enumerate(drawn.blocks):
        rest += effect(block.attn.wo.bias) + effect(stream[2 * i + 2] - stream[2 * i + 1])
    logits = trace.logits[position]
    torch.testing.assert_close(effects.sum() + rest, logits[token] - logits[against])


# ---------------------------------------------------------------------------------------- tour


@pytest.mark.parametrize("stop", STOPS.values(), ids=STOPS)
def test_a_stop_names_tokens_that_are_there(stop):
    tokenizer = Tokenizer()
    ids = tokenizer.encode(stop.prompt)
    for text, which in filter(None, (stop.reader, stop.read)):
        (token,) = tokenizer.encode(text)
        assert ids.count(token) >= which
    for text in stop.answer or ():
        assert len(tokenizer.encode(text)) == 1
    assert stop.score in SCORES


@pytest.mark.parametrize("stop", STOPS.values(), ids=STOPS)
def test_a_stop_says_two_sentences_and_its_source(stop):
    assert len(re.findall(r"[.?!](?= [A-Z]|$)", stop.look)) == 2
    assert re.search(r"(19|20)\d\d", stop.source)
    config = GPT2_SIZES["gpt2"]
    for layer, head in (map(int, name.split(".")) for name in stop.heads):
        assert layer < config.N and head < config.H


def test_stops_lead_from_one_to_the_next():
    names = list(STOPS)
    assert neighbours(names[0]) == (None, names[1])
    assert neighbours(names[-1]) == (names[-2], None)


def test_the_address_carries_stop_start_token_and_colouring():
    asked = {"tour": "mover", "bos": "1", "grid": "induction"}
    view, notices = from_params(asked, View(q="x"))
    assert notices == []
    assert view.params(View(q="x")) == asked
    for name in asked:
        _, notices = from_params({name: "nonsense"}, View(q="x"))
        assert len(notices) == 1


def test_heads_that_steer_others_stand_below_them():
    below, above = (heads_of("mini", STOPS[name])[0][0] for name in ("inhibition", "mover"))
    assert below < above


# ------------------------------------------------------------------------------------- the page


@pytest.mark.browser
def test_the_tour_leads_through_prompts_and_heads(server, open_page):
    page = open_page(server.url())
    page.get_by_role("button", name="Known circuits").click()
    page.get_by_text("Duplicate-token head").click()
    page.locator(".gb-tour", has_text="Duplicate-token head").wait_for()
    expect(page.locator(".prompt textarea")).to_have_value(re.compile("^When Mary and John"))
    page.locator(".chip[aria-pressed='true'][data-name='9']").wait_for()
    page.get_by_role("button", name="Next").click()
    page.locator(".gb-tour", has_text="Induction head").wait_for()
    assert "tour=induction" in page.url
    head = page.locator(".st-key-tour_foot button").first.inner_text()
    found = re.fullmatch(r"head (\d)\.(\d) · (0\.\d\d)", head)
    title = f"Attention, block {found[1]}, head {found[2]}"
    page.locator(".gb-heading h2", has_text=title).wait_for()
    page.get_by_role("button", name="End").click()
    page.locator(".gb-tour").wait_for(state="detached")
    assert "tour" not in page.url


@pytest.mark.browser
def test_every_stop_can_be_shown_on_the_built_in_model(server, open_page):
    page = open_page(server.url(tour=next(iter(STOPS))))
    for stop in STOPS.values():
        page.locator(".gb-tour", has_text=stop.title).wait_for()
        page.locator(".gb-caption").wait_for()
        assert page.locator(".st-key-tour_foot .gb-title", has_text="Measured here").is_visible()
        assert page.locator(".stException").count() == 0
        if neighbours(stop.name)[1]:
            page.get_by_role("button", name="Next").click()


@pytest.mark.browser
def test_the_start_token_is_a_token_like_any_other(server, open_page):
    page = open_page(server.url())
    page.get_by_text("Start token").click()
    page.locator(".chip[data-name='0']", has_text="<|endoftext|>").wait_for()
    page.get_by_text("In training, a special token stood between documents").first.wait_for()
    assert "bos=1" in page.url
    page.locator(".chip[data-name='0']").click()
    page.locator(".gb-caption", has_text="<|endoftext|>").wait_for()


@pytest.mark.browser
def test_a_score_colours_the_grid(server, open_page):
    page = open_page(server.url(grid="induction"))
    page.locator(".about", has_text=re.compile(r"head \d\.\d · induction \d\.\d\d")).wait_for()
    page.locator(".about", has_text="on random tokens that come twice").wait_for()
