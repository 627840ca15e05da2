"""The lens against whole rows of logits, in fp64, and against the model's own answer."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from model import logit_lens, run_trace
from tests.networks import random_gpt, random_ids

# A vocabulary of less than a block; of a block and a bit; of more than a shelf of blocks.
VOCABULARIES = (97, 1024, 1061, 11_301)
ARRAYS = ("ids", "probs", "entropy", "kl", "rank", "target_prob")


def logits_of(model, trace):
    """(2N+1, S, vocabsize): norm and head on whole rows, as the model does it."""
    with torch.no_grad():
        return model.lm_head(model.norm(trace.residual))


def plain(model, trace):
    """Every row whole, in fp64: log-probabilities (R, S, vocabsize), entropy and KL (R, S)."""
    log_probs = logits_of(model, trace).double().log_softmax(dim=-1)
    probs = log_probs.exp()
    entropy = -(probs * log_probs).sum(dim=-1)
    kl = (probs[-1:] * (log_probs[-1:] - log_probs)).sum(dim=-1)
    return log_probs.numpy(), entropy.numpy(), kl.numpy()


def assert_same(lens, model, trace, rtol=2e-5, atol=2e-5):
    """The lens is the plain one. Words whose logits differ by rounding only may change places."""
    every, entropy, kl = (x[list(lens.rows)][:, list(lens.positions)] for x in plain(model, trace))
    R, P, k = lens.ids.shape
    assert entropy.shape == (R, P)
    best = -np.sort(-every, axis=-1)[..., :k]
    assert_allclose(lens.probs, np.exp(best), rtol=rtol)
    assert_allclose(lens.probs, np.exp(np.take_along_axis(every, lens.ids, axis=-1)), rtol=rtol)
    assert all(len(set(cell)) == k for cell in lens.ids.reshape(-1, k))
    assert_allclose(lens.entropy, entropy, rtol=rtol, atol=atol)
    assert_allclose(lens.kl, kl, rtol=rtol, atol=atol)
    if lens.target is not None:
        aim = every[..., lens.target, None]
        assert_allclose(lens.target_prob, np.exp(aim[..., 0]), rtol=rtol, atol=1e-35)
        assert (lens.rank >= (every > aim + atol).sum(axis=-1)).all()
        assert (lens.rank <= (every > aim - atol).sum(axis=-1)).all()


@pytest.fixture(scope="module")
def model():
    return random_gpt(vocabsize=1061)


@pytest.fixture(scope="module")
def trace(model):
    return run_trace(model, random_ids(40, vocabsize=1061))


@pytest.mark.parametrize("vocabsize", VOCABULARIES)
@pytest.mark.parametrize("k", [1, 10, 97])
def test_it_is_what_whole_rows_give(vocabsize, k):
    model = random_gpt(vocabsize=vocabsize)
    trace = run_trace(model, random_ids(21, vocabsize=vocabsize))
    for target in (0, 96, vocabsize - 1):
        assert_same(logit_lens(model, trace, k=k, target=target), model, trace)


def test_more_cells_than_are_read_at_once():
    model = random_gpt(N=8, vocabsize=300)
    trace = run_trace(model, random_ids(96))  # 17 rows of 96
    assert_same(logit_lens(model, trace, k=5, target=7), model, trace)


def test_the_whole_vocabulary_in_order(model, trace):
    lens = logit_lens(model, trace, k=1061, positions=[3])
    assert_array_equal(np.sort(lens.ids), np.broadcast_to(np.arange(1061), lens.ids.shape))
    assert (np.diff(lens.probs) <= 0).all()
    assert_allclose(lens.probs.sum(axis=-1), 1, rtol=1e-5)


def test_the_last_row_is_the_models_own_answer(model, trace):
    with torch.no_grad():
        probs = model(torch.tensor([trace.ids]))[0].softmax(dim=-1)  # (S, vocabsize)
    lens = logit_lens(model, trace, k=10)
    best, ids = probs.topk(10)
    assert_array_equal(lens.ids[-1], ids)
    assert_allclose(lens.probs[-1], best, rtol=1e-5)
    assert not lens.kl[-1].any()
    assert (lens.kl[:-1] > 0).all()


def test_every_row_is_normed_once(model, trace):
    early = model.norm(trace.residual[0])
    lens = logit_lens(model, trace, k=1, rows=["embed"])
    assert_array_equal(lens.ids[0, :, 0], model.lm_head(early).argmax(dim=-1))


def test_numbers_shapes_and_names(model, trace):
    lens = logit_lens(model, trace, k=4, target=3)
    R, P = 2 * model.config.N + 1, len(trace.ids)
    assert lens.rows == tuple(range(R))
    assert lens.writers == trace.writers
    assert lens.positions == tuple(range(P))
    assert lens.target == 3
    assert {getattr(lens, name).shape for name in ("ids", "probs")} == {(R, P, 4)}
    assert {getattr(lens, name).shape for name in ARRAYS[2:]} == {(R, P)}
    kinds = {name: str(getattr(lens, name).dtype) for name in ARRAYS}
    assert kinds == dict.fromkeys(ARRAYS, "float32") | {"ids": "int64", "rank": "int64"}
    without = logit_lens(model, trace)
    assert without.ids.shape == (R, P, 10)
    assert without.rank is without.target_prob is without.target is None


@pytest.mark.parametrize("rows", [[6], [0, 2, 4, 6], [5, 1], ["blocks.1.ff", "embed", 3], [2, 2]])
@pytest.mark.parametrize("positions", [[0], [39, 0, 7], [5, 5], range(10, 14)])
def test_rows_and_positions_in_the_order_asked_for(model, trace, rows, positions):
    lens = logit_lens(model, trace, k=3, rows=rows, positions=positions, target=9)
    indexes = [trace.writers.index(row) if isinstance(row, str) else row for row in rows]
    assert lens.rows == tuple(indexes)
    assert lens.writers == tuple(trace.writers[row] for row in indexes)
    assert lens.positions == tuple(positions)
    assert_same(lens, model, trace)


def test_one_token():
    model = random_gpt()
    trace = run_trace(model, [5])
    assert_same(logit_lens(model, trace, k=2, target=5), model, trace)


def test_all_words_alike():
    model = random_gpt(vocabsize=1500)
    model.wte.weight[:] = model.wte.weight[0].clone()
    lens = logit_lens(model, run_trace(model, [1, 2, 3]), k=20, target=700)
    assert all(len(set(cell)) == 20 for cell in lens.ids.reshape(-1, 20))
    assert_allclose(lens.probs, 1 / 1500, rtol=1e-5)
    assert_allclose(lens.entropy, np.log(1500), rtol=1e-5)
    assert_allclose(lens.kl, 0, atol=1e-5)
    assert not lens.rank.any()  # nothing is ahead


@pytest.mark.parametrize("k", [1, 2, 10, 1500])
def test_of_equals_the_lower_id_comes_first(k):
    model = random_gpt(vocabsize=11_301)
    model.wte.weight[:] = 0
    trace = run_trace(model, [1, 2, 3])
    assert_array_equal(logit_lens(model, trace, k=k).ids, np.broadcast_to(np.arange(k), (7, 3, k)))
    model.wte.weight[[5000, 9000, 40]] = model.norm(trace.residual[-1, 2])  # the best in one cell
    ids = logit_lens(model, trace, k=k).ids[-1, 2]
    assert_array_equal(ids, [40, 5000, 9000, *range(40), *range(41, k)][:k])


@pytest.mark.parametrize("factor", [10, 20, 40, 300])
def test_rounding_never_takes_the_entropy_below_0(factor):
    model = random_gpt()
    model.wte.weight *= factor  # logits so far apart that in places one word has it all
    lens = logit_lens(model, run_trace(model, random_ids(40)), k=2)
    assert lens.entropy.min() < 1e-4
    assert not np.signbit(lens.entropy).any()


def test_twins_share_their_probability():
    model = random_gpt(vocabsize=2100)
    model.wte.weight[2050] = model.wte.weight[3]
    trace = run_trace(model, random_ids(9))
    lens = logit_lens(model, trace, k=2100, target=2050)
    at_3, at_2050 = (lens.probs[lens.ids == word] for word in (3, 2050))
    assert_allclose(at_3, at_2050, rtol=1e-6)
    assert_array_equal(lens.rank, (lens.probs > lens.target_prob[..., None] * (1 + 1e-6)).sum(-1))


@pytest.mark.parametrize("spread", [30, 1000])
def test_logits_far_apart(spread):
    """Where one word has all the probability, and others less than fp32 can say."""
    model = random_gpt(vocabsize=1100)
    model.norm.weight *= spread
    trace = run_trace(model, random_ids(12))
    rounding = 1e-6 * logits_of(model, trace).abs().max().item()  # of fp32 logits as large
    assert_same(logit_lens(model, trace, k=1, target=1), model, trace, rtol=rounding, atol=rounding)


def test_logits_far_from_zero():
    """GPT-2's own lie around -100: what is common to all of a row changes nothing."""
    model = random_gpt(vocabsize=1100)
    direction = torch.nn.functional.normalize(torch.randn(32), dim=0)
    model.norm.bias += 50 * direction
    model.wte.weight -= 2 * direction
    trace = run_trace(model, random_ids(12))
    assert logits_of(model, trace).mean() < -90
    lens = logit_lens(model, trace, k=5, target=1)
    assert_same(lens, model, trace, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
def test_weights_that_are_not_finite_crash_nothing(bad):
    model = random_gpt(vocabsize=1100)
    model.wte.weight[7] = bad
    trace = run_trace(model, [1, 7, 2])
    lens = logit_lens(model, trace, k=10, target=7)
    assert ((lens.ids >= 0) & (lens.ids < 1100)).all()
    model.wte.weight[:] = bad
    ids = logit_lens(model, run_trace(model, [1, 2]), k=10).ids
    assert ((ids >= 0) & (ids < 1100)).all()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"k": 0}, "k must be 1 to 1,061, not 0."),
        ({"k": 1062}, "k must be 1 to 1,061, not 1,062."),
        ({"target": 1061}, "target must be 0 to 1,060, not 1,061."),
        ({"target": -1}, "target must be 0 to 1,060, not -1."),
        ({"rows": [7]}, "row must be 0 to 6, not 7."),
        ({"rows": [-1]}, "row must be 0 to 6, not -1."),
        ({"rows": []}, "The lens needs at least one row."),
        ({"positions": [40]}, "position must be 0 to 39, not 40."),
        ({"positions": []}, "The lens needs at least one position."),
        ({"rows": ["blocks.3.ff"]}, "No writer is called 'blocks.3.ff'; they are embed, "),
    ],
)
def test_what_is_not_there_is_refused_in_one_sentence(model, trace, asked, words):
    with pytest.raises(ValueError, match="^" + re.escape(words)):
        logit_lens(model, trace, **asked)


