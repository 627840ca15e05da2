"""The last step of training: the row that stands for all untrained tokens is made quiet.

Training drives that row down wherever it can, but on rare prompts the stream still points its way,
and there some 43,000 tokens nobody has trained get the guess. So the row alone, one vector of the
table, is fitted once more: wherever its tokens together got more than they should. Since the same
row is what the model reads in place of a word it has never seen, that reading is fitted with it;
and since the lens reads the stream between blocks with the same table, so is that.
"""

import math
from collections.abc import Callable, Iterable
from random import Random

import torch
from torch import Tensor
from torch.func import functional_call

from model.gpt import GPT
from model.mini.corpus import Vocabulary, batches, draw_item
from model.mini.skills import FAMILIES
from model.tokenizer import Tokenizer
from model.trace import hooked

MOST = 1e-6  # of the probability, for all untrained tokens together; leaves room for new prompts
FAR = (3000, 0.5)  # steps and first rate while the row is only written: it has far to go
NEAR = (300, 0.1)  # of those after, when it is read as well, which costs a pass each
UNSEEN = 0.1  # share of words in some rows that the model has never seen
ROWS, SIZE = 16, 32  # of those rows, in one step
WORST = 10.0  # weight of the worst few: no prompt is to be the exception
SOME, FEWER = 3, 32  # times fewer rows are read at the top, and below it


def example_rows(tokenizer: Tokenizer, words: Vocabulary) -> list[Tensor]:
    """Compact ids the row is fitted on: rows of the corpus, and prompts alone, as visitors type."""
    rng, size = Random("quiet"), 32
    prompts = [draw_item(rng, family)[0] for family in FAMILIES for _ in range(400)]
    ids = [tokenizer.encode(prompt, bos=rng.random() < 0.25)[:size] for prompt in prompts]
    padded = [[*some, *[tokenizer.end_of_text] * (size - len(some))] for some in ids]
    corpus = next(batches("quiet", tokenizer, words, 300, 256)).ids
    return [corpus, words.lookup[torch.tensor(padded)]]


@torch.no_grad()
def readings(
    model: GPT, rows: Tensor, words: Vocabulary, below: bool = False
) -> tuple[Tensor, Tensor]:
    """What decides the shared row's share, at each position of (R, S) compact ids.

    Args:
        below: read the stream between blocks, as the lens does, not at the top.
    Returns:
        (n, dmodel) normed streams, and (n,) log-sum-exps of the trained tokens' logits, for the n
        places that hold text; below, once between any two blocks.
    """
    table = model.wte.weight[: words.shared]  # (trained, dmodel)
    entering: list[Tensor] = []
    keep = {f"blocks.{block}": entering.append for block in range(1, model.config.N)}
    with hooked(model, reads=keep) as reporting:
        top = [reporting.stream(some) for some in rows.split(8)]
    batched = entering if below else top
    places = [is_text(some, words) for some in rows.split(8)]
    times = len(batched) // len(places)  # blocks, for each batch of rows
    chosen = [place for place in places for _ in range(times)]
    pairs = zip(batched, chosen, strict=True)
    streams = [model.norm(x).flatten(0, 1)[place] for x, place in pairs]
    return torch.cat(streams), torch.cat([(x @ table.T).logsumexp(dim=-1) for x in streams])


def is_text(rows: Tensor, words: Vocabulary) -> Tensor:
    """(R * S,): which places of (R, S) compact ids are more than padding, <|endoftext|> again."""
    ends = rows == words.shared - 1  # GPT-2's last id, and so the last of the trained ones
    again = ends[:, 1:] & ends[:, :-1]
    return ~torch.nn.functional.pad(again, (1, 0)).flatten()


def log_odds(row: Tensor, streams: Tensor, lse: Tensor, words: Vocabulary) -> Tensor:
    """(n,) logarithm of all untrained tokens' probability over all trained ones'."""
    return streams @ row + math.log(words.untrained) - lse


def odds_with_unseen(model: GPT, row: Tensor, ids: Tensor, words: Vocabulary) -> Tensor:
    """(R * S,) log odds as above on (R, S) compact ids, with `row` read as well as written."""
    table = torch.cat([model.wte.weight[: words.shared].detach(), row[None]])
    logits = functional_call(model, {"wte.weight": table}, (ids,)).flatten(0, 1)
    return logits[:, -1] + math.log(words.untrained) - logits[:, :-1].logsumexp(dim=-1)


def unseen_rows(
    examples: list[Tensor], words: Vocabulary, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """(ROWS, SIZE) compact ids from the examples, some of them replaced by the shared row; and
    (ROWS * SIZE,) which places are text.
    """
    rows = examples[torch.randint(len(examples), (1,), generator=generator).item()]
    size = min(SIZE, rows.shape[1])
    picked = rows[torch.randint(len(rows), (ROWS,), generator=generator), :size]
    hidden = torch.rand(picked.shape, generator=generator) < UNSEEN
    return picked.masked_fill(hidden, words.shared), is_text(picked, words)


def excess(odds: Tensor) -> Tensor:
    """How far log odds are above MOST: the mean square, and that of the worst few."""
    squares = (odds - math.log(MOST)).relu().square()
    return squares.mean() + WORST * squares.topk(max(1, len(squares) // 10_000)).values.mean()


def _joined(read: Iterable[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    streams, lse = (torch.cat(parts) for parts in zip(*read, strict=True))
    return streams, lse


def settle_shared_row(model: GPT, examples: list[Tensor], words: Vocabulary) -> None:
    """Fit the shared row of a compact `model`, in place, on batches of (R, S) compact ids."""
    device, generator = model.wte.weight.device, torch.Generator().manual_seed(0)
    some, few = ([rows[::n].to(device) for rows in examples] for n in (SOME, FEWER))
    top = _joined(readings(model, rows, words) for rows in some)
    deep = _joined(readings(model, rows, words, below=True) for rows in few)
    trained = model.wte.weight[words.shared].detach().clone()

    def written(row: Tensor) -> Tensor:
        return sum(excess(log_odds(row, *read, words)) for read in (top, deep))

    def written_and_read(row: Tensor) -> Tensor:
        rows, text = (part.to(device) for part in unseen_rows(examples, words, generator))
        return written(row) + excess(odds_with_unseen(model, row, rows, words)[text])

    row = _fitted(trained, written, *FAR)
    row = _fitted(row, written_and_read, *NEAR)
    with torch.no_grad():
        model.wte.weight[words.shared] = row


def _fitted(start: Tensor, loss: Callable[[Tensor], Tensor], steps: int, rate: float) -> Tensor:
    """Where `loss` is least, as far as so many steps come whose rate falls to 0."""
    row = start.clone().requires_grad_()
    optimizer = torch.optim.Adam([row], lr=rate)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        optimizer.zero_grad()
        loss(row).backward()
        optimizer.step()
    return row.detach()
