"""What one attention pattern says about its heads, in a few numbers and a small picture.

Pure functions of a pattern (H, S, S): row i holds what token i gives to each token up to itself.
They are what is kept of the patterns of a long prompt, which are too large to keep.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

SCORES = ("previous", "first", "current", "duplicate", "induction", "entropy")
THUMBNAIL = 32  # cells a side, at most
ROWS = 128  # rows at once where the half above the diagonal is to be left out


def head_scores(pattern: Tensor, cells: Tensor) -> dict[str, Tensor]:
    """How strongly each head does what heads are known to do, on this prompt.

    Args:
        pattern: (H, S, S), rows summing to 1.
        cells: (5, S, S), `cells_of_interest` of the prompt.
    Returns:
        One (H,) tensor a name of `SCORES`. All but the entropy are mean attention, 0 to 1, over
        the rows where the question makes sense; NaN where there is no such row.
        previous: to the token just before (Elhage et al. 2021);
        first: to the first token, from any later one (the attention sink, Xiao et al. 2023);
        current: to the token itself;
        duplicate: to earlier copies of the token (Wang et al. 2022);
        induction: to whatever followed those earlier copies (Olsson et al. 2022, prefix matching);
        entropy: of a row, in nats; 0 when all attention goes to one token.
    """
    rows = cells.any(dim=-1).sum(dim=-1)  # (5,)
    # Row by row, as a matrix product: ten times faster than masking the pattern five times.
    given = torch.einsum("hij,nij->inh", pattern, cells)  # (S, 5, H)
    means = given.sum(dim=0) / rows[:, None]  # (5, H), 0 / 0 = NaN
    return dict(zip(SCORES, [*means, row_entropy(pattern).mean(dim=-1)], strict=True))


def cells_of_interest(ids: Tensor) -> Tensor:
    """(S,) tokens -> (5, S, S), 1 in the cells that each score but the entropy looks at, else 0."""
    S = len(ids)
    below = torch.ones(S, S, dtype=torch.bool).tril(-1)
    copy = (ids[:, None] == ids[None, :]) & below  # (S, S): column holds the row's token, earlier
    cells = {
        "previous": below.triu(-1),
        "first": below & (torch.arange(S) == 0),
        "current": torch.eye(S, dtype=torch.bool),
        "duplicate": copy,
        # What followed the copy at j stands at j + 1, at the latest the row's own token.
        "induction": F.pad(copy[:, :-1], (1, 0)),
    }
    return torch.stack([cells[name] for name in SCORES if name in cells]).float()


def row_entropy(pattern: Tensor) -> Tensor:
    """(H, S, S) -> (H, S), nats: - sum p log p, where 0 log 0 counts as 0."""
    entropy = torch.empty(pattern.shape[:2])
    for start in range(0, pattern.shape[1], ROWS):
        rows = pattern[:, start : start + ROWS, : start + ROWS]  # nothing lies right of these
        tiny = torch.finfo(rows.dtype).tiny
        entropy[:, start : start + ROWS] = -(rows.clamp(min=tiny).log_().mul_(rows)).sum(dim=-1)
    return entropy


def thumbnail(pattern: Tensor, side: int = THUMBNAIL) -> Tensor:
    """(H, S, S) -> (H, T, T), T = min(S, side): the strongest cell of each of T x T tiles.

    Tiles share no cell and differ by at most one in height and width.
    """
    T = min(pattern.shape[-1], side)
    bands = [band.amax(dim=-2) for band in pattern.tensor_split(T, dim=-2)]  # T of (H, S)
    rows = torch.stack(bands, dim=-2)  # (H, T, S)
    tiles = [tile.amax(dim=-1) for tile in rows.tensor_split(T, dim=-1)]  # T of (H, T)
    return torch.stack(tiles, dim=-1)  # (H, T, T)
