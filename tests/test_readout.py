"""Read-outs against the identities they stand for: shares add up, cosines and ranks by hand."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from torch.testing import assert_close

from model import (
    final_scale,
    head_write,
    largest_entries,
    logit_lens,
    nearest_tokens,
    neuron_write,
    pushed,
    run_trace,
    token_courses,
    writes,
)
from model.readout import read_norms
from tests.networks import random_gpt, random_ids

V, S = 97, 20


@pytest.fixture(scope="module")
def model():
    return random_gpt()


@pytest.fixture(scope="module")
def trace(model):
    return run_trace(model, random_ids(S))


def changes(found, n):
    """All V logit changes of vector n, token by token."""
    by_token = np.empty(V)
    by_token[found.up_ids[n]] = found.up[n]
    return by_token


def test_the_shares_of_all_writes_add_up_to_the_logits(model, trace):
    position = S - 1
    steps = torch.cat([trace.residual[:1], trace.residual.diff(dim=0)])[:, position]  # (2N+1, d)
    found = pushed(model, steps, V, final_scale(trace)[position])
    shift = model.lm_head.weight @ model.norm.bias  # belongs to no write
    total = sum(changes(found, n) for n in range(len(steps)))
    assert_allclose(total, trace.logits[position] - shift, rtol=1e-4, atol=1e-3)


def test_a_push_is_what_the_logits_gain_at_a_frozen_scale(model, trace):
    vector = torch.randn(32, generator=torch.Generator().manual_seed(1))
    final, scale = trace.residual[-1, 3], final_scale(trace)[3]

    def logits(stream):
        normed = (stream - stream.mean()) / scale * model.norm.weight + model.norm.bias
        return model.lm_head(normed)

    assert_close(logits(final), trace.logits[3], rtol=1e-4, atol=1e-4)
    gain = (logits(final + vector) - logits(final)).numpy()
    found = pushed(model, vector[None], 5, scale)
    order = np.argsort(-gain)
    assert_array_equal(found.up_ids[0], order[:5])
    assert_array_equal(found.down_ids[0], order[::-1][:5])
    assert_allclose(found.up[0], gain[order[:5]], rtol=1e-3)
    assert_allclose(found.down[0], gain[order[::-1][:5]], rtol=1e-3)


def test_centred_pushes_are_those_against_the_mean_token(model, trace):
    vectors = torch.randn(3, 32, generator=torch.Generator().manual_seed(5))
    raw = pushed(model, vectors, V, 2.0, aims=(7, 90))
    by_token = np.stack([changes(raw, n) for n in range(3)])  # (3, V)
    assert_allclose(raw.mean, by_token.mean(axis=1), rtol=1e-4, atol=1e-6)
    assert_allclose(raw.aims, by_token[:, [7, 90]], rtol=1e-5)
    centred = raw.centred()
    mean = by_token.mean(axis=1, keepdims=True)
    assert_allclose(np.stack([changes(centred, n) for n in range(3)]), by_token - mean, atol=1e-5)
    assert_allclose(centred.aims, (by_token - mean)[:, [7, 90]], atol=1e-5)
    assert not centred.mean.any()


def test_the_mean_is_that_of_the_tokens_to_choose_from(model):
    vectors = torch.randn(1, 32, generator=torch.Generator().manual_seed(5))
    some = pushed(model, vectors, 3, among=[7, 90, 3], aims=(50,))
    assert_allclose(some.mean, some.up.mean(axis=1), rtol=1e-4)
    everything = changes(pushed(model, vectors, V), 0)
    assert_allclose(some.aims[0], everything[[50]], rtol=1e-5)


def test_many_vectors_with_scales_of_their_own(model, trace):
    """More than are computed at once."""
    vectors = torch.randn(150, 32, generator=torch.Generator().manual_seed(2))
    scales = torch.linspace(0.5, 4, 150)
    together = pushed(model, vectors, 3, scales)
    for n in (0, 63, 64, 149):
        alone = pushed(model, vectors[n : n + 1], 3, float(scales[n]))
        assert_array_equal(together.up_ids[n], alone.up_ids[0])
        assert_allclose(together.down[n], alone.down[0], rtol=1e-4)


def test_pushed_among_chosen_tokens(model):
    vectors = torch.randn(1, 32, generator=torch.Generator().manual_seed(3))
    everything, some = pushed(model, vectors, V), pushed(model, vectors, 2, among=[7, 3, 90, 3])
    assert set(some.up_ids[0]) | set(some.down_ids[0]) == {3, 7, 90}
    assert_allclose(some.up[0], changes(everything, 0)[some.up_ids[0]], rtol=1e-5)


def test_of_equals_the_lower_id_comes_first(model):
    found = pushed(model, torch.zeros(2, 32), 7)
    assert_array_equal(found.up_ids, [range(7)] * 2)
    assert_array_equal(found.down_ids, [range(7)] * 2)
    alike = random_gpt()
    alike.wte.weight[:] = alike.wte.weight[0].clone()
    assert_array_equal(nearest_tokens(alike, 2, 4)[0], [0, 1, 3, 4])


def test_a_constant_vector_pushes_nothing(model):
    assert_allclose(pushed(model, torch.full((1, 32), 7.0), 1).up, 0, atol=1e-5)


def test_the_heads_and_their_shared_bias_make_the_attention(model, trace):
    for block in range(3):
        inside = trace.block(block)
        heads = [head_write(model, inside, head) for head in range(4)]
        assert heads[0].shape == (S, 32)
        total = sum(heads) + model.blocks[block].attn.wo.bias
        assert_close(total, inside.attn_out, rtol=1e-5, atol=1e-5)
        assert_close(torch.stack(heads).norm(dim=-1), inside.head_norms, rtol=1e-5, atol=1e-5)


def test_the_neurons_and_their_shared_bias_make_the_mlp(model, trace):
    inside, ff = trace.block(1), model.blocks[1].ff
    rows = torch.stack([neuron_write(model, 1, neuron) for neuron in range(128)])  # (dff, dmodel)
    assert_close(inside.mlp_act @ rows + ff.w2.bias, inside.mlp_out, rtol=1e-5, atol=1e-5)


def test_nearest_tokens_by_hand(model):
    table = model.wte.weight / model.wte.weight.norm(dim=-1, keepdim=True)
    cosines = (table @ table[40]).numpy()
    cosines[40] = -2
    ids, found = nearest_tokens(model, 40, 6)
    assert_array_equal(ids, np.argsort(-cosines)[:6])
    assert_allclose(found, np.sort(cosines)[::-1][:6], rtol=1e-5)
    assert len(nearest_tokens(model, 40, V - 1)[0]) == V - 1


def test_nearest_among_chosen_tokens_leaves_out_the_token_itself(model):
    assert sorted(nearest_tokens(model, 40, 2, among=[40, 1, 2])[0]) == [1, 2]
    assert sorted(nearest_tokens(model, 40, 2, among=[1, 2])[0]) == [1, 2]
    with pytest.raises(ValueError, match="k must be 1 to 2, not 3"):
        nearest_tokens(model, 40, 3, among=[40, 1, 2])


def test_nearest_tokens_are_those_of_wte_where_the_head_has_a_table_of_its_own(model):
    other = random_gpt()
    other.lm_head.weight = torch.nn.Parameter(other.wte.weight.flip(0), requires_grad=False)
    assert_array_equal(nearest_tokens(other, 40, 6)[0], nearest_tokens(model, 40, 6)[0])


def test_equal_and_empty_rows_of_wte():
    model = random_gpt()
    model.wte.weight[5], model.wte.weight[6] = 2 * model.wte.weight[4], 0
    ids, cosines = nearest_tokens(model, 4, V - 1)
    assert ids[0] == 5
    assert cosines[0] == pytest.approx(1, abs=1e-6)
    assert cosines[list(ids).index(6)] == 0


def test_writes_are_those_of_the_recomputed_blocks(model, trace):
    found = writes(trace)
    assert np.isnan(found.cosine[0]).all()
    assert np.isnan(found.ratio[0]).all()
    for block in range(3):
        inside = trace.block(block)
        for row, written in ((2 * block + 1, inside.attn_out), (2 * block + 2, inside.mlp_out)):
            before = trace.residual[row - 1]
            cosine = torch.cosine_similarity(written, before, dim=-1)
            assert_allclose(found.cosine[row], cosine, atol=1e-5)
            assert_allclose(found.ratio[row], written.norm(dim=-1) / before.norm(dim=-1), rtol=1e-5)


def test_the_cosine_holds_beside_an_enormous_entry():
    model = random_gpt()
    model.wte.weight[9, 7] = 3000
    trace = run_trace(model, [9, 1])
    before = trace.residual[2, 0].double()
    written = trace.block(1).attn_out[0].double()
    true = torch.cosine_similarity(written, before, dim=0).item()
    assert writes(trace).cosine[3, 0] == pytest.approx(true, abs=1e-4)


def test_nothing_is_a_multiple_of_nothing():
    model = random_gpt()
    for weight in model.parameters():
        weight.zero_()
    trace = run_trace(model, [1, 2])
    assert trace.checks["stream"] == 0
    found = writes(trace)
    assert np.isnan(found.ratio).all() and np.isnan(found.cosine).all()
    assert not largest_entries(trace, 3).shares.any()
    model.blocks[0].attn.wo.bias.fill_(1)  # written to a stream of length 0
    assert np.isnan(writes(run_trace(model, [1, 2])).ratio[1]).all()


def test_the_stream_as_it_is_read(model, trace):
    found = read_norms(trace)
    assert found.shape == (7, S)
    inside = trace.block(1)
    assert_allclose(found[2], inside.norm_1.norm(dim=-1), rtol=1e-5)
    assert_allclose(found[3], inside.norm_2.norm(dim=-1), rtol=1e-5)
    assert_allclose(found[6], model.norm(trace.residual[6]).norm(dim=-1), rtol=1e-5)


def test_the_enormous_entry_is_found_once_where_it_is_largest():
    model = random_gpt()
    model.wte.weight[9, 7] = -3000
    trace = run_trace(model, [1, 9, 2])
    found = largest_entries(trace, 4)
    assert (found.positions[0], found.dimensions[0]) == (1, 7)
    assert found.rows[0] == trace.residual[:, 1, 7].abs().argmax()
    assert found.values[0] == trace.residual[found.rows[0], 1, 7] < 0
    assert found.shares[0] == pytest.approx(1, abs=0.01)
    assert len(set(zip(found.positions, found.dimensions, strict=True))) == 4
    assert_array_equal(np.abs(found.values), np.sort(np.abs(found.values))[::-1])


def test_the_largest_entries_of_one_row(trace):
    found = largest_entries(trace, 5, row=2)
    assert_array_equal(found.rows, [2] * 5)
    flat = trace.residual[2].flatten().numpy()
    assert_array_equal(found.values, flat[np.argsort(-np.abs(flat))[:5]])
    lengths = trace.residual[2, found.positions].norm(dim=-1)
    assert_allclose(found.shares, (found.values / lengths.numpy()) ** 2, rtol=1e-5)


def test_courses_are_the_lens_of_each_token(model, trace):
    tokens = [3, 50, 96]
    found = token_courses(model, trace, 11, tokens)
    assert found.tokens == (3, 50, 96)
    for n, token in enumerate(tokens):
        lens = logit_lens(model, trace, k=1, positions=[11], target=token)
        assert_array_equal(found.ranks[n], lens.rank[:, 0])
        assert_allclose(found.probs[n], lens.target_prob[:, 0], rtol=1e-4)


def test_courses_follow_whatever_led_in_any_row(model, trace):
    found = token_courses(model, trace, 4)
    best = logit_lens(model, trace, k=1, positions=[4]).ids[:, 0, 0]
    assert found.tokens == tuple(dict.fromkeys(best.tolist()))
    assert found.rows == tuple(range(7))
    assert (found.ranks == 0).any(axis=1).all()
    assert (found.ranks == 0).any(axis=0).all()
    ends = token_courses(model, trace, 4, rows=range(0, 7, 2))
    assert_array_equal(ends.probs[0], found.probs[0, ::2])


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda m, t: pushed(m, torch.zeros(32), 3), r"must be \(n, 32\), not \(32,\)"),
        (lambda m, t: pushed(m, torch.zeros(1, 31), 3), r"must be \(n, 32\), not \(1, 31\)"),
        (lambda m, t: pushed(m, torch.zeros(1, 32), 98), "k must be 1 to 97, not 98"),
        (lambda m, t: pushed(m, torch.zeros(1, 32), 1, among=[97]), "token must be 0 to 96"),
        (lambda m, t: head_write(m, t.block(0), 4), "head must be 0 to 3, not 4"),
        (lambda m, t: neuron_write(m, 3, 0), "block must be 0 to 2, not 3"),
        (lambda m, t: neuron_write(m, 0, 128), "neuron must be 0 to 127, not 128"),
        (lambda m, t: nearest_tokens(m, 97, 1), "token must be 0 to 96, not 97"),
        (lambda m, t: largest_entries(t, 641), "k must be 1 to 640, not 641"),
        (lambda m, t: largest_entries(t, 1, row=7), "row must be 0 to 6, not 7"),
        (lambda m, t: token_courses(m, t, 20), "position must be 0 to 19, not 20"),
        (lambda m, t: token_courses(m, t, 0, [97]), "token must be 0 to 96, not 97"),
        (lambda m, t: token_courses(m, t, 0, rows=[-1]), "row must be 0 to 6, not -1"),
    ],
)
def test_what_is_not_there_is_refused_with_the_limits(model, trace, call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call(model, trace)
