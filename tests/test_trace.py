"""What a trace recomputes is what the model itself computed."""

import pytest
import torch

from model import run_trace
from tests.networks import random_gpt, random_ids


@pytest.mark.parametrize("tokens", [1, 2, 64])
def test_the_mlp_alone_gives_what_the_whole_block_gives(tokens):
    model = random_gpt()
    trace = run_trace(model, random_ids(tokens))
    for i, block in enumerate(model.blocks):
        before, after = trace.mlp(i)
        inside = trace.block(i)
        assert torch.equal(before, inside.mlp_pre)
        assert torch.equal(after, inside.mlp_act)
        assert torch.allclose(block.ff.w2(after), inside.mlp_out, atol=1e-5)


def test_there_is_no_mlp_beyond_the_last_block():
    with pytest.raises(ValueError, match="no block 3: this model has 0 to 2"):
        run_trace(random_gpt(), random_ids(2)).mlp(3)
