"""The trace: identities of what is seen, hooks that leave nothing behind, threads kept apart."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, fields

import pytest
import torch
from torch.testing import assert_close

from model import GPT, GPTConfig, load_model, run_trace
from model.heads import SCORES, cells_of_interest, head_scores, thumbnail
from model.trace import writers
from tests.networks import SMALL, random_gpt, random_ids

pytest_plugins = ["tests.checkpoints"]

N, H, CONTEXT = SMALL["N"], SMALL["H"], SMALL["max_seq_len"]


@pytest.fixture(scope="module")
def model():
    return random_gpt()


@pytest.fixture(scope="module", params=[1, 2, 33, CONTEXT], ids=lambda S: f"{S} tokens")
def ids(request):
    return random_ids(request.param)


@pytest.fixture(scope="module")
def trace(model, ids):
    return run_trace(model, ids)


@pytest.fixture(scope="module")
def passed(model, ids):
    """What plain hooks on the model's own full pass see: module path -> output, and the logits."""
    seen, hooks = {}, []
    for path, module in model.named_modules():
        keep = lambda _m, _x, out, path=path: seen.update({path: out.clone()})  # noqa: E731
        hooks.append(module.register_forward_hook(keep))
    with torch.no_grad():
        model(torch.tensor([ids]))
    for hook in hooks:
        hook.remove()
    return seen


def hook_count(model):
    return sum(
        len(hooks)
        for module in model.modules()
        for name, hooks in vars(module).items()
        if "hooks" in name and hooks
    )


def assert_equal(one, other):
    """Two traces, bit for bit."""
    assert (one.ids, one.config, one.checks) == (other.ids, other.config, other.checks)
    for name in ("residual", "write_norms", "thumbnails"):
        assert torch.equal(getattr(one, name), getattr(other, name)), name
    for name in SCORES:
        assert one.head_scores[name].equal(other.head_scores[name]) or torch.allclose(
            one.head_scores[name], other.head_scores[name], rtol=0, atol=0, equal_nan=True
        )


# What is seen


def test_shapes_and_names(trace, ids):
    S = len(ids)
    assert trace.ids == tuple(ids)
    assert trace.writers == writers(trace.config)
    assert trace.writers[:3] == ("embed", "blocks.0.attn", "blocks.0.ff")
    assert len(trace.writers) == 2 * N + 1
    assert trace.residual.shape == (2 * N + 1, S, SMALL["dmodel"])
    assert trace.write_norms.shape == (2 * N + 1, S)
    assert trace.logits.shape == (S, SMALL["vocabsize"])
    assert trace.attention(0).shape == (H, S, S)
    assert trace.residual.dtype == trace.logits.dtype == trace.attention(0).dtype == torch.float32
    assert {values.shape for values in trace.head_scores.values()} == {(N, H)}


def test_every_writer_but_the_embedding_is_a_module(model, trace):
    assert all(model.get_submodule(path) for path in trace.writers[1:])


def test_logits_are_the_models_own(trace, passed):
    assert torch.equal(trace.logits, passed[""][0])
    assert trace.logits is trace.logits  # computed once


def test_some_logits_are_those_rows_of_all(trace):
    assert_close(trace.logits_at(slice(-1, None)), trace.logits[-1:], rtol=1e-5, atol=1e-5)


def test_recomputed_attention_is_bit_for_bit_that_of_the_full_pass(trace, passed):
    for block in range(N):
        pattern = passed[f"blocks.{block}.attn.attn_dropout"][0]
        assert torch.equal(trace.attention(block), pattern)
        assert torch.equal(trace.block(block).pattern, pattern)


def test_rows_of_attention_sum_to_1_and_never_look_ahead(trace, ids):
    ones = torch.ones(H, len(ids))
    for block in range(N):
        pattern = trace.attention(block)
        assert_close(pattern.sum(dim=-1), ones)
        assert not pattern.triu(1).any()
    assert trace.checks["row_sum"] < 1e-6


def test_the_stream_is_the_embedding_and_everything_written(trace, passed, model, ids):
    stream = model.wte.weight[torch.tensor(ids)] + model.wpe.weight[: len(ids)]
    assert torch.equal(trace.residual[0], stream)
    assert_close(trace.write_norms[0], stream.norm(dim=-1))
    for row, path in enumerate(trace.writers[1:], start=1):
        stream = stream + passed[path][0]
        assert torch.equal(trace.residual[row], stream)
        assert_close(trace.write_norms[row], passed[path][0].norm(dim=-1))
    assert trace.checks["stream"] < 1e-6


def test_small_things_kept_of_the_patterns(trace, ids):
    for block in range(N):
        pattern = trace.attention(block)
        assert torch.equal(trace.thumbnails[block], thumbnail(pattern).half())
        for name, values in head_scores(pattern, cells_of_interest(torch.tensor(ids))).items():
            assert_close(trace.head_scores[name][block], values, equal_nan=True)


