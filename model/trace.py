"""One forward pass, seen from the inside: hooks on the modules, one value back.

A pre-hook on each LayerNorm sees the residual stream after each of its 2N + 1 writers, a hook on
each attention and MLP sees what is written, and a hook on each `attn_dropout` sees the attention
pattern go by. Patterns and MLP activations are too large to keep (604 MB of patterns for 1,024
tokens of GPT-2 Small), the stream is not. So: capture small, recompute exactly. When somebody asks
for a block, that one block runs again on its stored stream and gives the very same tensors.
"""

import copy
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType

import torch
from torch import Tensor, nn

from model.config import GPTConfig
from model.gpt import GPT, Block
from model.heads import SCORES, cells_of_interest, head_scores, thumbnail

See = Callable[[Tensor], Tensor | None]


def writers(config: GPTConfig) -> tuple[str, ...]:
    """The 2N + 1 modules that write to the residual stream, from the bottom up, by their paths."""
    blocks = (f"blocks.{i}.{part}" for i in range(config.N) for part in ("attn", "ff"))
    return ("embed", *blocks)


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """Everything inside one block. S tokens, H heads, dk = dmodel / H; fp32.

    `norm_1` is what the attention reads, `norm_2` what the MLP reads; `heads` is what each head
    brings back (pattern @ v); `attn_out` and `mlp_out` are what is added to the stream.
    """

    block: int
    norm_1: Tensor  # (S, dmodel)
    q: Tensor  # (H, S, dk)
    k: Tensor  # (H, S, dk)
    v: Tensor  # (H, S, dk)
    pattern: Tensor  # (H, S, S), rows sum to 1
    heads: Tensor  # (H, S, dk)
    head_norms: Tensor  # (H, S), L2 norm of what each head adds to the stream through wo
    attn_out: Tensor  # (S, dmodel)
    norm_2: Tensor  # (S, dmodel)
    mlp_pre: Tensor  # (S, dff), before the GELU
    mlp_act: Tensor  # (S, dff), after it
    mlp_out: Tensor  # (S, dmodel)
    mask: Tensor = field(repr=False)  # (S, S), false where looking is forbidden

    # The three stages before the softmax are as large as the pattern, so each is made when asked.
    @cached_property
    def scores(self) -> Tensor:
        """(H, S, S): every query against every key."""
        return self.q @ self.k.transpose(-2, -1)

    @cached_property
    def scaled(self) -> Tensor:
        """(H, S, S): scores / sqrt(dk)."""
        return self.scores / self.q.shape[-1] ** 0.5

    @cached_property
    def masked(self) -> Tensor:
        """(H, S, S): scaled, with -inf where a token would look ahead. Its softmax is `pattern`."""
        return self.scaled.masked_fill(~self.mask, -torch.inf)


@dataclass(frozen=True, eq=False)
class Trace:
    """What one prompt did inside the model. Row r of `residual` is the stream after `writers[r]`.

    All tensors are on the CPU, fp32 unless said otherwise. They belong to everyone who holds the
    trace: copy before changing one.
    """

    ids: tuple[int, ...]
    config: GPTConfig
    residual: Tensor = field(repr=False)  # (2N+1, S, dmodel)
    write_norms: Tensor = field(repr=False)  # (2N+1, S), L2 norm of what each writer added
    thumbnails: Tensor = field(repr=False)  # (N, H, T, T) fp16, T <= 32, max-pooled patterns
    head_scores: Mapping[str, Tensor] = field(repr=False)  # name -> (N, H), see model.heads
    checks: Mapping[str, float]  # measured errors, see run_trace
    model: GPT = field(repr=False)  # runs single blocks again; its weights must not have changed

    @property
    def writers(self) -> tuple[str, ...]:
        """The 2N + 1 names of the stream's rows: "embed", "blocks.0.attn", "blocks.0.ff", ..."""
        return writers(self.config)

    @cached_property
    def logits(self) -> Tensor:
        """(S, vocabsize): what the model itself answers, computed when first asked for."""
        return self.logits_at(slice(None))

    def logits_at(self, positions: slice) -> Tensor:
        """The rows of `logits` at a slice of the positions, without computing the others."""
        with torch.no_grad():
            stream = self.residual[-1:, positions].to(self.model.mask.device)  # (1, P, dmodel)
            return self.model.lm_head(self.model.norm(stream))[0].cpu()  # (P, vocabsize)

    def attention(self, block: int) -> Tensor:
        """(H, S, S): the attention pattern of one block, recomputed from its stored stream.

        Bit for bit that of the pass of `run_trace`; of a trace that grew, within fp32's rounding.

        Raises:
            ValueError: if the model has no such block.
        """
        seen = {}
        keep = {"attn.attn_dropout": partial(seen.__setitem__, "pattern")}
        with hooked(self._block(block), writes=keep) as twin, torch.no_grad():
            twin.attn(twin.norm_1(self._entering(block)), self.model.mask)
        return seen["pattern"][0].cpu()

    def mlp(self, block: int) -> tuple[Tensor, Tensor]:
        """(S, dff) twice: what enters the GELU of one block and what leaves it, recomputed.

        Raises:
            ValueError: if the model has no such block.
        """
        seen = {}
        keep = {path: partial(seen.__setitem__, path) for path in ("ff.w1", "ff.dropout")}
        with hooked(self._block(block), writes=keep) as twin, torch.no_grad():
            twin.ff(twin.norm_2(self.residual[2 * block + 1, None].to(self.model.mask.device)))
        return seen["ff.w1"][0].cpu(), seen["ff.dropout"][0].cpu()

    def block(self, block: int) -> BlockTrace:
        """Everything inside one block, recomputed from the stream that entered it.

        Raises:
            ValueError: if the model has no such block.
        """
        read, written = {}, {}
        reads = {"attn.wo": partial(read.__setitem__, "joined")}
        writes = {path: partial(written.__setitem__, path) for path in _INSIDE_BLOCK}
        with hooked(self._block(block), reads, writes) as twin, torch.no_grad():
            twin(self._entering(block), self.model.mask)
        joined = read["joined"][0].cpu()  # (S, dmodel)
        return _block_trace(self, block, joined, {p: x[0].cpu() for p, x in written.items()})

    def _block(self, block: int) -> Block:
        if block not in range(self.config.N):
            raise ValueError(f"There is no block {block}: this model has 0 to {self.config.N - 1}.")
        return self.model.blocks[block]

    def _entering(self, block: int) -> Tensor:
        """The stream that block reads first, (1, S, dmodel), on the model's device."""
        return self.residual[2 * block, None].to(self.model.mask.device)


