"""The figures, on arrays made by hand: what is drawn, what is fixed, how large it is."""

import json

import numpy as np
import pytest

from viz import attention, bars, diagram, lens, next_token, residual, steps, theme, training
from viz.labels import token_label
from viz.window import max_pool, ticks, window

DARK, LIGHT = theme.DARK, theme.LIGHT
BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
SIZES = pytest.mark.parametrize("S", [1, 2, 64, 1024])
LIMIT = 500_000


def labels(S: int, text: str = " the"):
    given = {"group": 0, "group_text": text, "special": False}
    return [token_label(i, 262, text.encode(), **given) for i in range(S)]


def causal(S: int) -> np.ndarray:
    rows = np.tri(S, dtype=np.float32)
    return rows / rows.sum(axis=1, keepdims=True)


def payload(figure) -> int:
    return len(figure.to_json())


def norm_map(S: int, colours, focus: int = 0, at: str = "embed"):
    writers = residual_writers(2)
    return residual.stream_map(
        np.ones((5, S), dtype=np.float32) * 10,
        residual.NORM,
        positions=window(focus, S, 64),
        labels=labels(S),
        writers=writers,
        focus=focus,
        at=at,
        theme=colours,
    )


def residual_writers(N: int) -> list[str]:
    return ["embed", *(f"blocks.{i}.{part}" for i in range(N) for part in ("attn", "ff"))]


