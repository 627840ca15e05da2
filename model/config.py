"""The one configuration object every part of the network is built from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GPTConfig:
    """The shape of a GPT. The defaults are GPT-2 Small.

    Raises:
        ValueError: if a size is not a positive integer, if `dmodel` does not split into `H`
            equal heads, or if `dropout` is not a probability below 1.
    """

    dmodel: int = 768  # width of the residual stream
    vocabsize: int = 50257  # 256 bytes + 50,000 merges + <|endoftext|>
    B: int = 2  # batch size of demonstration runs; the network takes any
    max_seq_len: int = 1024  # context: the number of positions wpe knows
    N: int = 12  # blocks
    H: int = 12  # attention heads in each block
    dropout: float = 0.1  # used in training only

    def __post_init__(self):
        for name in ("dmodel", "vocabsize", "B", "max_seq_len", "N", "H"):
            size = getattr(self, name)
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ValueError(f"{name} must be a positive whole number, not {size!r}")
        if self.dmodel % self.H:
            raise ValueError(f"dmodel {self.dmodel} does not split into {self.H} equal heads")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, not {self.dropout!r}")

    @property
    def dk(self) -> int:
        """Width of one head's queries, keys and values."""
        return self.dmodel // self.H

    @property
    def dff(self) -> int:
        """Width of the MLP's hidden layer: four times the stream."""
        return 4 * self.dmodel

    @property
    def parameters(self) -> int:
        """Weights of the whole network, the tied table counted once."""
        D, F = self.dmodel, self.dff
        block = 4 * (D * D + D) + (D * F + F) + (F * D + D) + 2 * 2 * D  # attn, ff, two norms
        return (self.vocabsize + self.max_seq_len) * D + self.N * block + 2 * D


# The four sizes of the GPT-2 report (Radford et al. 2019, table 2), by their hub names.
GPT2_SIZES = {
    "gpt2": GPTConfig(),
    "gpt2-medium": GPTConfig(dmodel=1024, N=24, H=16),
    "gpt2-large": GPTConfig(dmodel=1280, N=36, H=20),
    "gpt2-xl": GPTConfig(dmodel=1600, N=48, H=25),
}
