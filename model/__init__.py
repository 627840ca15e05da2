"""GPT-2 in the open: the network, its checkpoints, and what happens inside a forward pass."""

from model.checkpoint import CheckpointError, load_model
from model.config import GPT2_SIZES, GPTConfig
from model.gpt import GPT, MLP, Block, CausalSelfAttention
from model.lens import Lens, logit_lens
from model.tokenizer import Tokenizer
from model.trace import BlockTrace, Trace, run_trace
from model.transformer import Transformer, TransformerConfig

__all__ = [
    "GPT",
    "GPT2_SIZES",
    "MLP",
    "Block",
    "BlockTrace",
    "CausalSelfAttention",
    "CheckpointError",
    "GPTConfig",
    "Lens",
    "Tokenizer",
    "Trace",
    "Transformer",
    "TransformerConfig",
    "load_model",
    "logit_lens",
    "run_trace",
]