def test_a_trace_of_another_shape_is_refused(model):
    with pytest.raises(ValueError, match=r"^The trace comes from a model of another shape\.$"):
        logit_lens(model, run_trace(random_gpt(), [1, 2]))


def test_a_lens_is_frozen_and_leaves_its_arguments_alone(model, trace):
    kept, rows = replace(trace, residual=trace.residual.clone()), [0, 6]
    lens = logit_lens(model, trace, rows=rows, target=2)
    assert torch.equal(trace.residual, kept.residual)
    assert rows == [0, 6]
    for field in fields(lens):
        with pytest.raises(FrozenInstanceError):
            setattr(lens, field.name, None)
    assert not any(module._forward_hooks for module in model.modules())


def test_gradients_stay_switched_on_around_it(model, trace):
    logit_lens(model, trace, k=1, positions=[0])
    assert torch.is_grad_enabled()
    assert not torch.is_inference(trace.residual)


def test_threads_read_side_by_side(model, trace):
    alone = [logit_lens(model, trace, k=4, target=i, positions=range(i, 40)) for i in range(6)]
    with ThreadPoolExecutor(6) as pool:
        ask = lambda i: logit_lens(model, trace, k=4, target=i, positions=range(i, 40))  # noqa: E731
        together = list(pool.map(ask, list(range(6)) * 4))
    for i, lens in enumerate(together):
        for name in ARRAYS:
            assert_array_equal(getattr(lens, name), getattr(alone[i % 6], name))
