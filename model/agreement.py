"""Does this network compute what transformers computes? Both on one checkpoint, side by side."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from model.gpt import GPT
from model.trace import run_trace

TOKENS = 64


@dataclass(frozen=True)
class Difference:
    """The largest difference found in one kind of tensor."""

    what: str
    largest: float
    scale: float  # the largest value there, for comparison


def available() -> str | None:
    """The version of transformers that is installed, None without one."""
    try:
        import transformers
    except ImportError:
        return None
    return transformers.__version__


def compared(model: GPT) -> int:
    """On how many tokens `differences` compares."""
    return min(TOKENS, model.config.max_seq_len)


def differences(model: GPT, folder: Path) -> tuple[Difference, ...]:
    """Largest differences in logits, hidden states and attention on ids of all kinds.

    Args:
        model: what `folder` has been loaded as.
    """
    ids = [(i * i * 7919 + i) % model.config.vocabsize for i in range(compared(model))]
    theirs, trace = _transformers(folder, ids), run_trace(model, ids)
    *states, last = theirs.hidden_states  # the last has been through the final norm already
    with torch.no_grad():
        normed = model.norm(trace.residual[-1])
    ours = torch.stack([*trace.residual[:-1:2], normed])  # (N+1, S, dmodel)
    patterns = torch.stack([trace.attention(block) for block in range(model.config.N)])
    return (
        _difference("logits", trace.logits, theirs.logits[0]),
        _difference("hidden states", ours, torch.cat([*states, last])),
        _difference("attention", patterns, torch.cat(theirs.attentions)),
    )


def _transformers(folder: Path, ids: list[int]):
    """What transformers makes of `ids`, with everything it can tell, in fp32."""
    from transformers import GPT2LMHeadModel
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    settings = {"dtype": torch.float32, "attn_implementation": "eager", "local_files_only": True}
    network = GPT2LMHeadModel.from_pretrained(folder, **settings).eval()
    with torch.no_grad():
        return network(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)


def _difference(what: str, ours: Tensor, theirs: Tensor) -> Difference:
    return Difference(what, (ours - theirs).abs().max().item(), theirs.abs().max().item())
