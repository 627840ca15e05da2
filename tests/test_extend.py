"""Traces grown token by token against traces made at once."""

import math
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

import pytest
import torch
from torch.testing import assert_close

from model import extended, logit_lens, run_trace
from model.heads import SCORES
from tests.networks import random_gpt, random_ids

CLOSE = {"rtol": 1e-5, "atol": 1e-5, "equal_nan": True}
HALF = {"rtol": 1e-3, "atol": 1e-6}  # the last bit of fp16


@pytest.fixture(scope="module")
def model():
    return random_gpt()


def assert_same(grown, whole):
    """Every field of two traces, within fp32 rounding of the numbers' own size."""
    assert grown.ids == whole.ids
    scale = whole.residual.abs().max()
    assert_close(grown.residual / scale, whole.residual / scale, **CLOSE)
    assert_close(grown.write_norms, whole.write_norms, **CLOSE)
    assert_close(grown.thumbnails.float(), whole.thumbnails.float(), **HALF)
    assert list(grown.head_scores) == list(SCORES)
    for name in SCORES:
        assert_close(grown.head_scores[name], whole.head_scores[name], **CLOSE)
    assert grown.checks.keys() == whole.checks.keys()
    assert max(grown.checks.values()) < 1e-5


def grow(trace, tokens):
    return reduce(extended, tokens, trace)


@pytest.mark.parametrize("start", [1, 2, 31, 50])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_a_grown_trace_is_the_trace_of_the_whole(model, start, count):
    ids = random_ids(start + count)
    assert_same(grow(run_trace(model, ids[:start]), ids[start:]), run_trace(model, ids))


def test_one_token_grown_to_the_whole_context_agrees_at_every_length(model):
    ids = random_ids(96, seed=1)
    trace = run_trace(model, ids[:1])
    for S in range(2, 97):
        trace = extended(trace, ids[S - 1])
        assert_same(trace, run_trace(model, ids[:S]))


def test_a_token_seen_before_wakes_the_scores_of_copies(model):
    before = run_trace(model, [5, 6])
    assert before.head_scores["duplicate"].isnan().all()
    assert_same(extended(before, 5), run_trace(model, [5, 6, 5]))


def test_what_is_recomputed_from_a_grown_trace_is_right_too(model):
    ids = random_ids(20)
    grown, whole = grow(run_trace(model, ids[:12]), ids[12:]), run_trace(model, ids)
    assert_close(grown.logits, whole.logits, **CLOSE)
    assert_close(grown.attention(2), whole.attention(2), **CLOSE)
    assert_close(grown.block(1).mlp_act, whole.block(1).mlp_act, **CLOSE)
    ours, theirs = logit_lens(model, grown, k=5), logit_lens(model, whole, k=5)
    assert (ours.ids == theirs.ids).all()
    assert_close(ours.probs, theirs.probs, **CLOSE)


def test_continuations_of_one_trace_leave_each_other_alone(model):
    ids = random_ids(10)
    root = run_trace(model, ids)
    before = root.residual.clone()
    one = grow(root, [1, 2, 3])
    seen = one.residual.clone()
    other = grow(root, [4, 5, 6])
    middle = grow(extended(root, 1), [7])
    assert torch.equal(root.residual, before)
    assert torch.equal(one.residual, seen)
    for trace in (one, other, middle):
        assert_same(trace, run_trace(model, trace.ids))


def test_continuations_in_several_threads_leave_each_other_alone(model):
    root = run_trace(model, random_ids(10))
    endings = [random_ids(8, seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        traces = list(pool.map(lambda ending: grow(root, ending), endings))
    for trace in traces:
        assert_same(trace, run_trace(model, trace.ids))


def test_traces_grown_from_one_another_share_their_stream(model):
    first = extended(run_trace(model, [1, 2, 3]), 4)
    second = extended(first, 5)
    assert second.residual.data_ptr() == first.residual.data_ptr()
    assert second.residual.shape[1] == first.residual.shape[1] + 1


def test_no_hook_remains_and_the_mode_stays(model):
    extended(run_trace(model, [1, 2]), 3)
    assert not model.training
    for module in model.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks


def test_a_full_context_is_refused_with_count_and_limit(model):
    full = run_trace(model, random_ids(96))
    with pytest.raises(ValueError, match=r"^97 tokens are more than the 96 "):
        extended(full, 1)


def test_a_token_outside_the_vocabulary_is_refused_and_disturbs_nothing(model):
    trace = run_trace(model, [1, 2])
    for token in (-1, 97):
        with pytest.raises(
            ValueError, match=f"Token id {token} is outside the vocabulary, 0 to 96"
        ):
            extended(trace, token)
    assert_same(extended(trace, 3), run_trace(model, [1, 2, 3]))


def test_a_check_that_fails_to_be_a_number_is_not_passed_over():
    broken = random_gpt()
    with torch.no_grad():
        broken.wte.weight[7] = torch.nan
    grown = extended(run_trace(broken, [5, 6]), 7)
    assert all(math.isnan(error) for error in grown.checks.values())


def test_an_interrupted_pass_costs_a_copy_and_no_truth(model):
    trace = extended(run_trace(model, [1, 2]), 3)

    def fail(_module, _args):
        raise KeyboardInterrupt

    handle = model.blocks[1].register_forward_pre_hook(fail)
    with pytest.raises(KeyboardInterrupt):
        extended(trace, 4)
    handle.remove()
    assert_same(extended(trace, 5), run_trace(model, [1, 2, 3, 5]))
