"""What a vector in the residual stream means in tokens, and what stands out in the stream.

The head is linear in the final norm's output, and the final norm is linear too once its divisor is
taken as it is. So each single write's share in the logits can be told apart, and all shares add up
to the logits: direct logit attribution (Elhage et al. 2021, "A Mathematical Framework for
Transformer Circuits").
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from model.blockwise import best
from model.bounds import within
from model.gpt import GPT
from model.trace import BlockTrace, Trace

CHUNK = 64  # vectors whose logits are in memory at once: 13 MB for GPT-2


@dataclass(frozen=True, eq=False)
class Pushed:
    """The k tokens that each of n vectors raises most, and the k it lowers most. NumPy arrays."""

    up_ids: np.ndarray  # (n, k) int64, the most raised first
    up: np.ndarray  # (n, k) fp32, changes of the logits
    down_ids: np.ndarray  # (n, k) int64, the most lowered first
    down: np.ndarray  # (n, k) fp32
    aims: np.ndarray  # (n, A) fp32, those of the tokens asked for by name
    mean: np.ndarray  # (n,) fp32, over all tokens to choose from

    def centred(self) -> "Pushed":
        """The same against the mean token: what moves all logits alike changes no probability."""
        mean = self.mean[:, None]
        changes = (self.up - mean, self.down_ids, self.down - mean, self.aims - mean)
        return Pushed(self.up_ids, *changes, np.zeros_like(self.mean))


@torch.no_grad()
def pushed(
    model: GPT,
    vectors: Tensor,
    k: int,
    scale: Tensor | float = 1.0,
    among: Iterable[int] | None = None,
    *,
    aims: Sequence[int] = (),
) -> Pushed:
    """How adding a vector to the final stream moves the logits, the final norm's divisor frozen.

    The vector is centred and multiplied by the norm's gain, as the stream is; the norm's shift
    belongs to no write and is left out.

    Args:
        vectors: (n, dmodel), for instance from `head_write` or `neuron_write`.
        k: tokens each way, 1 to as many as there are.
        scale: the divisor, one for all or (n,); `final_scale` has that of every position. With 1
            the changes are those of a stream whose entries spread by 1 around their mean.
        among: token ids to choose from; the whole vocabulary when None.
        aims: A token ids whose changes are wanted wherever they rank.
    Raises:
        ValueError: if `vectors` are not (n, dmodel), or k or a token id is out of range.
    """
    if vectors.ndim != 2 or vectors.shape[1] != model.config.dmodel:
        raise ValueError(f"The vectors must be (n, {model.config.dmodel}), "
                         f"not {tuple(vectors.shape)}.")  # fmt: skip
    weight, ids = _rows(model.lm_head.weight, among)
    k = within(k, "k", 1, len(weight))
    aims = [within(aim, "token", 0, model.config.vocabsize - 1) for aim in aims]
    vectors = vectors.to(weight)  # (n, dmodel)
    centred = vectors - vectors.mean(dim=-1, keepdim=True)
    scale = torch.as_tensor(scale).to(weight).expand(len(vectors))  # (n,)
    read = centred * model.norm.weight / scale[:, None]  # (n, dmodel)
    parts = [_extremes(part @ weight.T, k) for part in read.split(CHUNK)]
    up, up_at, down, down_at = (torch.cat(part).cpu() for part in zip(*parts, strict=True))
    aimed = (read @ model.lm_head.weight[aims].T).cpu().numpy()
    mean = (read @ weight.mean(dim=0)).cpu().numpy()
    found = ids[up_at].numpy(), up.numpy(), ids[down_at].numpy(), down.numpy()
    return Pushed(*found, aimed, mean)


def _rows(weight: Tensor, among: Iterable[int] | None) -> tuple[Tensor, Tensor]:
    """The rows of a table to choose from, (V, dmodel), and the token ids they stand for, (V,)."""
    if among is None:
        return weight, torch.arange(len(weight))
    ids = sorted({within(token, "token", 0, len(weight) - 1) for token in among})
    return weight[ids], torch.tensor(ids)


def _extremes(logits: Tensor, k: int) -> tuple[Tensor, ...]:
    """(n, V) -> values and places of the k largest and of the k smallest, (n, k) each."""
    down, down_at = best(-logits, k)
    return (*best(logits, k), -down, down_at)


def final_scale(trace: Trace) -> Tensor:
    """(S,): what the final norm divides the stream by at each position, sqrt(variance + eps)."""
    variance = trace.residual[-1].var(dim=-1, unbiased=False)  # (S,)
    return (variance + trace.model.norm.eps).sqrt()


@torch.no_grad()
def head_write(model: GPT, inside: BlockTrace, head: int) -> Tensor:
    """(S, dmodel): what one head of an opened block adds to the stream at each position.

    The bias of `wo` is not in it: all heads share that, and with it they add up to `attn_out`.

    Raises:
        ValueError: if there is no such head.
    """
    head, dk = within(head, "head", 0, model.config.H - 1), model.config.dk
    columns = model.blocks[inside.block].attn.wo.weight[:, head * dk : (head + 1) * dk]
    return inside.heads[head] @ columns.cpu().T  # (S, dk) @ (dk, dmodel)


def neuron_write(model: GPT, block: int, neuron: int) -> Tensor:
    """(dmodel,): what one neuron of a block's MLP adds to the stream for each unit of activation.

    Raises:
        ValueError: if there is no such block or neuron.
    """
    block = within(block, "block", 0, model.config.N - 1)
    neuron = within(neuron, "neuron", 0, model.config.dff - 1)
    return model.blocks[block].ff.w2.weight.detach()[:, neuron].cpu()


@torch.no_grad()
def nearest_tokens(
    model: GPT, token: int, k: int, among: Iterable[int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k other tokens whose rows of wte point most nearly the same way.

    Args:
        among: token ids to choose from; the whole vocabulary when None.
    Returns:
        Their ids (k,) int64, nearest first, and their cosines (k,) fp32.
    Raises:
        ValueError: if there is no such token, or k is not 1 to the number of others.
    """
    token = within(token, "token", 0, model.config.vocabsize - 1)
    weight, ids = _rows(model.wte.weight, among)
    k = within(k, "k", 1, len(ids) - int((ids == token).sum()))
    own = model.wte.weight[token]  # (dmodel,)
    lengths = torch.linalg.vector_norm(weight, dim=-1) * own.norm()  # (V,)
    cosines = (weight @ own) / lengths.clamp(min=torch.finfo(lengths.dtype).tiny)  # (V,)
    cosines[(ids == token).to(cosines.device)] = -torch.inf
    found, places = best(cosines[None], k)
    return ids[places[0].cpu()].numpy(), found[0].cpu().numpy()


