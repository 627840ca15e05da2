"""Tests of the head that a prompt opens with."""

import pytest

from viz.pages import engine
from viz.pages.opening import sharp_looks, telling_head


def opened(prompt: str | range):
    """The trace of a text or of ids, and the head it opens with."""
    ids = engine.tokenizer().encode(prompt) if isinstance(prompt, str) else prompt
    where = engine.first_source(), tuple(ids)
    return engine.trace(*where), telling_head(*where)


def most_read(trace, layer: int, head: int) -> str:
    """The token to which the head gives most after the last one."""
    source = int(trace.attention(layer)[head, -1].argmax())
    return engine.tokenizer().decode([trace.ids[source]])


def test_a_repeated_sentence_opens_with_its_best_induction_head():
    trace, (layer, head) = opened("The cat sat on the mat. The cat sat on the")
    scores = trace.head_scores["induction"]
    assert scores[layer, head] == scores.max() > 0.4


@pytest.mark.parametrize(
    ("prompt", "token"),
    [
        ("When Mary and John went to the store, John gave a drink to", " Mary"),
        ("apple river stone seven apple river stone", " seven"),
        ("The capital of France is", " France"),
    ],
)
def test_otherwise_it_opens_with_a_head_that_reads_what_matters(prompt, token):
    trace, head = opened(prompt)
    assert most_read(trace, *head) == token


def test_a_long_prompt_without_repeats_opens_with_a_head_that_looks_one_back():
    trace, (layer, head) = opened(range(1000, 1040))
    scores = trace.head_scores["previous"]
    assert scores[layer, head] == scores.max()


def test_one_token_has_no_telling_head_but_a_first_one():
    trace, head = opened("Hi")
    assert head == (0, 0)
    assert not sharp_looks(trace).any()
