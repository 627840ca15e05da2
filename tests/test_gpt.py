"""The network: its contract, and its agreement with transformers."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from model import GPT, MLP, Block, CausalSelfAttention, GPTConfig, load_model, run_trace
from model.gpt import init_weights
from tests.networks import SMALL, random_gpt, random_ids

pytest_plugins = ["tests.checkpoints"]


@pytest.fixture(scope="module")
def model():
    return random_gpt()


def test_the_modules_carry_the_names_every_box_is_called_by():
    names = {name.rpartition(".")[2] for name, _ in random_gpt().named_modules()}
    assert names >= {"wte", "wpe", "drop", "blocks", "norm", "lm_head"}
    assert names >= {"norm_1", "attn", "norm_2", "ff", "w1", "w2", "dropout"}
    assert names >= {"wq", "wk", "wv", "wo", "attn_dropout", "resid_dropout"}


def test_shapes_of_every_building_block():
    config = GPTConfig(**SMALL)
    x, mask = torch.randn(2, 5, config.dmodel), torch.ones(5, 5).tril()
    assert MLP(config)(x).shape == x.shape
    assert CausalSelfAttention(config)(x, mask).shape == x.shape
    assert Block(config)(x, mask).shape == x.shape
    assert GPT(config)(torch.zeros(2, 5, dtype=torch.long)).shape == (2, 5, config.vocabsize)


def test_the_head_is_the_embedding_table(model):
    assert model.lm_head.weight is model.wte.weight
    assert len([name for name, _ in model.named_parameters() if "lm_head" in name]) == 0


def test_the_mask_is_a_buffer_that_checkpoints_do_not_hold(model):
    assert "mask" in dict(model.named_buffers())
    assert not [name for name in model.state_dict() if "mask" in name]
    assert torch.equal(model.mask, torch.ones(96, 96).tril().bool())


@pytest.mark.parametrize("changed", [1, 7, 19])
def test_no_token_sees_the_future(model, changed):
    ids = torch.tensor([random_ids(20)])
    others = ids.clone()
    others[0, changed:] = (ids[0, changed:] + 1) % 97
    before, after = model(ids)[0], model(others)[0]
    assert torch.equal(before[:changed], after[:changed])
    assert not torch.isclose(before[changed], after[changed]).all()


def test_a_block_takes_the_mask_as_numbers_or_as_booleans(model):
    x = torch.randn(2, 9, 32)
    numbers = torch.tril(torch.ones(9, 9))
    block = model.blocks[0]
    assert torch.equal(block(x, numbers), block(x, numbers.bool()))
    assert torch.equal(block(x, model.mask), block(x, numbers))  # larger than S: it is sliced


def test_one_of_a_batch_is_the_same_alone(model):
    ids = torch.tensor([random_ids(12, seed) for seed in range(3)])
    alone = torch.cat([model(row[None]) for row in ids])
    assert_close(model(ids), alone, rtol=1e-5, atol=1e-5)


def test_forward_leaves_its_arguments_and_the_network_alone(model):
    x, mask = torch.randn(1, 6, 32), torch.ones(6, 6).tril()
    copies, state = (x.clone(), mask.clone()), {k: v.clone() for k, v in model.state_dict().items()}
    fields = [set(vars(module)) for module in model.modules()]
    model.blocks[0](x, mask)
    model(torch.tensor([[1, 2, 3]]))
    assert torch.equal(x, copies[0])
    assert torch.equal(mask, copies[1])
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert fields == [set(vars(module)) for module in model.modules()]


def test_gradients_flow_through_every_weight():
    model = GPT(GPTConfig(**SMALL))
    model(torch.tensor([random_ids(20)])).square().sum().backward()
    assert all(weight.grad is not None for weight in model.parameters())
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


def test_fresh_weights_are_gpt2s():
    model = GPT(GPTConfig(dmodel=256, vocabsize=500, N=2, H=4))
    init_weights(model, torch.Generator().manual_seed(0))
    assert model.wte.weight.std().item() == pytest.approx(0.02, rel=0.02)
    assert model.blocks[1].attn.wq.weight.std().item() == pytest.approx(0.02, rel=0.02)
    assert model.blocks[1].ff.w2.weight.std().item() == pytest.approx(0.02 / 2, rel=0.02)
    assert not any(layer.bias.any() for layer in (model.blocks[0].attn.wo, model.blocks[0].ff.w1))


# One random checkpoint of GPT-2 Small's full shape, in both networks.
IDS = [(i * i * 7919 + i) % 50257 for i in range(48)]


@pytest.fixture(scope="module")
def ours(full_shape_checkpoint):
    return load_model(full_shape_checkpoint)


@pytest.fixture(scope="module")
def theirs(full_shape_checkpoint):
    from transformers import GPT2LMHeadModel

    settings = {"dtype": torch.float32, "attn_implementation": "eager"}
    model = GPT2LMHeadModel.from_pretrained(full_shape_checkpoint, **settings).eval()
    with torch.no_grad():
        return model(torch.tensor([IDS]), output_attentions=True, output_hidden_states=True)


def distance(ours, theirs):
    """The largest difference, as a share of the largest value."""
    return ((ours - theirs).abs().max() / theirs.abs().max()).item()


@torch.no_grad()
def test_logits_are_those_of_transformers(ours, theirs):
    assert distance(ours(torch.tensor([IDS])), theirs.logits) < 1e-5


@torch.no_grad()
def test_hidden_states_and_attention_are_those_of_transformers(ours, theirs):
    trace = run_trace(ours, IDS)
    *states, last = theirs.hidden_states  # the last has been through the final norm already
    assert distance(trace.residual[:-1:2], torch.cat(states)) < 1e-5
    assert distance(ours.norm(trace.residual[-1]), last[0]) < 1e-5
    for block, pattern in enumerate(theirs.attentions):
        assert_close(trace.attention(block), pattern[0], rtol=1e-5, atol=1e-6)


@torch.no_grad()
def test_the_other_gelu_would_be_seen(ours, theirs):
    entered = {}  # the network with the exact erf form, made by hooks
    hooks = [
        hook
        for ff in (block.ff for block in ours.blocks)
        for hook in (
            ff.w1.register_forward_hook(lambda _, args, out, ff=ff: entered.update({ff: out})),
            ff.w2.register_forward_pre_hook(lambda _, args, ff=ff: F.gelu(entered[ff])),
        )
    ]
    erf = distance(ours(torch.tensor([IDS])), theirs.logits)
    for hook in hooks:
        hook.remove()
    assert erf > 10 * distance(ours(torch.tensor([IDS])), theirs.logits)
