"""The 2017 Transformer against PyTorch's own, and the sizes of both models against the networks."""

import math

import pytest
import torch
from torch import nn

from model import GPT, GPT2_SIZES, GPTConfig
from model.count import gpt_parameters, transformer_parameters
from model.depth import stacks_at_start
from model.gpt import Block, causal_mask
from model.transformer import (
    EncoderBlock,
    FeedForward,
    LayerNormalization,
    MultiHeadAttention,
    PositionalEncoding,
    Transformer,
    TransformerConfig,
    sinusoids,
)

SMALL = TransformerConfig(dmodel=32, vocabsize=50, max_seq_len=40, N=2, H=4, dff=64, dropout=0.0)
CLOSE = {"rtol": 1e-5, "atol": 2e-6}


@pytest.fixture
def ours():
    torch.manual_seed(0)
    model = Transformer(SMALL).eval()
    with torch.no_grad():
        for p in model.parameters():  # norms and biases too, so that none can be mistaken
            p.add_(0.1 * torch.randn_like(p))
    return model


@pytest.fixture
def theirs(ours):
    """`torch.nn.Transformer` with the same weights. 2017 has no norm after the last block."""
    c = SMALL
    reference = nn.Transformer(c.dmodel, c.H, c.N, c.N, c.dff, 0.0, batch_first=True).eval()
    reference.encoder.norm = reference.decoder.norm = None
    for block, layer in zip(ours.encoder, reference.encoder.layers, strict=True):
        copy_block(block, layer)
    for block, layer in zip(ours.decoder, reference.decoder.layers, strict=True):
        copy_block(block, layer)
    return reference


@torch.no_grad()
def copy_block(block, layer):
    copy_attention(block.attn, layer.self_attn)
    if hasattr(block, "cross_attn"):
        copy_attention(block.cross_attn, layer.multihead_attn)
    for name in ("weight", "bias"):
        getattr(layer.linear1, name).copy_(getattr(block.ff.w1, name))
        getattr(layer.linear2, name).copy_(getattr(block.ff.w2, name))
        for i in (1, 2, 3):
            if hasattr(layer, f"norm{i}"):
                norm = getattr(block, f"residual_{i}").norm
                getattr(getattr(layer, f"norm{i}"), name).copy_(getattr(norm, name))


def copy_attention(mine, other):
    projections = (mine.wq, mine.wk, mine.wv)
    other.in_proj_weight.copy_(torch.cat([p.weight for p in projections]))
    other.in_proj_bias.copy_(torch.cat([p.bias for p in projections]))
    other.out_proj.weight.copy_(mine.wo.weight)
    other.out_proj.bias.copy_(mine.wo.bias)


@pytest.fixture
def sentences():
    generator = torch.Generator().manual_seed(1)
    source = torch.randint(SMALL.vocabsize, (3, 9), generator=generator)
    target = torch.randint(SMALL.vocabsize, (3, 6), generator=generator)
    return source, target


def test_equals_torch_without_masks(ours, theirs, sentences):
    source, target = sentences
    want = expected(ours, theirs, source, target)
    torch.testing.assert_close(ours(source, target), want, **CLOSE)


def test_equals_torch_with_causal_and_padding_masks(ours, theirs, sentences):
    source, target = sentences
    real = torch.arange(9) < torch.tensor([[9], [5], [7]])  # (3, 9), false at padding
    causal = causal_mask(6)
    want = expected(
        ours,
        theirs,
        source,
        target,
        tgt_mask=~causal,
        src_key_padding_mask=~real,
        memory_key_padding_mask=~real,
    )
    got = ours(source, target, source_mask=real[:, None, None, :], target_mask=causal)
    torch.testing.assert_close(got, want, **CLOSE)


def expected(ours, theirs, source, target, **masks):
    """torch's stack between our embedding, written out again here, and our output table."""
    table = ours.embedding.table.weight

    def embed(ids):
        positions = sinusoids(ids.shape[1], SMALL.dmodel)
        return table[ids] * math.sqrt(SMALL.dmodel) + positions

    x = theirs(embed(source), embed(target), **masks)
    return (x @ table.T).log_softmax(dim=-1)


def test_each_block_equals_torchs_layer(ours, theirs):
    x, encoded = torch.randn(2, 3, 7, SMALL.dmodel)
    torch.testing.assert_close(ours.encoder[1](x, None), theirs.encoder.layers[1](x), **CLOSE)
    got = ours.decoder[1](x, encoded, None, causal_mask(7))
    want = theirs.decoder.layers[1](x, encoded, tgt_mask=~causal_mask(7))
    torch.testing.assert_close(got, want, **CLOSE)


