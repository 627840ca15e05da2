"""A trace of one token more, at the cost of one token.

What a new token needs of the earlier ones is their keys and values; nothing earlier changes, since
no token reads the future. The network's own code runs on the new token alone, and hooks hand its
attentions the keys and values of all. They take as much memory as the stream, so they are made
when a trace is first extended, and handed on with the stream to the traces grown from it: these
share one room, and each looks at no more of it than its own length.
"""

from collections.abc import Callable
from functools import partial
from threading import Lock
from types import MappingProxyType
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from torch import Tensor

from model.gpt import GPT
from model.heads import SCORES, cells_of_interest, strongest, tile_side
from model.trace import Recording, Trace, checked_ids, hooked


class _Room:
    """Stream, keys and values of up to max_seq_len tokens, of which `taken` are given away.

    Memory that no token has used yet is only reserved.
    """

    def __init__(self, model: GPT):
        rows, S, dmodel = 2 * model.config.N + 1, model.config.max_seq_len, model.config.dmodel
        self.residual = torch.empty(rows, S, dmodel)
        self.keys = model.mask.new_empty(model.config.N, S, dmodel, dtype=self.residual.dtype)
        self.values = torch.empty_like(self.keys)  # (N, S, dmodel)
        self.taken = 0


_rooms: WeakKeyDictionary[Trace, _Room] = WeakKeyDictionary()
_doorkeeper = Lock()


def extended(trace: Trace, token: int) -> Trace:
    """The trace of `[*trace.ids, token]`: run_trace's, within the rounding of fp32.

    The first extension of a trace that comes from run_trace costs the keys and values of its
    tokens besides; the second continuation of one trace copies them. Safe from any thread.

    Raises:
        ValueError: if the context is full, or the vocabulary has no such token.
    """
    ids, S = checked_ids([*trace.ids, token], trace.config), len(trace.ids)
    room = _room_for_one_more(trace)
    seen = Recording(room.residual[:, S : S + 1], cells_of_interest(torch.tensor(ids), start=S))
    writes = seen.writes() | _memory(trace.model, room, S)
    with hooked(trace.model, seen.reads(), writes) as twin, torch.no_grad():
        twin.norm(twin.stream(torch.tensor([[token]], device=trace.model.mask.device)))
    longer = Trace(
        ids=tuple(ids),
        config=trace.config,
        residual=room.residual[:, : S + 1],
        write_norms=torch.cat([trace.write_norms, seen.write_norms], dim=1),
        thumbnails=_one_row_more(trace.thumbnails, torch.stack(seen.thumbnails), S),
        head_scores=MappingProxyType(_mean_with(trace.head_scores, seen, S)),
        checks=MappingProxyType(
            {
                "row_sum": max(trace.checks["row_sum"], seen.row_sum),
                "stream": max(trace.checks["stream"], seen.stream_error),
            }
        ),
        model=trace.model,
    )
    _rooms[longer] = room
    return longer


def _room_for_one_more(trace: Trace) -> _Room:
    """A room that holds all of `trace`, with the place after it taken for the caller."""
    S = len(trace.ids)
    with _doorkeeper:
        room = _rooms.get(trace)
        if room and room.taken == S:
            room.taken = S + 1
            return room
    # Either nothing is kept of this trace yet, or another continuation has the place after it.
    fresh = _filled(trace) if room is None else _copied(room, trace)
    fresh.taken = S + 1
    with _doorkeeper:
        _rooms.setdefault(trace, fresh)
    return fresh


@torch.no_grad()
def _filled(trace: Trace) -> _Room:
    """The stream of a trace, and the keys and values made from it again."""
    room, S = _Room(trace.model), len(trace.ids)
    room.residual[:, :S] = trace.residual
    for i, block in enumerate(trace.model.blocks):
        x = block.norm_1(trace.residual[2 * i].to(room.keys.device))  # (S, dmodel)
        room.keys[i, :S], room.values[i, :S] = block.attn.wk(x), block.attn.wv(x)
    return room


def _copied(room: _Room, trace: Trace) -> _Room:
    fresh, S = _Room(trace.model), len(trace.ids)
    for name in ("residual", "keys", "values"):
        getattr(fresh, name)[:, :S] = getattr(room, name)[:, :S]
    return fresh


def _memory(model: GPT, room: _Room, S: int) -> dict[str, Callable[[Tensor], Tensor]]:
    """Hooks that let a pass over one token continue a prompt of S."""

    def remember(kept: Tensor, new: Tensor) -> Tensor:
        """kept: (max_seq_len, dmodel), new: (1, 1, dmodel) -> (1, S+1, dmodel)"""
        kept[S] = new[0, 0]
        return kept[None, : S + 1]

    hooks = {"wpe": lambda _: model.wpe.weight[S : S + 1]}  # it stands at S, not at 0
    for i in range(model.config.N):
        hooks[f"blocks.{i}.attn.wk"] = partial(remember, room.keys[i])
        hooks[f"blocks.{i}.attn.wv"] = partial(remember, room.values[i])
    return hooks


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
