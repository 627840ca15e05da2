"""The pictures of the MLP, on arrays made by hand."""

import math

import numpy as np
import pytest

from tests.test_figures import BOTH, LIGHT, LIMIT, SIZES, labels, payload
from viz import mlp
from viz.window import window


def activations(S: int, dff: int = 96) -> np.ndarray:
    """(S, dff): at token t, neuron n has n / 10 - t."""
    return (np.arange(dff)[None] / 10 - np.arange(S)[:, None]).astype(np.float32)


def neuron_map(values: np.ndarray, neurons, focus: int = 0, picked: int = -1, colours=LIGHT):
    S = len(values)
    return mlp.neuron_map(
        values,
        neurons,
        positions=window(focus, S, mlp.MOST_COLUMNS),
        labels=labels(S),
        focus=focus,
        picked=picked,
        theme=colours,
    )


def test_most_active_is_largest_first_and_equal_ones_keep_their_order():
    assert mlp.most_active(np.array([0.0, 3.0, -1.0, 3.0, 2.0]), 4).tolist() == [1, 3, 4, 2]
    assert len(mlp.most_active(np.zeros(96))) == mlp.MOST_NEURONS
    assert mlp.most_active(np.zeros(2)).tolist() == [0, 1]


@SIZES
@BOTH
def test_neuron_map_shows_its_rows_by_token_and_their_values_in_focus(S, colours):
    values = activations(S)
    before, focus = values.copy(), S - 1
    neurons = mlp.most_active(values[focus])
    figure = neuron_map(values, neurons, focus, picked=int(neurons[0]), colours=colours)
    cells, points, bars = figure.data
    shown = window(focus, S, mlp.MOST_COLUMNS)
    assert np.array_equal(np.asarray(cells.z), values[shown.start : shown.stop, neurons].T)
    assert len(points.x) == len(shown) * len(neurons)
    assert np.array_equal(np.asarray(bars.x), values[focus, neurons])
    assert list(figure.layout.yaxis.ticktext) == [str(n) for n in neurons]
    assert all(isinstance(value, int) for value in figure.layout.xaxis.tickvals)
    assert payload(figure) < LIMIT
    assert np.array_equal(values, before)


def test_the_scale_of_the_neuron_map_is_even_around_zero():
    cells = neuron_map(np.array([[-0.17, 2.5]], dtype=np.float32), [1, 0]).data[0]
    assert (cells.zmin, cells.zmax) == (-2.5, 2.5)
    silent = neuron_map(np.zeros((3, 4), dtype=np.float32), [0, 1]).data[0]
    assert silent.zmin < 0 < silent.zmax


@pytest.mark.parametrize(("picked", "frames"), [(5, 2), (6, 1)])
def test_the_picked_neuron_is_outlined_where_it_is_shown(picked, frames):
    figure = neuron_map(activations(4), [5, 3], focus=1, picked=picked)
    assert len(figure.layout.shapes) == frames


@SIZES
@BOTH
def test_neuron_course_keeps_tokens_apart_and_the_focus_strong(S, colours):
    values = activations(S)[:, 40]
    before, focus = values.copy(), S // 2
    positions = window(focus, S, mlp.MOST_COLUMNS)
    figure = mlp.neuron_course(values, positions, labels(S), focus, colours)
    [bars] = figure.data
    assert list(bars.x) == list(positions)
    assert np.array_equal(np.asarray(bars.y), values[positions.start : positions.stop])
    strong = [x for x, opacity in zip(bars.x, bars.marker.opacity, strict=True) if opacity == 1]
    assert strong == [focus]
    assert payload(figure) < LIMIT
    assert np.array_equal(values, before)


def test_bars_above_and_below_zero_have_the_two_hues_of_the_scale():
    figure = mlp.neuron_course(np.array([1.0, -1.0]), range(2), labels(2), 0, LIGHT)
    assert list(figure.data[0].marker.color) == [LIGHT.ff, LIGHT.attn]


def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@BOTH
def test_the_gelu_curve_bears_the_neurons_and_counts_them_all(colours):
    before = np.linspace(-11, 9, 3072).astype(np.float32)
    after = np.array([gelu(float(x)) for x in before], dtype=np.float32)
    kept = before.copy(), after.copy()
    figure = mlp.gelu_curve(before, after, 3000, labels(1)[0], colours)
    dots, curve, relu, counts, named = figure.data
    assert np.array_equal(np.asarray(dots.x), before)
    assert np.array_equal(np.asarray(dots.y), after)
    assert np.asarray(curve.y) == pytest.approx([gelu(float(x)) for x in curve.x], abs=1e-5)
    assert np.asarray(relu.y) == pytest.approx([max(0, x) for x in relu.x])
    assert sum(counts.y) == 3072
    assert (named.x[0], named.y[0]) == (before[3000], after[3000])
    low, high = figure.layout.xaxis.range
    assert low < -11
    assert high > 9
    assert payload(figure) < LIMIT
    assert np.array_equal(before, kept[0])
    assert np.array_equal(after, kept[1])