# Modules of a block whose output is kept when the block is opened.
_INSIDE_BLOCK = (
    *("norm_1", "attn.wq", "attn.wk", "attn.wv", "attn.attn_dropout", "attn"),
    *("norm_2", "ff.w1", "ff.dropout", "ff"),
)


def _block_trace(trace: Trace, block: int, joined: Tensor, out: dict[str, Tensor]) -> BlockTrace:
    attn, S = trace.model.blocks[block].attn, len(trace.ids)
    q, k, v, heads = (
        attn.split_heads(x[None])[0]  # (H, S, dk)
        for x in (out["attn.wq"], out["attn.wk"], out["attn.wv"], joined)
    )
    return BlockTrace(
        block=block,
        norm_1=out["norm_1"],
        q=q,
        k=k,
        v=v,
        pattern=out["attn.attn_dropout"],
        heads=heads,
        head_norms=_head_norms(heads, attn.wo.weight.detach().cpu()),
        attn_out=out["attn"],
        norm_2=out["norm_2"],
        mlp_pre=out["ff.w1"],
        mlp_act=out["ff.dropout"],
        mlp_out=out["ff"],
        mask=trace.model.mask[:S, :S].cpu(),
    )


def _head_norms(heads: Tensor, wo: Tensor) -> Tensor:
    """(H, S, dk) and (dmodel, dmodel) -> (H, S): the size of each head's own part of the write."""
    parts = wo.split(heads.shape[-1], dim=1)  # H of (dmodel, dk): the columns a head owns
    writes = (head @ part.T for head, part in zip(heads, parts, strict=True))  # H of (S, dmodel)
    return torch.stack([write.norm(dim=-1) for write in writes])


def run_trace(model: GPT, ids: Sequence[int] | Tensor) -> Trace:
    """Run the model once over `ids` and bring back what happened inside.

    Safe from any thread: the hooks sit on a twin of the model that nobody else runs.

    Args:
        model: on any device, in any mode; the pass runs without dropout.
        ids: S token ids, 1 to max_seq_len of them.
    Returns:
        A Trace, whose checks hold what was measured on the way:
        row_sum: the largest |sum - 1| over all rows of all attention patterns;
        stream: the largest relative distance of the stream, after any writer, from the embedding
            plus everything seen written so far (added up in fp64).
    Raises:
        ValueError: if ids are none, too many, or not in the vocabulary, or weights are not fp32.
    """
    tokens = torch.tensor(checked_ids(ids, model.config))  # (S,)
    if model.wte.weight.dtype != torch.float32:
        raise ValueError(f"The model's weights are {model.wte.weight.dtype}; a trace needs fp32.")
    room = torch.empty(2 * model.config.N + 1, len(tokens), model.config.dmodel)
    seen = Recording(room, cells_of_interest(tokens))
    with hooked(model, seen.reads(), seen.writes()) as twin, torch.no_grad():
        twin.norm(twin.stream(tokens[None].to(model.mask.device)))
    return Trace(
        ids=tuple(tokens.tolist()),
        config=model.config,
        residual=seen.residual,
        write_norms=seen.write_norms,
        thumbnails=torch.stack(seen.thumbnails),
        head_scores=MappingProxyType(seen.head_scores()),
        checks=MappingProxyType({"row_sum": seen.row_sum, "stream": seen.stream_error}),
        model=model,
    )


