"""The last step of training: the row that stands for all untrained tokens is made quiet.

Training drives that row down wherever it can, but on rare prompts the stream still points its way,
and there some 45,000 tokens nobody has trained get the guess. So the row alone, one vector of the
table, is fitted once more: wherever its tokens together got more than they should.
"""

import math
from random import Random

import torch
from torch import Tensor

from model.gpt import GPT
from model.mini.corpus import Vocabulary, batches, draw_item
from model.mini.skills import FAMILIES
from model.tokenizer import Tokenizer

MOST = 1e-6  # of the probability, for all untrained tokens together; leaves room for new prompts
STAY = 1e-3  # weight of the distance from the trained row
STEPS = 300
RATE = 0.1  # at the start; falls to 0


def example_rows(tokenizer: Tokenizer, words: Vocabulary) -> list[Tensor]:
    """Compact ids the row is fitted on: rows of the corpus, and prompts alone, as visitors type."""
    rng, size = Random("quiet"), 32
    prompts = [draw_item(rng, family)[0] for family in FAMILIES for _ in range(400)]
    ids = [tokenizer.encode(prompt, bos=rng.random() < 0.25)[:size] for prompt in prompts]
    padded = [[*some, *[tokenizer.end_of_text] * (size - len(some))] for some in ids]
    corpus = next(batches("quiet", tokenizer, words, 300, 256))
    return [corpus, words.lookup[torch.tensor(padded)]]


@torch.no_grad()
def readings(model: GPT, rows: Tensor, words: Vocabulary) -> tuple[Tensor, Tensor]:
    """What decides the shared row's share, at each position of (R, S) compact ids.

    Returns:
        (R * S, dmodel) normed streams, and (R * S,) log-sum-exps of the trained tokens' logits.
    """
    table = model.wte.weight[: words.shared]  # (trained, dmodel)
    streams = [model.norm(model.stream(some)).flatten(0, 1) for some in rows.split(8)]
    return torch.cat(streams), torch.cat([(x @ table.T).logsumexp(dim=-1) for x in streams])


def log_odds(row: Tensor, streams: Tensor, lse: Tensor, words: Vocabulary) -> Tensor:
    """(n,) logarithm of all untrained tokens' probability over all trained ones'."""
    return streams @ row + math.log(words.untrained) - lse


def settle_shared_row(model: GPT, examples: list[Tensor], words: Vocabulary) -> None:
    """Fit the shared row of a compact `model`, in place, on batches of (R, S) compact ids."""
    device = model.wte.weight.device
    read = [readings(model, rows.to(device), words) for rows in examples]
    streams, lse = (torch.cat(parts) for parts in zip(*read, strict=True))
    trained = model.wte.weight[words.shared].detach().clone()
    row = trained.clone().requires_grad_()
    optimizer = torch.optim.Adam([row], lr=RATE)
    for step in range(STEPS):
        optimizer.param_groups[0]["lr"] = RATE * (1 - step / STEPS)
        excess = (log_odds(row, streams, lse, words) - math.log(MOST)).relu()
        loss = excess.square().mean() + STAY * (row - trained).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        model.wte.weight[words.shared] = row
