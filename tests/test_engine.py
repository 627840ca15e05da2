"""What the pages share: made once, bounded, and the same for every visitor."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from model import run_trace, sampling
from viz.pages import engine
from viz.pages.growth import with_token, without_last
from viz.pages.panels.head_steps import four_steps
from viz.pages.shelf import Shelf
from viz.pages.view import View, grown_ids

MINI = engine.BUILT_IN


def ids(text: str) -> tuple[int, ...]:
    return tuple(engine.tokenizer().encode(text))


def test_five_visitors_at_once_get_one_copy_of_the_weights():
    engine.model.clear()
    with ThreadPoolExecutor(5) as visitors:
        models = list(visitors.map(engine.model, [MINI] * 5))
    assert len({id(model) for model in models}) == 1


def test_a_shelf_makes_each_value_once_however_many_ask():
    shelf, made, gate = Shelf(most=4), [], threading.Barrier(6)

    def ask() -> str:
        gate.wait(10)
        return shelf.get("key", lambda: made.append(1) or "value")

    with ThreadPoolExecutor(6) as visitors:
        answers = [job.result() for job in [visitors.submit(ask) for _ in range(6)]]
    assert answers == ["value"] * 6
    assert made == [1]


def test_a_shelf_keeps_what_was_used_last():
    shelf = Shelf(most=2)
    for key in "abac":
        shelf.get(key, lambda key=key: key.upper())
    assert [shelf.look(key) for key in "abc"] == ["A", None, "C"]


def test_a_shelf_does_not_keep_failures():
    shelf = Shelf(most=2)
    with pytest.raises(ZeroDivisionError):
        shelf.get("key", lambda: 1 // 0)
    assert shelf.get("key", lambda: "later") == "later"


def test_traces_are_bounded_and_grown_where_the_shorter_one_is_at_hand():
    engine.traces.clear()
    prompt = ids("the cat sat on the mat")
    short = engine.trace(MINI, prompt[:-1])
    grown = engine.trace(MINI, prompt)
    whole = run_trace(engine.model(MINI), prompt)
    assert engine.trace(MINI, prompt[:-1]) is short
    assert grown.ids == whole.ids
    assert np.allclose(grown.residual, whole.residual, rtol=1e-4, atol=1e-4)
    for i in range(20):
        engine.trace(MINI, (i,))
    assert engine.traces().look((MINI, prompt)) is None


def test_the_steps_of_a_head_are_those_of_the_opened_block():
    prompt = ids("one two three one two")
    block = engine.block(MINI, prompt, 1)
    steps = four_steps(block, 2, 3)
    for row, exact in enumerate((block.scores, block.scaled, block.masked, block.pattern)):
        expected = exact[2, 3].numpy()
        assert np.allclose(steps[row][:4], expected[:4], atol=1e-4)
    assert np.isneginf(steps[2, 4])
    assert steps[3].sum() == pytest.approx(1, abs=1e-5)


def test_the_answer_is_the_models_own():
    prompt = ids("one, two, three,")
    answer = engine.answer(MINI, prompt, 5, 3)
    probs = sampling.distribution(engine.logits(MINI, prompt, 5))
    assert answer.ids[0, 0].tolist() == np.argsort(-probs)[:3].tolist()
    assert engine.last_row_error(MINI, prompt, 5) < 1e-5


def test_a_target_is_followed_beside_the_leading_tokens():
    prompt = ids("one, two, three,")
    rows = tuple(range(0, 13, 2))
    best = int(engine.answer(MINI, prompt, 5, 1).ids[0, 0, 0])
    lead = engine.courses(MINI, prompt, 5, rows, best)
    with_target = engine.courses(MINI, prompt, 5, rows, 50256)
    assert 50256 in with_target.tokens
    assert set(lead.tokens) <= set(with_target.tokens)
    assert lead.ranks.min() == 0


def test_tokens_are_appended_and_taken_back_by_the_address_alone():
    view = View(q="one")
    one = View(q="one", **with_token(view, 318))
    two = View(q="one", **with_token(one, 257))
    assert (one.grown, two.grown, two.token) == ("318", "318.257", None)
    assert grown_ids(two) == [318, 257]
    assert View(q="one", **without_last(two)).grown == "318"
    assert View(q="one", **without_last(one)).grown is None


def test_tokens_the_built_in_model_never_saw_are_known():
    assert engine.unseen(MINI, ids("the SolidGoldMagikarp 東京"))
    assert engine.unseen("a folder", ids("the")) == frozenset()


def test_all_tokens_the_built_in_model_never_saw_are_one_guess():
    mat, ghost = (engine.tokenizer().encode(text)[0] for text in (" mat", " Ghost"))
    assert engine.guess("mini", mat) == engine.word(mat)
    assert engine.guess("mini", ghost).text == "⟨unseen⟩"
    assert engine.guess("mini", ghost).id == ghost