@dataclass(frozen=True, eq=False)
class Writes:
    """Each writer's write against the stream it adds to. NaN where there is none to compare with:
    in row 0, since the embedding finds no stream, and beside a vector of length 0.
    """

    cosine: np.ndarray  # (2N+1, S) fp32, -1 against the stream to 1 along with it
    ratio: np.ndarray  # (2N+1, S) fp32, length of the write / length of the stream before


def writes(trace: Trace) -> Writes:
    """How large each write is beside the stream it is added to, and how far it points its way.

    Lengths of writes are those seen in the pass. Their directions are differences of neighbouring
    rows of the stream, which costs no second pass. A difference is off by the last bit of the
    stream's own entries, so the cosine is off by up to 6e-8 times the stream's length over the
    write's: far below 1e-4, also beside the enormous entries of the first token.
    """
    cosine, ratio = torch.full((2, *trace.write_norms.shape), torch.nan)  # (2N+1, S) each
    for row, norms in enumerate(trace.write_norms[1:], 1):  # (S,)
        before = trace.residual[row - 1]  # (S, dmodel)
        along = torch.einsum("sd,sd->s", trace.residual[row] - before, before)
        length = before.norm(dim=-1)  # (S,)
        length[length == 0] = torch.nan
        cosine[row], ratio[row] = along / (norms * length), norms / length
    return Writes(cosine.numpy(), ratio.numpy())


@dataclass(frozen=True, eq=False)
class Entries:
    """Single numbers of the stream, the largest first. NumPy arrays."""

    values: np.ndarray  # (k,) fp32
    rows: np.ndarray  # (k,) int64: the stream after writers[row]
    positions: np.ndarray  # (k,) int64
    dimensions: np.ndarray  # (k,) int64
    shares: np.ndarray  # (k,) fp32, of the squared length of the stream there, 0 to 1


