"""A trace of one token more, at the cost of one token.

Nothing earlier changes, since no token reads the future: the stream of the earlier tokens is all
that the new one needs. The network's own code runs on it alone, but for its attentions, which read
that stream. Traces grown from one another share the memory of their streams, and each looks at no
more of it than its own length.
"""

import math
from threading import Lock
from types import MappingProxyType
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.gpt import GPT, Block
from model.heads import SCORES, cells_of_interest, strongest, tile_side
from model.trace import Recording, Trace, checked_ids, hooked, twin, worse


def extended(trace: Trace, token: int) -> Trace:
    """The trace of `[*trace.ids, token]`: run_trace's, within the rounding of fp32.

    The first extension of a trace that comes from run_trace copies its stream, and so does every
    further continuation of one trace. Safe from any thread.

    Raises:
        ValueError: if the context is full, or the vocabulary has no such token.
    """
    ids, S = checked_ids([*trace.ids, token], trace.config), len(trace.ids)
    room = _room_for_one_more(trace)
    seen = Recording(room.residual[:, S : S + 1], cells_of_interest(torch.tensor(ids), start=S))
    reader = _reader(trace)
    position = {"wpe": lambda _: trace.model.wpe.weight[S : S + 1]}  # it stands at S, not at 0
    with hooked(reader, seen.reads(), seen.writes() | position) as watched, torch.no_grad():
        watched.norm(watched.stream(torch.tensor([[token]], device=trace.model.mask.device)))
    longer = Trace(
        ids=tuple(ids),
        config=trace.config,
        residual=room.residual[:, : S + 1],
        write_norms=torch.cat([trace.write_norms, seen.write_norms], dim=1),
        thumbnails=_one_row_more(trace.thumbnails, torch.stack(seen.thumbnails), S),
        head_scores=MappingProxyType(_mean_with(trace.head_scores, seen, S)),
        checks=MappingProxyType(
            {
                "row_sum": worse(trace.checks["row_sum"], torch.tensor(seen.row_sum)),
                "stream": worse(trace.checks["stream"], torch.tensor(seen.stream_error)),
            }
        ),
        model=trace.model,
    )
    _rooms[longer] = room
    return longer


class _Room:
    """The stream of up to max_seq_len tokens, of which `taken` belong to a trace.

    Memory that no token has used yet is only reserved.
    """

    def __init__(self, trace: Trace):
        rows, S, dmodel = trace.residual.shape
        self.residual = torch.empty(rows, trace.config.max_seq_len, dmodel)
        self.residual[:, :S] = trace.residual
        self.taken = S + 1


_rooms: WeakKeyDictionary[Trace, _Room] = WeakKeyDictionary()
_doorkeeper = Lock()


def _room_for_one_more(trace: Trace) -> _Room:
    """A room that holds all of `trace`, with the place after it taken for the caller."""
    S = len(trace.ids)
    with _doorkeeper:
        room = _rooms.get(trace)
        if room and room.taken == S:
            room.taken = S + 1
            return room
    # Either the trace has no room yet, or another continuation has the place after it.
    fresh = _Room(trace)
    with _doorkeeper:
        _rooms.setdefault(trace, fresh)
    return fresh


def _reader(trace: Trace) -> GPT:
    """A twin of the trace's model that reads one token as the next of the trace."""
    reader = twin(trace.model)
    for i, block in enumerate(reader.blocks):
        block.attn = _Newest(trace.model.blocks[i], trace.residual[2 * i])
    return reader


class _Newest(nn.Module):
    """The attention of the newest token, which reads the stream where others keep keys and values.

    A head scores a token by q . (Wk x + b) = (q Wk) . x + q . b. So the query, taken back through
    Wk, can be held against the normed stream x itself; q . b is the same for every token and drops
    out of the softmax. As attention sums to 1, the values come after it: sum p (Wv x + b) =
    Wv (sum p x) + b. For one query that is S * dmodel * H products where keys and values take
    S * dmodel * dmodel, and nothing besides the stream has to be remembered (the QK and OV circuits
    of Elhage et al. 2021, read from right to left).
    """

    def __init__(self, block: Block, past: Tensor):
        """past: (S, dmodel), the stream that entered the block at the earlier tokens."""
        super().__init__()
        self.norm, self.attn, self.attn_dropout = block.norm_1, block.attn, block.attn.attn_dropout
        self.past = past

    def forward(self, x: Tensor, _mask: Tensor) -> Tensor:
        """x: (1, 1, dmodel), normed -> (1, 1, dmodel)"""
        attn, (H, dk) = self.attn, (self.attn.H, self.attn.dk)
        stream = torch.cat([self.norm(self.past.to(x.device)), x[0]])  # (S+1, dmodel)
        q = attn.split_heads(attn.wq(x))  # (1, H, 1, dk)
        sought = q @ attn.wk.weight.view(H, dk, -1)  # (1, H, 1, dmodel)
        pattern = (sought @ stream.T / math.sqrt(dk)).softmax(dim=-1)  # (1, H, 1, S+1)
        found = self.attn_dropout(pattern) @ stream  # (1, H, 1, dmodel)
        heads = found @ attn.wv.weight.view(H, dk, -1).transpose(1, 2)  # (1, H, 1, dk)
        joined = heads.reshape(1, 1, -1) + attn.wv.bias  # (1, 1, dmodel)
        return attn.resid_dropout(attn.wo(joined))


def _mean_with(scores, seen: Recording, S: int) -> dict[str, Tensor]:
    """Head scores are means over rows: the (N, H) so far, and the new row with its own weight."""
    weights = [*seen.cells.amax(dim=(1, 2)), torch.tensor(1 / (S + 1))]  # 6
    new = seen.head_scores()
    new["entropy"] = new["entropy"] / (S + 1)  # the others are weighted by `cells` already
    return {
        # NaN so far: no row had anything to look at.
        name: scores[name].nan_to_num() * (1 - weight) + new[name]
        for name, weight in zip(SCORES, weights, strict=True)
    }


def _one_row_more(thumbnails: Tensor, row: Tensor, S: int) -> Tensor:
    """(N, H, T, T) of S tokens and (N, H, 1, U), the new row -> (N, H, U, U) of S + 1."""
    joined = tile_side(S + 1) // tile_side(S)
    kept = strongest(thumbnails, joined) if joined > 1 else thumbnails
    more = row.shape[-1] - kept.shape[-1]  # 1 where the new token begins a tile
    grown = F.pad(kept, (0, more, 0, more))  # (N, H, U, U)
    grown[:, :, -1:] = torch.maximum(grown[:, :, -1:], row)
    return grown
