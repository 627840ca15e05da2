"""GPT-2 in the open: the network, its checkpoints, and what happens inside a forward pass."""

from model.config import GPT2_SIZES, GPTConfig
from model.gpt import GPT, MLP, Block, CausalSelfAttention
from model.tokenizer import Tokenizer

__all__ = ["GPT", "GPT2_SIZES", "MLP", "Block", "CausalSelfAttention", "GPTConfig", "Tokenizer"]
