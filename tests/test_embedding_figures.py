"""The pictures of the embedding, on arrays made by hand."""

import numpy as np
import pytest

from tests.test_figures import BOTH, LIGHT, LIMIT, SIZES, labels, payload
from viz import embedding
from viz.window import window


def tables(S: int, d: int = 768) -> dict[str, np.ndarray]:
    what = np.sin(np.arange(S * d, dtype=np.float32)).reshape(S, d)
    where = np.cos(np.arange(S * d, dtype=np.float32)).reshape(S, d)
    return {"wte": what, "wpe": where, "sum": what + where}


def test_largest_entries_are_found_by_mean_square_and_stand_in_their_order():
    vectors = np.array([[0.0, 3.0, 0.1, -1.0], [2.0, 3.0, 0.1, -2.0]])
    assert embedding.largest_entries(vectors, 2).tolist() == [1, 3]
    assert embedding.largest_entries(vectors, 9).tolist() == [0, 1, 2, 3]


@SIZES
@BOTH
def test_columns_of_the_sum_are_those_of_both_tables_added(S, colours):
    given = tables(S)
    before = {name: table.copy() for name, table in given.items()}
    positions = window(S - 1, S, embedding.MOST_ROWS)
    entries = embedding.largest_entries(given["sum"])
    figure = embedding.added(
        given, entries, positions=positions, labels=labels(S), focus=S - 1, theme=colours
    )
    what, where, both = (np.asarray(figure.data[i].z) for i in (0, 2, 4))
    assert what.shape == (len(positions), embedding.MOST_ENTRIES)
    assert what + where == pytest.approx(both, abs=1e-6)
    assert len({(figure.data[i].zmin, figure.data[i].zmax) for i in (0, 2, 4)}) == 1
    assert set(figure.data[1].y) == set(positions)
    assert list(figure.layout.yaxis.tickvals) == list(positions)
    assert all(isinstance(value, int) for value in figure.layout.xaxis.tickvals)
    assert payload(figure) < LIMIT
    assert all(np.array_equal(given[name], before[name]) for name in given)


@SIZES
def test_norms_stand_at_the_heights_of_their_rows(S):
    norms = {name: np.linalg.norm(table, axis=1) for name, table in tables(S).items()}
    given = tables(S)
    positions = window(0, S, embedding.MOST_ROWS)
    shown = {"positions": positions, "labels": labels(S), "theme": LIGHT}
    figure = embedding.row_norms(norms, **shown)
    entries = embedding.largest_entries(given["sum"])
    rows = embedding.added(given, entries, focus=0, **shown)
    assert figure.layout.height == rows.layout.height
    assert figure.layout.yaxis.range == rows.layout.yaxis.range
    for points, values in zip(figure.data, norms.values(), strict=True):
        assert list(points.y) == list(positions)
        assert np.asarray(points.x) == pytest.approx(values[: len(positions)], rel=1e-6)


@BOTH
def test_nearest_bars_stand_beside_the_typical_cosine(colours):
    cosines = np.array([0.9, 0.5, -0.2], dtype=np.float32)
    figure = embedding.nearest_bars(labels(3, "<b>"), cosines, 0.27, colours)
    assert np.array_equal(np.asarray(figure.data[0].x), cosines)
    assert list(figure.data[0].y) == [0, 1, 2]
    assert figure.layout.shapes[0].x0 == 0.27
    assert figure.layout.xaxis.range[0] <= np.float32(-0.2)
    assert "<b>" not in figure.layout.yaxis.ticktext[0]


def test_likeness_is_the_cosine_and_zero_beside_a_row_of_zeros():
    rows = np.array([[1.0, 0.0], [2.0, 2.0], [0.0, 0.0], [-3.0, 0.0]])
    half = 2**-0.5
    expected = [[1, half, 0, -1], [half, 1, 0, -half], [0, 0, 0, 0], [-1, -half, 0, 1]]
    assert embedding.likeness(rows) == pytest.approx(np.array(expected))


def test_mean_pool_averages_squares_also_at_a_ragged_edge():
    matrix = np.arange(25, dtype=np.float64).reshape(5, 5)
    cells, step = embedding.mean_pool(matrix, 3)
    assert step == 2
    expected = [[3, 5, 6.5], [13, 15, 16.5], [20.5, 22.5, 24]]
    assert cells == pytest.approx(np.array(expected))
    same, step = embedding.mean_pool(matrix, 5)
    assert step == 1
    assert np.array_equal(same, matrix)


@pytest.mark.parametrize("P", [1, 2, 256, 1024])
@BOTH
def test_position_maps_are_pooled_and_mark_the_focus(P, colours):
    cosines = np.eye(P, dtype=np.float32)
    before = cosines.copy()
    figure = embedding.position_maps({"a": cosines, "b": cosines}, P - 1, colours)
    cells = figure.data[0]
    assert max(np.asarray(cells.z).shape) <= embedding.MOST_CELLS
    assert (cells.zmin, cells.zmax) == (-1, 1)
    assert cells.x0 == (cells.dx - 1) / 2  # a cell stands in the middle of what it joins
    assert {shape.y0 for shape in figure.layout.shapes} == {P - 1}
    assert payload(figure) < LIMIT
    assert np.array_equal(cosines, before)
