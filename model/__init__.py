"""GPT-2 in the open: the network, its checkpoints, and what happens inside a forward pass.

Each name is fetched from its module when first asked for, so that what does without PyTorch (the
command line's --help, its word on a bad argument) need not wait for it.
"""

from importlib import import_module

_HOMES = {
    "checkpoint": ("CheckpointError", "load_model"),
    "config": ("GPT2_SIZES", "GPTConfig"),
    "extend": ("extended",),
    "gpt": ("GPT", "MLP", "Block", "CausalSelfAttention"),
    "lens": ("Lens", "logit_lens"),
    "readout": (
        *("Courses", "Entries", "Pushed", "Writes", "final_scale", "head_write", "largest_entries"),
        *("nearest_tokens", "neuron_write", "pushed", "token_courses", "writes"),
    ),
    "sampling": ("distribution", "generate", "next_token", "sample"),
    "tokenizer": ("Tokenizer",),
    "trace": ("BlockTrace", "Trace", "run_trace"),
    "transformer": ("Transformer", "TransformerConfig"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = list(_HOME_OF)


def __getattr__(name: str):
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