def lens_table(R: int, P: int, colouring: str = "probability", colours=LIGHT):
    words = [[labels(10, "<b>") for _ in range(P)] for _ in range(R)]
    return lens.lens_table(
        words,
        probs=np.full((R, P, 10), 0.1, dtype=np.float32),
        values=np.full((R, P), 0.1, dtype=np.float32),
        colouring=colouring,
        rows=residual_writers((R - 1) // 2),
        positions=range(3, 3 + P),
        labels=labels(P + 3),
        focus=3,
        at="blocks.0.ff",
        theme=colours,
    )


@SIZES
@BOTH
def test_head_map_keeps_every_token_apart(S, colours):
    positions = window(S - 1, S, attention.MOST_CELLS)
    pattern = causal(S)
    before = pattern.copy()
    figure = attention.head_map(pattern, positions, labels(S), S - 1, colours)
    cells = np.asarray(figure.data[0].z)
    assert cells.shape == (len(positions), len(positions))
    assert (figure.data[0].zmin, figure.data[0].zmax) == (0, 1)
    assert np.isnan(cells[np.triu_indices(len(positions), 1)]).all()
    assert all(isinstance(value, int) for value in figure.layout.xaxis.tickvals)
    assert len(set(figure.layout.xaxis.tickvals)) == len(figure.layout.xaxis.tickvals)
    assert list(figure.data[1].y) == list(positions)
    assert payload(figure) < LIMIT
    assert np.array_equal(pattern, before)


def test_head_map_of_equal_tokens_has_a_column_for_each():
    figure = attention.head_map(causal(4), range(4), labels(4), 3, LIGHT)
    assert list(figure.layout.xaxis.tickvals) == [0, 1, 2, 3]
    assert len(figure.layout.xaxis.ticktext) == 4


def test_head_map_outlines_the_row_in_focus():
    figure = attention.head_map(causal(4), range(4), labels(4), 2, LIGHT)
    [shape] = figure.layout.shapes
    assert (shape.y0, shape.y1) == (1.5, 2.5)


def test_overview_shows_the_largest_of_the_cells_it_joins():
    pattern = np.zeros((1024, 1024), dtype=np.float32)
    pattern[1000, 3] = 0.9
    figure = attention.head_overview(pattern, LIGHT)
    cells = np.asarray(figure.data[0].z)
    assert cells.shape == (128, 128)
    assert cells[1000 // 8, 0] == pytest.approx(0.9)
    assert payload(figure) < LIMIT


@SIZES
@BOTH
def test_norm_map_shows_norms_on_a_logarithmic_scale(S, colours):
    figure = norm_map(S, colours)
    assert np.asarray(figure.data[0].z) == pytest.approx(1.0)
    assert np.asarray(figure.data[0].customdata) == pytest.approx(10.0)
    assert figure.layout.yaxis.ticktext[0].strip() == "embed"
    assert payload(figure) < LIMIT


def test_norm_map_survives_zero_and_endless_norms():
    norms = np.array([[0.0, 1.0], [np.inf, np.nan], [1, 1]], dtype=np.float32)
    figure = residual.stream_map(
        norms,
        residual.NORM,
        positions=range(2),
        labels=labels(2),
        writers=residual_writers(1),
        focus=0,
        at="x",
        theme=LIGHT,
    )
    assert np.isfinite(np.asarray(figure.data[0].z)).sum() == 3


def test_norm_course_has_the_stream_as_line_and_the_writes_as_bars():
    writers = residual_writers(2)
    norms, writes = np.arange(1.0, 6), np.arange(5.0, 0, -1)
    bars, line = residual.norm_course(norms, writes, writers, LIGHT).data
    assert list(bars.x) == list(writes)
    assert list(line.x) == list(norms)
    assert bars.marker.color[0] == LIGHT.embed
    assert bars.marker.color[1:3] == (LIGHT.attn, LIGHT.ff)


@BOTH
@pytest.mark.parametrize("colouring", ["probability", "entropy", "kl"])
@pytest.mark.parametrize(("R", "P"), [(3, 1), (13, 14), (25, 14), (97, 14)])
def test_lens_table_names_its_scale(colours, colouring, R, P):
    figure = lens_table(R, P, colouring, colours)
    cells = figure.data[0]
    assert np.asarray(cells.z).shape == (R, P)
    assert cells.zmin == 0
    assert cells.zmax == (1 if colouring == "probability" else pytest.approx(0.1))
    assert cells.colorbar.title.text == lens.COLOURINGS[colouring].title
    best = figure.data[1]
    assert len(best.text) == R * P
    assert "<b>" not in best.text[0]
    assert "&lt;b&gt;" in best.text[0]
    assert "&lt;b&gt;" in cells.customdata[0][0]
    assert payload(figure) < LIMIT


def test_a_click_on_any_cell_of_a_table_meets_a_point():
    points = residual.cell_targets(range(3), range(5, 7))
    assert set(zip(points.x.tolist(), points.y.tolist(), strict=True)) == {
        (x, y) for x in (5, 6) for y in (0, 1, 2)
    }


def test_next_token_bars_have_a_fixed_axis_and_the_best_on_top():
    figure = next_token.next_token_bars(labels(3), np.array([0.5, 0.3, 0.001]), LIGHT)
    bars, numbers, _ = figure.data
    assert list(bars.x) == [0.5, 0.3, 0.001]
    assert [text.strip() for text in numbers.text] == ["0.50", "0.30", "0.001"]
    assert figure.layout.xaxis.range[0] == 0
    assert figure.layout.xaxis.range[1] >= 1
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]


def test_diagram_data_is_json_and_names_the_open_block():
    data = diagram.diagram(
        at="blocks.1.norm_2",
        after=labels(1)[0],
        norms=np.array([1.0, 2, 3, np.inf, 5]),
        writes=np.array([1.0, 2, 3, np.inf, np.nan]),
        shapes={"norm": "2 x 8", "heads": "2 heads,", "pattern": "2 x 2", "ff": "2 x 32"},
        guesses=[("·a", 0.1)] * 3,
        top=[("·averyverylongtoken", 0.7)],
    )
    json.dumps(data, allow_nan=False)
    assert data["open"] == 1
    assert data["N"] == 2
    assert data["top"][0]["probability"] == "0.70"
    assert data["top"][0]["text"] == "·averyverylongtoken"
    assert len(data["top"][0]["short"]) == 9


def test_boxes_are_the_modules_own_paths_from_the_bottom_up():
    assert diagram.boxes(1) == (
        *("embed", "blocks.0.norm_1", "blocks.0.attn", "blocks.0.norm_2", "blocks.0.ff"),
        *("norm", "lm_head"),
    )
    assert [diagram.block_of(box) for box in ("embed", "blocks.11.ff", "norm")] == [None, 11, None]


@pytest.mark.parametrize("count", [1, 5, 14, 15, 1024])
@pytest.mark.parametrize("width", [1, 14, 128])
def test_a_window_holds_the_focus_and_is_as_wide_as_it_can(count, width):
    for focus in {0, count // 2, count - 1}:
        shown = window(focus, count, width)
        assert focus in shown
        assert len(shown) == min(count, width)
        assert shown.start >= 0
        assert shown.stop <= count


def test_max_pooling_keeps_the_largest_and_says_its_step():
    matrix = np.arange(25.0).reshape(5, 5)
    pooled, step = max_pool(matrix, 3)
    assert step == 2
    assert pooled.tolist() == [[6, 8, 9], [16, 18, 19], [21, 23, 24]]
    same, step = max_pool(matrix, 5)
    assert (step, same is matrix) == (1, True)


def test_pooling_hides_only_what_is_hidden_altogether():
    matrix = np.arange(16.0).reshape(4, 4)
    matrix[:, 0] = np.nan  # a column that is not shown takes no other with it
    matrix[2:, 2:] = np.nan
    pooled, _ = max_pool(matrix, 2)
    np.testing.assert_array_equal(pooled, [[5, 7], [13, np.nan]])


def test_ticks_are_integers_thinned_and_true():
    axis = ticks(range(10, 20), list("abcdefghij"), 4)
    assert axis["tickvals"] == [10, 13, 16, 19]
    assert axis["ticktext"] == ["a", "d", "g", "j"]


@BOTH
def test_steps_show_the_four_numbers_of_each_pair(colours):
    scores = np.array([8.0, -4.0, 2.0])
    table = np.stack([scores, scores / 4, [2.0, -1.0, -np.inf], [0.95, 0.05, 0.0]])
    figure = steps.step_table(table, range(3), labels(3), colours)
    assert [trace.text[0][0] for trace in figure.data] == ["8.00", "2.00", "2.00", "0.950"]
    assert figure.data[2].text[0][2] == "−∞"
    assert (figure.data[3].zmin, figure.data[3].zmax) == (0, 1)
    assert list(figure.layout.yaxis.ticktext) == list(steps.STEPS)


def test_strips_show_the_product_dimension_by_dimension():
    q, k, v = np.array([1.0, -2.0]), np.array([3.0, 1.0]), np.array([0.0, 0.0])
    figure = steps.product_strips(q, k, v, ("a", "b"), LIGHT)
    assert np.asarray(figure.data[0].customdata).tolist() == [[1, -2], [3, 1], [3, -2], [0, 0]]
    assert np.nanmax(np.abs(np.asarray(figure.data[0].z))) == pytest.approx(1)
    sums = steps.running_sum(q, k, LIGHT)
    assert list(sums.data[0].y) == [3.0, 1.0]


def test_pushed_bars_run_from_the_most_raised_to_the_most_lowered():
    figure = bars.pushed_bars(
        labels(2), np.array([0.9, 0.2]), labels(2), np.array([-0.8, -0.1]), theme=LIGHT
    )
    assert list(figure.data[0].x) == [0.9, 0.2, -0.1, -0.8]
    assert figure.data[0].text[3] == "−0.80"


@SIZES
def test_token_bars_show_a_window_with_the_focus_full(S):
    positions = window(S - 1, S, 40)
    figure = bars.token_bars(
        np.arange(S, dtype=float),
        positions,
        labels(S),
        title="L2 norm",
        colour=LIGHT.attn,
        focus=S - 1,
        theme=LIGHT,
    )
    assert list(figure.data[0].y) == [float(p) for p in positions]
    assert figure.data[0].marker.opacity[-1] == 1.0


def test_a_hidden_sink_leaves_no_column_and_renormalised_rows_sum_to_one():
    pattern = causal(4)
    pattern[3] = [0.7, 0.1, 0.1, 0.1]
    before = pattern.copy()
    hidden = attention.without_sink(pattern, "hide")
    rest = attention.without_sink(pattern, "renormalise")
    assert np.isnan(hidden[:, 0]).all()
    assert hidden[3, 1:].tolist() == pytest.approx([0.1, 0.1, 0.1])
    assert np.nansum(rest, axis=1).tolist() == pytest.approx([0, 1, 1, 1])
    assert attention.without_sink(pattern, "show") is pattern
    assert np.array_equal(pattern, before)


@pytest.mark.parametrize("quantity", [residual.RATIO, residual.COSINE, residual.READ])
@SIZES
def test_every_quantity_of_the_stream_has_its_scale(quantity, S):
    values = np.linspace(-1, 1, 5)[:, None].repeat(S, axis=1).astype(np.float32)
    values[0] = np.nan
    figure = residual.stream_map(
        values,
        quantity,
        positions=window(0, S, 64),
        labels=labels(S),
        writers=residual_writers(2),
        focus=0,
        at="blocks.0.attn",
        theme=DARK,
    )
    assert figure.data[0].colorbar.title.text == quantity.title
    if quantity.signed:
        assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    assert payload(figure) < LIMIT


def test_entries_and_vectors_keep_their_signs():
    figure = residual.entry_bars(np.array([-3000.0, 20.0]), ["dim 447", "dim 1"], LIGHT)
    assert list(figure.data[0].x) == [-3000.0, 20.0]
    assert figure.data[0].text[0] == "−3,000"
    vector = np.array([1.0, -2.0, 0.5])
    assert list(residual.vector_bars(vector, LIGHT).data[0].y) == vector.tolist()


def test_courses_show_probability_and_place():
    probs = np.array([[0.1, 0.9], [0.5, 0.05]])
    ranks = np.array([[3, 0], [0, 1]])
    figure = lens.token_courses(probs, ranks, labels(2), ["embed", "blocks.0.ff"], LIGHT)
    assert [list(trace.y) for trace in figure.data] == [[0.1, 0.9], [4, 1], [0.5, 0.05], [1, 2]]
    assert figure.layout.yaxis2.type == "log"


def test_the_place_is_coloured_by_its_logarithm():
    words = [[labels(2)], [labels(2)], [labels(2)]]
    figure = lens.lens_table(
        words,
        probs=np.full((3, 1, 2), 0.1),
        values=np.array([[10000], [100], [1]]),
        colouring="rank",
        rows=residual_writers(1),
        positions=range(1),
        labels=labels(1),
        focus=0,
        at="embed",
        theme=LIGHT,
    )
    assert np.asarray(figure.data[0].z)[:, 0].tolist() == pytest.approx([4, 2, 0])
    assert list(figure.data[0].colorbar.ticktext) == ["1", "10", "100", "1,000", "10,000"]


def test_drawn_probabilities_stand_beside_those_at_temperature_one():
    probs, drawn = np.array([0.6, 0.3, 0.1]), np.array([0.8, 0.2, 0.0])
    figure = next_token.next_token_bars(labels(3), probs, LIGHT, drawn=drawn)
    pale, full, numbers, targets = figure.data
    assert list(pale.x) == probs.tolist()
    assert list(full.x) == drawn.tolist()
    assert [text.strip() for text in numbers.text] == ["0.60 → 0.80", "0.30 → 0.20", "0.10 → 0"]
    assert list(targets.x) == [1, 1, 1]


@BOTH
def test_loss_curves_name_their_runs_where_there_are_several(colours):
    minutes, losses = np.array([1.0, 2.0]), np.array([5.0, 1.0])
    one = training.loss_curves([("small", minutes, losses)], colours)
    two = training.loss_curves([("small", minutes, losses), ("wide", minutes, losses)], colours)
    assert not one.layout.showlegend and two.layout.showlegend
    assert [line.name for line in two.data] == ["small", "wide"]
    assert two.data[0].line.color != two.data[1].line.color
    assert "nats" in one.layout.yaxis.title.text and "minutes" in one.layout.xaxis.title.text
