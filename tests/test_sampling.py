"""Temperature, top-k and top-p on logits made by hand, draws, and texts that repeat."""

from itertools import islice

import numpy as np
import pytest
import torch

from model import distribution, generate, next_token, run_trace, sample
from tests.networks import random_gpt, random_ids

PROBS = np.array([0.1, 0.5, 0.05, 0.3, 0.05])
LOGITS = np.log(PROBS) + 3


@pytest.fixture(scope="module")
def model():
    return random_gpt()


@pytest.fixture(scope="module")
def trace(model):
    return run_trace(model, random_ids(80))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, PROBS),
        ({"temperature": 0}, [0, 1, 0, 0, 0]),
        ({"temperature": 0.5}, PROBS**2 / sum(PROBS**2)),
        ({"temperature": 5e-324}, [0, 1, 0, 0, 0]),
        ({"temperature": 1e12}, [0.2] * 5),
        ({"top_k": 1}, [0, 1, 0, 0, 0]),
        ({"top_k": 2}, [0, 5 / 8, 0, 3 / 8, 0]),
        ({"top_k": 4}, np.array([0.1, 0.5, 0.05, 0.3, 0]) / 0.95),  # of equals the lower id
        ({"top_k": 5}, PROBS),
        ({"top_k": 500}, PROBS),
        ({"top_p": 1e-300}, [0, 1, 0, 0, 0]),
        ({"top_p": 0.5}, [0, 1, 0, 0, 0]),
        ({"top_p": 0.51}, [0, 5 / 8, 0, 3 / 8, 0]),
        ({"top_p": 0.8}, [0, 5 / 8, 0, 3 / 8, 0]),
        ({"top_p": 0.9}, [1 / 9, 5 / 9, 0, 3 / 9, 0]),
        ({"top_p": 1.0}, PROBS),
        ({"top_k": 1, "top_p": 0.9}, [0, 1, 0, 0, 0]),
        ({"top_k": 4, "top_p": 0.6}, [0, 5 / 8, 0, 3 / 8, 0]),
        ({"temperature": 0, "top_k": 3, "top_p": 0.9}, [0, 1, 0, 0, 0]),
    ],
)
def test_hand_made_logits(how, expected):
    np.testing.assert_allclose(distribution(LOGITS, **how), expected, rtol=1e-9, atol=1e-15)


def plain(logits, temperature, top_k, top_p):
    """The same, token by token."""
    odds = [np.exp((z - max(logits)) / temperature) for z in logits]
    probs = [odd / sum(odds) for odd in odds]
    kept, total = [], 0.0
    for token in sorted(range(len(probs)), key=lambda t: (-logits[t], t)):
        if len(kept) == top_k or total >= top_p:
            break
        kept.append(token)
        total += probs[token]
    return [probs[t] / total if t in kept else 0.0 for t in range(len(probs))]


@pytest.mark.parametrize("seed", range(20))
def test_random_logits_against_a_plain_loop(seed):
    draw = np.random.default_rng(seed)
    logits = draw.normal(0, 2, 60).round(1)  # rounded, so that some are equal
    temperature, top_k, top_p = draw.uniform(0.2, 3), int(draw.integers(1, 70)), draw.uniform(0, 1)
    ours = distribution(logits, temperature, top_k, top_p)
    np.testing.assert_allclose(ours, plain(logits, temperature, top_k, top_p), rtol=1e-9)


def test_top_p_counts_the_whole_vocabulary():
    """GPT-2's size, nearly flat: 90% take far more than any short list."""
    logits = torch.randn(50257, generator=torch.Generator().manual_seed(0)) / 10
    kept = distribution(logits, top_p=0.9)
    assert (kept > 0).sum() > 40_000
    assert kept.sum() == pytest.approx(1, abs=1e-12)
    whole = distribution(logits)
    assert whole[kept > 0].sum() >= 0.9 > whole[kept > whole[kept > 0].min()].sum() - 1e-4


