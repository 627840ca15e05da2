"""Head scores and thumbnails, on patterns made by hand."""

import math

import pytest
import torch
from torch.testing import assert_close

from model.heads import SCORES, cells_of_interest, head_scores, row_entropy, thumbnail, tile_side

IDS = torch.tensor([5, 6, 5, 6, 5])  # rows 2, 3, 4 have earlier copies


def attending(*columns: int) -> torch.Tensor:
    """(1, S, S): row i gives everything to columns[i]."""
    return torch.eye(len(columns))[list(columns)][None]


def scores_of(pattern, ids=IDS):
    scores = head_scores(pattern, cells_of_interest(ids))
    return {name: values.item() for name, values in scores.items()}


@pytest.mark.parametrize(
    ("name", "columns", "expected"),
    [
        ("previous", (0, 0, 1, 2, 3), 1),
        ("previous", (0, 1, 2, 3, 4), 0),
        ("first", (0, 0, 0, 0, 0), 1),
        ("first", (0, 1, 2, 0, 0), 0.5),
        ("current", (0, 1, 2, 3, 4), 1),
        ("current", (0, 1, 0, 0, 0), 0.4),
        ("duplicate", (0, 0, 0, 1, 2), 1),  # the nearest copy
        ("duplicate", (0, 0, 0, 1, 0), 1),  # or a farther one
        ("duplicate", (0, 0, 0, 3, 4), 1 / 3),  # a token is no copy of itself
        ("induction", (0, 0, 1, 2, 3), 1),
        ("induction", (0, 0, 1, 2, 1), 1),
        ("induction", (0, 0, 0, 1, 2), 0),
    ],
)
def test_a_head_that_does_one_thing(name, columns, expected):
    assert scores_of(attending(*columns))[name] == pytest.approx(expected)


def test_what_follows_a_copy_may_be_the_token_itself():
    ids = torch.tensor([7, 7, 7])
    assert scores_of(attending(0, 1, 1), ids)["induction"] == pytest.approx(1)
    assert scores_of(attending(0, 1, 0), ids)["induction"] == pytest.approx(0.5)


def test_scores_nothing_can_be_said_about_are_nan():
    alone = scores_of(attending(0), torch.tensor([3]))
    assert {name for name, value in alone.items() if math.isnan(value)} == {
        *("previous", "first", "duplicate", "induction")
    }
    assert alone["current"] == 1
    assert alone["entropy"] == 0
    no_copies = scores_of(attending(0, 0, 1), torch.tensor([1, 2, 3]))
    assert {name for name, value in no_copies.items() if math.isnan(value)} == {
        *("duplicate", "induction")
    }


def test_scores_are_the_plain_means_they_are_said_to_be():
    S, ids = 40, torch.randint(0, 9, (40,), generator=torch.Generator().manual_seed(1))
    hidden = torch.ones(S, S).triu(1).bool()
    generator = torch.Generator().manual_seed(2)
    pattern = torch.randn(3, S, S, generator=generator).masked_fill(hidden, -torch.inf).softmax(-1)
    earlier = [[j for j in range(i) if ids[j] == ids[i]] for i in range(S)]
    repeated = [i for i in range(S) if earlier[i]]
    expected = {
        "previous": sum(pattern[:, i, i - 1] for i in range(1, S)) / (S - 1),
        "first": sum(pattern[:, i, 0] for i in range(1, S)) / (S - 1),
        "current": sum(pattern[:, i, i] for i in range(S)) / S,
        "duplicate": sum(pattern[:, i, earlier[i]].sum(-1) for i in repeated) / len(repeated),
        "induction": sum(pattern[:, i, [j + 1 for j in earlier[i]]].sum(-1) for i in repeated)
        / len(repeated),
        "entropy": torch.special.entr(pattern).sum(-1).mean(-1),
    }
    scores = head_scores(pattern, cells_of_interest(ids))
    assert tuple(scores) == SCORES
    for name, value in scores.items():
        assert_close(value, expected[name])


@pytest.mark.parametrize("S", [1, 2, 127, 128, 129, 300])
def test_entropy_row_by_row(S):
    even = torch.ones(S, S).tril() / torch.arange(1, S + 1)[:, None]  # row i: 1 / (i + 1) each
    assert_close(row_entropy(even[None])[0], torch.arange(1, S + 1).float().log())
    assert_close(row_entropy(torch.eye(S)[None]), torch.zeros(1, S))


@pytest.mark.parametrize("S", [1, 2, 31, 32, 33, 64, 65, 100, 1024])
def test_a_thumbnail_holds_the_strongest_cell_of_each_tile(S):
    pattern = torch.rand(2, S, S, generator=torch.Generator().manual_seed(S))
    small, side = thumbnail(pattern), tile_side(S)
    T = small.shape[-1]
    assert small.shape == (2, T, T)
    assert T == -(-S // side) <= 32
    for i, j in {(0, 0), (T - 1, 0), (T // 2, T // 3), (T - 1, T - 1)}:
        tile = pattern[:, i * side : (i + 1) * side, j * side : (j + 1) * side]
        assert torch.equal(small[:, i, j], tile.amax(dim=(1, 2)))


def test_a_short_pattern_is_its_own_thumbnail():
    pattern = torch.rand(4, 32, 32)
    assert torch.equal(thumbnail(pattern), pattern)


def test_the_pattern_is_left_as_it_was():
    pattern, cells = torch.rand(2, 200, 200).tril(), cells_of_interest(torch.arange(200))
    before = pattern.clone(), cells.clone()
    head_scores(pattern, cells)
    thumbnail(pattern)
    assert torch.equal(pattern, before[0])
    assert torch.allclose(cells, before[1], equal_nan=True)