def largest_entries(trace: Trace, k: int, row: int | None = None) -> Entries:
    """The stream's most enormous entries, by absolute value.

    An entry once written stays, so a position and a dimension count once, in the row where they
    are largest.

    Args:
        row: of the stream, by index; all 2N + 1 when None.
    Raises:
        ValueError: if k is not 1 to S * dmodel, or there is no such row.
    """
    last = len(trace.residual) - 1
    rows = slice(None) if row is None else slice(within(row, "row", 0, last), row + 1)
    stream = trace.residual[rows]  # (R, S, dmodel)
    k = within(k, "k", 1, stream[0].numel())
    peaks = torch.maximum(stream.amax(dim=0), -stream.amin(dim=0))  # (S, dmodel)
    places = peaks.flatten().topk(k).indices
    positions, dimensions = places // trace.config.dmodel, places % trace.config.dmodel  # (k,)
    at = stream[:, positions, dimensions].abs().argmax(dim=0)  # (k,)
    values = stream[at, positions, dimensions]
    lengths = stream[at, positions].norm(dim=-1)
    shares = (values / lengths.clamp(min=torch.finfo(lengths.dtype).tiny)).square()  # 0 of 0 is 0
    at = at + (rows.start or 0)
    return Entries(*(found.numpy() for found in (values, at, positions, dimensions, shares)))


@dataclass(frozen=True, eq=False)
class Courses:
    """How T tokens fare at one position, from row to row of the stream. NumPy arrays."""

    position: int
    rows: tuple[int, ...]  # R indexes of writers
    tokens: tuple[int, ...]  # T
    probs: np.ndarray = field(repr=False)  # (T, R) fp32
    ranks: np.ndarray = field(repr=False)  # (T, R) int64: tokens ahead, 0 is the best guess


@torch.no_grad()
def token_courses(
    model: GPT,
    trace: Trace,
    position: int,
    tokens: Sequence[int] | None = None,
    rows: Sequence[int] | None = None,
) -> Courses:
    """Probability and rank of a few tokens in the logit lens, through the depth of the model.

    Args:
        tokens: their ids; when None, those that are the best guess in any of the rows, in the
            order in which they first lead.
        rows: of the stream, by index; all 2N + 1 when None.
    Raises:
        ValueError: if one of them is out of range.
    """
    position = within(position, "position", 0, len(trace.ids) - 1)
    rows = range(len(trace.residual)) if rows is None else rows
    rows = tuple(within(row, "row", 0, len(trace.residual) - 1) for row in rows)
    stream = trace.residual[:, position].to(model.lm_head.weight.device)  # (2N + 1, dmodel)
    # All rows are read, whichever are asked for: in a product of another size each rounds
    # differently, and a token's course is to be the same to the bit.
    logits = model.lm_head(model.norm(stream)).cpu()[list(rows)]  # (R, vocabsize)
    tokens = logits.argmax(dim=-1).tolist() if tokens is None else tokens
    last = model.config.vocabsize - 1
    tokens = tuple(dict.fromkeys(within(token, "token", 0, last) for token in tokens))
    aims = logits[:, list(tokens)].T  # (T, R)
    probs = (aims - logits.logsumexp(dim=-1)).exp()
    ranks = torch.stack([(logits > aim[:, None]).sum(dim=-1) for aim in aims])  # (T, R)
    return Courses(position, rows, tokens, probs.numpy(), ranks.numpy())


@torch.no_grad()
def read_norms(trace: Trace) -> np.ndarray:
    """(2N+1, S) L2 norm of each row of the stream as the next module reads it: after LayerNorm.

    Row r is read through `norm_1` or `norm_2` of a block, the last through the final norm.
    """
    model, device = trace.model, trace.model.mask.device
    norms = [norm for block in model.blocks for norm in (block.norm_1, block.norm_2)]
    read = zip([*norms, model.norm], trace.residual, strict=True)
    return torch.stack([norm(x.to(device)).norm(dim=-1).cpu() for norm, x in read]).numpy()