@pytest.mark.parametrize("block", range(N))
def test_the_inside_of_a_block_is_that_of_the_full_pass(trace, passed, block):
    inside, at = trace.block(block), f"blocks.{block}"
    for name, path in {
        "norm_1": "norm_1",
        "attn_out": "attn",
        "norm_2": "norm_2",
        "mlp_pre": "ff.w1",
        "mlp_act": "ff.dropout",
        "mlp_out": "ff",
    }.items():
        assert torch.equal(getattr(inside, name), passed[f"{at}.{path}"][0]), name
    for name, path in {"q": "wq", "k": "wk", "v": "wv"}.items():
        joined = getattr(inside, name).transpose(0, 1).flatten(1)  # (S, dmodel)
        assert torch.equal(joined, passed[f"{at}.attn.{path}"][0]), name


def test_the_stages_of_attention_lead_from_one_to_the_next(trace, model):
    inside, dk = trace.block(1), trace.config.dk
    assert torch.equal(inside.scores, inside.q @ inside.k.transpose(1, 2))
    assert_close(inside.scaled, inside.scores / dk**0.5)
    assert torch.equal(inside.masked.isinf(), (~inside.mask).expand_as(inside.masked))
    assert torch.equal(inside.masked.softmax(dim=-1), inside.pattern)
    assert_close(inside.heads, inside.pattern @ inside.v)
    # Each head's write, and the bias, add up to what the attention writes.
    wo = model.blocks[1].attn.wo
    writes = torch.stack(
        [head @ part.T for head, part in zip(inside.heads, wo.weight.split(dk, dim=1), strict=True)]
    )
    assert_close(writes.sum(dim=0) + wo.bias, inside.attn_out, rtol=1e-4, atol=1e-5)
    assert_close(inside.head_norms, writes.norm(dim=-1))


def test_hidden_states_are_those_of_transformers(saved_small):
    from transformers import GPT2LMHeadModel

    ids = random_ids(20)
    theirs = GPT2LMHeadModel.from_pretrained(saved_small, attn_implementation="eager").eval()
    with torch.no_grad():
        out = theirs(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
    trace = run_trace(load_model(saved_small), ids)
    assert_close(trace.residual[:-1:2], torch.cat(out.hidden_states[:-1]), rtol=1e-5, atol=1e-5)
    assert_close(trace.logits, out.logits[0], rtol=1e-5, atol=1e-5)
    for block, pattern in enumerate(out.attentions):
        assert_close(trace.attention(block), pattern[0], rtol=1e-5, atol=1e-6)


def test_a_head_as_narrow_as_the_chapters_and_one_of_odd_width():
    for changes in ({"dmodel": 12, "H": 12}, {"dmodel": 21, "H": 3}, {"N": 1, "H": 1}):
        trace = run_trace(random_gpt(**changes), random_ids(17))
        block = trace.config.N - 1
        assert torch.equal(trace.attention(block), trace.block(block).pattern)


def test_activations_that_are_not_finite_are_seen_as_they_are():
    model = random_gpt()
    model.wpe.weight[2] = torch.nan
    model.wpe.weight[5] = torch.inf
    trace = run_trace(model, random_ids(8))
    assert trace.residual[0, 2].isnan().all()
    assert trace.residual[0, :2].isfinite().all()
    assert all(math.isnan(error) for error in trace.checks.values())  # never taken for small
    assert trace.logits[2].isnan().all()
    assert trace.block(0).masked.shape == (H, 8, 8)


# Values


def test_a_trace_is_frozen(trace):
    for value in (trace, trace.block(0)):
        for field in fields(value):
            with pytest.raises(FrozenInstanceError):
                setattr(value, field.name, None)
    with pytest.raises(TypeError):
        trace.head_scores["previous"] = None
    with pytest.raises(TypeError):
        trace.checks["stream"] = 0.0


def test_ids_come_as_any_sequence(model):
    ids = random_ids(9)
    for given in (tuple(ids), torch.tensor(ids), torch.tensor(ids).numpy()):
        assert_equal(run_trace(model, given), run_trace(model, ids))


def test_arguments_and_weights_are_left_as_they_were(model):
    ids, state = random_ids(9), {name: x.clone() for name, x in model.state_dict().items()}
    trace = run_trace(model, ids)
    kept = trace.residual.clone()
    trace.attention(0)
    trace.block(2)
    _ = trace.logits
    assert ids == random_ids(9)
    assert torch.equal(trace.residual, kept)
    assert all(torch.equal(x, state[name]) for name, x in model.state_dict().items())


def test_tensors_can_go_into_a_gradient(model):
    probe = torch.zeros(SMALL["dmodel"], requires_grad=True)
    (run_trace(model, random_ids(5)).residual @ probe).sum().backward()
    assert probe.grad.isfinite().all()


def test_a_model_in_training_is_traced_without_dropout_and_goes_on_training():
    model = random_gpt(dropout=0.5)
    expected = run_trace(model, random_ids(12))
    model.train()
    assert_equal(run_trace(model, random_ids(12)), expected)
    assert torch.equal(run_trace(model, random_ids(12)).attention(1), expected.attention(1))
    assert all(module.training for module in model.modules())


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([], "There are no tokens: the model needs at least one to read."),
        ([1] * 97, "97 tokens are more than the 96 this model can read at once."),
        ([1, 97], "Token id 97 is outside the vocabulary, 0 to 96."),
        ([-1], "Token id -1 is outside the vocabulary, 0 to 96."),
        ([1.5], "Token ids must be whole numbers."),
    ],
)
def test_ids_the_model_cannot_read_are_refused_in_one_sentence(model, ids, words):
    with pytest.raises(ValueError, match=f"^{words}$"):
        run_trace(model, ids)