def checked_ids(ids: Sequence[int] | Tensor, config: GPTConfig) -> list[int]:
    """`ids` as a list of ints; raises ValueError if the model cannot read them."""
    try:
        tokens = [operator.index(token) for token in ids]
    except TypeError:
        raise ValueError("Token ids must be whole numbers.") from None
    if not tokens:
        raise ValueError("There are no tokens: the model needs at least one to read.")
    if len(tokens) > config.max_seq_len:
        raise ValueError(f"{len(tokens):,} tokens are more than the {config.max_seq_len:,} "
                         "this model can read at once.")  # fmt: skip
    for token in tokens:
        if not 0 <= token < config.vocabsize:
            raise ValueError(f"Token id {token} is outside the vocabulary, "
                             f"0 to {config.vocabsize - 1}.")  # fmt: skip
    return tokens


class Recording:
    """Where the hooks of one pass over S tokens put what they see."""

    def __init__(self, residual: Tensor, cells: Tensor):
        """residual: room for (2N+1, S, dmodel); cells: what the head scores look at."""
        self.N, self.cells = len(residual) // 2, cells
        self.residual = residual
        self.write_norms = torch.empty(residual.shape[:2])
        self.thumbnails: list[Tensor] = []  # N of (H, T, T)
        self.scores: list[dict[str, Tensor]] = []  # N of name -> (H,)
        self.row_sum = self.stream_error = 0.0

    def reads(self) -> dict[str, See]:
        """What reads the stream, and so shows it: the two norms of each block, and the last."""
        norms = [f"blocks.{i}.norm_{j}" for i in range(self.N) for j in (1, 2)]
        return {path: partial(self.stream, row) for row, path in enumerate([*norms, "norm"])}

    def writes(self) -> dict[str, See]:
        """What writes to the stream, and each block's attention pattern."""
        written = {f"blocks.{i}.attn": partial(self.write, 2 * i + 1) for i in range(self.N)}
        written |= {f"blocks.{i}.ff": partial(self.write, 2 * i + 2) for i in range(self.N)}
        return written | {f"blocks.{i}.attn.attn_dropout": self.pattern for i in range(self.N)}

    def stream(self, row: int, x: Tensor) -> None:
        """x: (1, S, dmodel), the stream after writer `row`."""
        self.residual[row] = x[0]
        if row == 0:
            self.write_norms[0] = self.residual[0].norm(dim=-1)
            self.total = self.residual[0].double()
        gap, length = (self.residual[row] - self.total).norm(dim=-1), self.total.norm(dim=-1)
        tiny = torch.finfo(length.dtype).tiny  # 0 of 0 is no error
        self.stream_error = worse(self.stream_error, gap / length.clamp(min=tiny))  # (S,)

    def write(self, row: int, x: Tensor) -> None:
        """x: (1, S, dmodel), what writer `row` is about to add."""
        written = x[0].cpu()
        self.write_norms[row] = written.norm(dim=-1)
        self.total += written

    def pattern(self, x: Tensor) -> None:
        """x: (1, H, S, S), the attention pattern of the next block."""
        pattern = x[0].cpu()
        self.row_sum = worse(self.row_sum, (pattern.sum(dim=-1) - 1).abs())
        self.scores.append(head_scores(pattern, self.cells))
        self.thumbnails.append(thumbnail(pattern).half())

    def head_scores(self) -> dict[str, Tensor]:
        """name -> (N, H)"""
        return {name: torch.stack([scores[name] for scores in self.scores]) for name in SCORES}


def worse(error: float, errors: Tensor) -> float:
    """The largest error of all; NaN, which Python's max would pass over, is worse than any."""
    return errors.max().clamp(min=error).item()


@contextmanager
def hooked(
    module: nn.Module, reads: Mapping[str, See] = {}, writes: Mapping[str, See] = {}
) -> Iterator[nn.Module]:
    """A twin of `module`, in eval mode, that reports while it runs; gone with its hooks after.

    Args:
        reads: module path -> called with that module's first input.
        writes: module path -> called with that module's output; what it returns, unless None,
            takes the output's place.
    """
    reporting = twin(module).eval()
    with ExitStack() as hooks:
        for path, see in reads.items():
            handle = reporting.get_submodule(path).register_forward_pre_hook(_on_input(see))
            hooks.callback(handle.remove)
        for path, see in writes.items():
            handle = reporting.get_submodule(path).register_forward_hook(_on_output(see))
            hooks.callback(handle.remove)
        yield reporting


def _on_input(see: See) -> Callable:
    def hook(_module, args):
        see(args[0])

    return hook


def _on_output(see: See) -> Callable:
    def hook(_module, _args, output):
        return see(output)

    return hook


def twin(module: nn.Module) -> nn.Module:
    """The same weights, shared, in modules of their own.

    PyTorch keeps hooks on the module, where every thread that runs it would set them off. A twin
    has its own tables of hooks (copied: what others hung on the original still fires), so a pass
    can be watched, and switched to eval mode, without anybody else noticing. Costs no memory to
    speak of and about 3 ms for GPT-2 Small.
    """
    other = copy.copy(module)
    tables = {name: table.copy() for name, table in vars(module).items() if isinstance(table, dict)}
    vars(other).update(tables)
    for name, child in module.named_children():
        setattr(other, name, twin(child))
    return other