def test_the_logits_stay_as_they_are():
    logits = torch.tensor([1.0, 2.0, 3.0])
    distribution(logits, 0.5, 2, 0.5)
    assert logits.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ({"temperature": -0.1}, "temperature must be 0 or more, not -0.1"),
        ({"temperature": float("nan")}, "temperature must be 0 or more, not nan"),
        ({"temperature": float("inf")}, "temperature must be 0 or more, not inf"),
        ({"top_k": 0}, "top_k must be at least 1, not 0"),
        ({"top_p": 0}, "top_p must be above 0 and at most 1, not 0"),
        ({"top_p": 1.2}, "top_p must be above 0 and at most 1, not 1.2"),
        ({"top_p": float("nan")}, "top_p must be above 0 and at most 1, not nan"),
    ],
)
def test_settings_that_make_no_sense_are_refused(how, complaint):
    with pytest.raises(ValueError, match=complaint):
        distribution(LOGITS, **how)


@pytest.mark.parametrize("logits", [[], [np.nan, 1], [np.inf, 1], [-np.inf] * 2, [[1.0]]])
def test_logits_that_are_none_are_refused(logits):
    with pytest.raises(ValueError, match="not one row of finite numbers"):
        distribution(logits)


def test_a_token_ruled_out_stays_out():
    assert distribution([0, -np.inf, 0]).tolist() == [0.5, 0, 0.5]


def test_draws_follow_the_probabilities_and_repeat():
    draws = [sample(PROBS, [3, i]) for i in range(4000)]
    assert draws == [sample(PROBS, [3, i]) for i in range(4000)]
    shares = np.bincount(draws, minlength=5) / 4000
    np.testing.assert_allclose(shares, PROBS, atol=0.03)  # four standard deviations


def test_a_generator_goes_on_where_it_was():
    one, other = np.random.default_rng(1), np.random.default_rng(1)
    assert [sample(PROBS, one) for _ in range(9)] == [sample(PROBS, other) for _ in range(9)]
    assert len({sample(PROBS, one) for _ in range(50)}) > 1


def test_what_has_no_probability_is_never_drawn():
    probs = np.array([0, 0.5, 0, 0.5, 0])
    assert {sample(probs, seed) for seed in range(200)} == {1, 3}


class HighestDraw(np.random.Generator):
    """Always the largest number below 1."""

    def random(self):
        return 1 - 2**-53


def test_the_highest_draw_still_finds_a_token():
    probs = np.array([0.1] * 10 + [0.0])  # these sum to a little less than 1
    assert sample(probs, HighestDraw(np.random.PCG64(0))) == 9


@pytest.mark.parametrize("probs", [[], [0, 0], [-1, 2], [np.nan, 1], [np.inf, 1]])
def test_numbers_that_are_no_probabilities_are_refused(probs):
    with pytest.raises(ValueError, match="no probabilities"):
        sample(np.array(probs, dtype=float), 1)


def test_the_same_seed_tells_the_same_text(trace):
    told = [token for token, _ in generate(trace, seed=4, temperature=1.5)]
    assert told == [token for token, _ in generate(trace, seed=4, temperature=1.5)]
    assert told != [token for token, _ in generate(trace, seed=5, temperature=1.5)]


def test_a_pause_changes_nothing(trace):
    told = [token for token, _ in generate(trace, 4, top_k=20)]
    *_, (_, halfway) = islice(generate(trace, 4, top_k=20), 6)
    assert told == [*halfway.ids[80:], *(token for token, _ in generate(halfway, 4, top_k=20))]
    assert told[0] == next_token(trace, 4, top_k=20)


def test_generation_stops_at_the_end_of_the_context(model, trace):
    steps = list(generate(trace, 1))
    assert [len(grown.ids) for _, grown in steps] == list(range(81, 97))
    assert all(grown.ids[-1] == token for token, grown in steps)
    assert list(generate(steps[-1][1], 1)) == []


def test_temperature_0_takes_the_best_token_every_time(model, trace):
    for token, grown in islice(generate(trace, temperature=0), 5):
        logits = model(torch.tensor([grown.ids[:-1]]))[0, -1]
        assert token == logits.argmax()


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_out_of_range_is_refused(trace, seed):
    with pytest.raises(ValueError, match="seed must be 0 to 4,294,967,295"):
        next_token(trace, seed)