@pytest.mark.parametrize("kind", [torch.float16, torch.float64])
def test_only_fp32_weights_are_traced(kind):
    with pytest.raises(ValueError, match=f"^The model's weights are {kind}; a trace needs fp32.$"):
        run_trace(random_gpt().to(kind), random_ids(5))


@pytest.mark.parametrize("block", [-1, N])
def test_a_block_that_is_not_there(model, block):
    trace = run_trace(model, [1, 2])
    for ask in (trace.attention, trace.block):
        with pytest.raises(
            ValueError, match=f"^There is no block {block}: this model has 0 to 2.$"
        ):
            ask(block)


# Hooks


def test_no_hook_remains(model):
    trace = run_trace(model, random_ids(8))
    trace.attention(1)
    trace.block(1)
    _ = trace.logits
    assert hook_count(model) == 0


def test_no_hook_remains_after_an_error_in_the_middle(model):
    def fail(_module, _args, _out):
        raise RuntimeError("in the middle")

    trace = run_trace(model, random_ids(8))
    hook = model.blocks[1].ff.register_forward_hook(fail)
    try:
        for action in (lambda: run_trace(model, [1, 2, 3]), lambda: trace.block(1)):
            with pytest.raises(RuntimeError, match="in the middle"):
                action()
            assert hook_count(model) == 1  # the test's own
    finally:
        hook.remove()
    assert hook_count(model) == 0
    assert_equal(run_trace(model, random_ids(8)), trace)


def test_hooks_of_others_go_on_working_and_nothing_of_ours_reaches_them():
    model, seen = random_gpt(), []
    with model.blocks[0].attn.register_forward_hook(lambda _m, _x, out: seen.append(out)):
        trace = run_trace(model, random_ids(8))
        assert len(seen) == 1
        model(torch.tensor([random_ids(8)]))
        assert torch.equal(seen[0], seen[1])
    assert_equal(run_trace(model, random_ids(8)), trace)


# Threads


def everything(model, prompt):
    """A trace with all that is recomputed from it."""
    trace = run_trace(model, prompt)
    return trace, [trace.attention(i) for i in range(N)], [trace.block(i) for i in range(N)]


def assert_all_equal(one, other):
    assert_equal(one[0], other[0])
    assert torch.equal(one[0].logits, other[0].logits)
    for mine, alone in zip(one[1], other[1], strict=True):
        assert torch.equal(mine, alone)
    for mine, alone in zip(one[2], other[2], strict=True):
        for field in fields(mine):
            if field.name != "block":
                assert torch.equal(getattr(mine, field.name), getattr(alone, field.name))


@pytest.mark.parametrize("threads", [2, 8])
def test_threads_get_exactly_what_each_gets_alone(model, threads):
    prompts = [random_ids(3 + 11 * i % 90, seed=i) for i in range(threads)]
    alone = [everything(model, prompt) for prompt in prompts]
    with ThreadPoolExecutor(threads) as pool:
        rounds = list(pool.map(lambda prompt: everything(model, prompt), prompts * 5))
    for i, one in enumerate(rounds):
        assert_all_equal(one, alone[i % threads])
    assert hook_count(model) == 0


def test_threads_may_open_blocks_of_one_trace_at_once(model):
    trace = run_trace(model, random_ids(40))
    alone = [trace.attention(i) for i in range(N)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda i: trace.attention(i % N), range(60)))
    assert all(torch.equal(one, alone[i % N]) for i, one in enumerate(together))


def test_an_error_in_one_thread_does_not_reach_another(model):
    bad = GPT(GPTConfig(**SMALL))  # shares nothing
    bad.blocks[1].register_forward_hook(lambda _m, _x, _y: 1 / 0)
    alone = run_trace(model, random_ids(30))

    def one(i):
        if i % 2:
            with pytest.raises(ZeroDivisionError):
                run_trace(bad, random_ids(30))
            return alone
        return run_trace(model, random_ids(30))

    with ThreadPoolExecutor(4) as pool:
        for trace in pool.map(one, range(20)):
            assert_equal(trace, alone)
