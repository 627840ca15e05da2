"""What one attention pattern says about its heads, in a few numbers and a small picture.

Both are pure functions of a pattern (H, S, S): row i holds what token i gives to each token up to
itself. They are what is kept of the patterns of a long prompt, which are too large to keep.
"""

import torch
from torch import Tensor

SCORES = ("previous", "first", "current", "duplicate", "induction", "entropy")
THUMBNAIL = 32  # cells a side, at most


def head_scores(pattern: Tensor, ids: Tensor) -> dict[str, Tensor]:
    """How strongly each head does what heads are known to do, on this prompt.

    Args:
        pattern: (H, S, S), rows summing to 1.
        ids: (S,) the tokens.
    Returns:
        One (H,) tensor a name of `SCORES`. All but the entropy are mean attention, 0 to 1, over
        the rows where the question makes sense; NaN where there is no such row.
        previous: to the token just before (Elhage et al. 2021);
        first: to the first token, from any later one (the attention sink);
        current: to the token itself;
        duplicate: to earlier copies of the token (Wang et al. 2022);
        induction: to whatever followed those earlier copies (Olsson et al. 2022, prefix matching);
        entropy: of a row, in nats, 0 when all attention goes to one token.
    """
    scores = {name: _attention_to(pattern, cells) for name, cells in cells_of_interest(ids).items()}
    return scores | {"entropy": row_entropy(pattern).mean(dim=-1)}


def cells_of_interest(ids: Tensor) -> dict[str, Tensor]:
    """The cells each score looks at: one (S, S) boolean tensor a score but the entropy."""
    S = len(ids)
    diagonal = torch.eye(S, dtype=torch.bool)
    earlier_copy = (ids[:, None] == ids[None, :]).tril(-1)  # (S, S)
    first = torch.zeros(S, S, dtype=torch.bool)
    first[1:, 0] = True
    return {
        "previous": torch.ones(S, S, dtype=torch.bool).tril(-1).triu(-1),
        "first": first,
        "current": diagonal,
        "duplicate": earlier_copy,
        # The token after copy j stands at j + 1, which is never beyond the row's own place.
        "induction": torch.nn.functional.pad(earlier_copy[:, :-1], (1, 0)),
    }


def _attention_to(pattern: Tensor, cells: Tensor) -> Tensor:
    """Mean over the rows that have a chosen cell of the attention those cells get: (H,)"""
    rows = cells.any(dim=-1).sum()
    return (pattern * cells).sum(dim=(-2, -1)) / rows  # (H,), 0 / 0 = NaN without such a row


def row_entropy(pattern: Tensor) -> Tensor:
    """(H, S, S) -> (H, S), nats: - sum p log p, where 0 log 0 counts as 0."""
    return torch.special.entr(pattern).sum(dim=-1)


def thumbnail(pattern: Tensor, side: int = THUMBNAIL) -> Tensor:
    """(H, S, S) -> (H, T, T), T = min(S, side): the strongest cell of each of T x T tiles.

    Tiles share no cell and differ by at most one in height and width.
    """
    T = min(pattern.shape[-1], side)
    bands = [band.amax(dim=-2) for band in pattern.tensor_split(T, dim=-2)]  # T of (H, S)
    rows = torch.stack(bands, dim=-2)  # (H, T, S)
    tiles = [tile.amax(dim=-1) for tile in rows.tensor_split(T, dim=-1)]  # T of (H, T)
    return torch.stack(tiles, dim=-1)  # (H, T, T)