def test_probabilities_sum_to_one(ours, sentences):
    sums = ours(*sentences).exp().sum(dim=-1)
    torch.testing.assert_close(sums, torch.ones_like(sums))


def test_decoder_sees_no_future_and_the_whole_source(ours, sentences):
    source, target = sentences
    before = ours(source, target, target_mask=causal_mask(6))
    target[:, 4] = (target[:, 4] + 1) % SMALL.vocabsize
    after = ours(source, target, target_mask=causal_mask(6))
    torch.testing.assert_close(before[:, :4], after[:, :4], **CLOSE)
    assert not torch.allclose(before[:, 4], after[:, 4])
    source[:, -1] = (source[:, -1] + 1) % SMALL.vocabsize
    changed = ours(source, target, target_mask=causal_mask(6))
    assert not torch.allclose(changed[:, 0], after[:, 0])


def test_sinusoids_are_the_formula():
    table = sinusoids(50, 16)
    for pos, i in [(0, 0), (1, 0), (7, 3), (49, 7)]:
        angle = pos / 10000 ** (2 * i / 16)
        assert table[pos, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-5)
        assert table[pos, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-5)


def test_sinusoids_take_an_odd_width():
    assert torch.equal(sinusoids(5, 7)[:, :6:2], sinusoids(5, 7)[:, 0:6:2])
    assert torch.isfinite(sinusoids(5, 7)).all()


def test_positions_are_no_parameters():
    assert list(PositionalEncoding(SMALL).parameters()) == []
    assert PositionalEncoding(SMALL).state_dict() == {}


def test_layer_normalization_is_torchs():
    x = torch.randn(2, 5, SMALL.dmodel) * 30 + 4
    want = nn.functional.layer_norm(x, (SMALL.dmodel,))
    torch.testing.assert_close(LayerNormalization(SMALL)(x), want, **CLOSE)


def test_feed_forward_drops_what_is_negative():
    part = FeedForward(SMALL)
    with torch.no_grad():
        part.w1.bias.fill_(-1e6)
    x = torch.randn(1, 3, SMALL.dmodel)
    torch.testing.assert_close(part(x), part.w2.bias.expand_as(x))


def test_cross_attention_has_the_shape_of_the_reader():
    reading, read = torch.randn(2, 4, SMALL.dmodel), torch.randn(2, 9, SMALL.dmodel)
    assert MultiHeadAttention(SMALL)(reading, read, None).shape == reading.shape


def test_parameters_of_the_2017_base_model():
    config = TransformerConfig()
    with torch.device("meta"):
        model = Transformer(config)
    counted = sum(p.numel() for p in model.parameters())
    assert counted == sum(transformer_parameters(config).values()) == 63_082_496


def test_parameters_of_each_gpt2_part():
    config = GPTConfig(dmodel=24, vocabsize=77, max_seq_len=19, N=3, H=4)
    counted = dict.fromkeys(gpt_parameters(config), 0)
    for name, p in GPT(config).named_parameters():
        counted[kind_of(name)] += p.numel()
    assert counted == gpt_parameters(config)


def kind_of(name):
    return next(k for k in ("wte", "wpe", "attn", "ff", "norm") if k in name)


def test_parameters_of_the_four_sizes():
    totals = [sum(gpt_parameters(config).values()) for config in GPT2_SIZES.values()]
    assert totals == [124_439_808, 354_823_168, 774_030_080, 1_557_611_200]


def test_both_stacks_start_from_equal_weights():
    """The pictures compare where the norm stands and nothing else."""
    first, again = stacks_at_start(3), stacks_at_start(3)
    assert torch.equal(first["pre"].norms, again["pre"].norms)
    assert first["pre"].norms[0] == first["post"].norms[0]
    for block in (Block(GPTConfig(dmodel=32, H=4)), EncoderBlock(SMALL)):
        names = [name for name, p in block.named_parameters() if p.dim() == 2]
        assert [n.split(".")[1] for n in names] == ["wq", "wk", "wv", "wo", "w1", "w2"]


def test_pre_norm_grows_with_depth_and_post_norm_does_not():
    stacks = stacks_at_start(8)
    pre, post = stacks["pre"].norms, stacks["post"].norms
    assert (pre[1:] > pre[:-1]).all()
    torch.testing.assert_close(post[1:], torch.full((8,), 8.0), rtol=1e-3, atol=1e-3)
    assert stacks["pre"].gradients.shape == (8,)
