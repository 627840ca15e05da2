"""How good the built-in model is on held-out items: `python -m model.mini.evaluate`.

With `--tell 20` it tells that many stories instead, as they come.

The prompts are new to the model. Families that ask for facts share the fact itself with training,
where it was asked for in other words; a short sequence may be the start of a longer trained one.
"""

import argparse
import json
import re
from itertools import islice, pairwise, repeat, takewhile
from pathlib import Path
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor

from model.circuits import repetition_scores
from model.gpt import GPT
from model.mini.asset import FOLDER, about_asset, load_asset, save_scores, trained_ids
from model.mini.corpus import (
    Vocabulary,
    barred_in,
    draw_story,
    held_out_items,
    usual_in_stories,
)
from model.mini.skills import FAMILIES, Item
from model.sampling import generate
from model.tokenizer import Tokenizer
from model.trace import hooked, run_trace

OPENING = "Once upon a time"


@torch.no_grad()
def last_states(model: GPT, prompts: list[list[int]]) -> Tensor:
    """(N + 1, len(prompts), dmodel): the stream at each prompt's last token, as it enters each
    block and as it leaves the last.
    """
    padded = torch.nn.utils.rnn.pad_sequence([torch.tensor(p) for p in prompts], batch_first=True)
    last = torch.tensor([len(p) - 1 for p in prompts])  # what follows is never looked at
    states: list[Tensor] = []
    keep = {f"blocks.{block}": states.append for block in range(model.config.N)}
    with hooked(model, reads=keep) as reporting:
        top = reporting.stream(padded)
    return torch.stack([*states, top])[:, torch.arange(len(prompts)), last]


def blocks_needed(right: Tensor) -> float | None:
    """After how many blocks the lens has the answer and keeps it: 0 to N, on average.

    Args:
        right: (N + 1, items), whether the lens' best guess is right before and after each block.
    Returns:
        The mean over the items that are right at the top; None if none is.
    """
    kept = right.long().flip(0).cumprod(dim=0).sum(dim=0)  # (items,) states, from the top down
    answered = kept[kept > 0]
    return (len(right) - answered.float()).mean().item() if len(answered) else None


@torch.no_grad()
def score_family(
    model: GPT, tokenizer: Tokenizer, items: list[Item], untrained: Tensor
) -> dict[str, float | None]:
    """Accuracy of the best next token, the answer's mean probability, how many blocks the answer
    needs, the untrained tokens' most. An answer of several tokens counts by its first.
    """
    states = last_states(model, [tokenizer.encode(item.prompt) for item in items])
    answers = torch.tensor([tokenizer.encode(item.answer)[0] for item in items])
    logits = [model.lm_head(model.norm(state)) for state in states]  # N + 1 of (items, vocabsize)
    right = torch.stack([each.argmax(dim=-1) == answers for each in logits])
    probs = logits[-1].softmax(dim=-1)
    return {
        "items": len(items),
        "accuracy": right[-1].float().mean().item(),
        "probability": probs.gather(1, answers[:, None]).mean().item(),
        "blocks": blocks_needed(right),
        "untrained": probs[:, untrained].sum(dim=-1).max().item(),
    }


@torch.no_grad()
def story_loss(model: GPT, tokenizer: Tokenizer, stories: int) -> float:
    """Mean loss per token of held-out stories, in nats."""
    rng, losses = Random("evaluation"), []
    for _ in range(stories):
        text = draw_story(rng, held_out=True)
        ids = torch.tensor(tokenizer.encode(text, bos=True))[: model.config.max_seq_len]
        losses.append(F.cross_entropy(model(ids[None])[0, :-1], ids[1:], reduction="none"))
    return torch.cat(losses).mean().item()


def best_heads(model: GPT, known: list[int]) -> dict[str, dict]:
    """The best induction head and the best previous-token head on repeated random tokens."""
    found, measured = {}, repetition_scores(model, known)
    for name in ("induction", "previous"):
        scores = measured[name]  # (N, H)
        block, head = divmod(scores.argmax().item(), model.config.H)
        found[name] = {"head": f"{block}.{head}", "score": scores.max().item()}
    return found


def evaluate(model: GPT, known: frozenset[int], items: int = 100, stories: int = 50) -> dict:
    """Everything that is measured, as plain values.

    Args:
        model: any GPT over GPT-2's vocabulary.
        known: ids of the tokens it was trained on.
        items: how many held-out items of each family to try, at most.
        stories: how many held-out stories to read.
    """
    tokenizer = Tokenizer()
    untrained = torch.tensor([i for i in range(model.config.vocabsize) if i not in known])
    families = {
        name: score_family(model, tokenizer, held_out_items(name, items), untrained)
        for name in FAMILIES
    }
    return {
        "families": families,
        "mean_accuracy": sum(f["accuracy"] for f in families.values()) / len(families),
        "untrained": max(f["untrained"] for f in families.values()),
        "story_loss": story_loss(model, tokenizer, stories),
        "heads": best_heads(model, sorted(known)),
    }


def told_story(model: GPT, seed: int, temperature: float = 0.8, tokens: int | None = None) -> str:
    """A story drawn until the model ends it, has drawn `tokens` or the context is full."""
    tokenizer = Tokenizer()
    ids = tokenizer.encode(OPENING, bos=True)
    drawn = (token for token, _ in generate(run_trace(model, ids), seed, temperature))
    told = takewhile(lambda token: token != tokenizer.end_of_text, islice(drawn, tokens))
    return tokenizer.decode([*ids[1:], *told])


def joined_words(text: str) -> set[tuple[str, str]]:
    """Every two neighbours among a text's words and marks."""
    return set(pairwise(re.findall(r"[^\W\d_]+|[^\w\s]|\d+", text)))


def odd_stories(model: GPT, drawn: int = 200, read: int = 40_000, tokens: int = 60) -> dict:
    """How often a story told at temperature 0.8 joins two words that no story of the corpus joins.

    Some of them are rare but right, so the same is counted in as many new stories of the corpus.

    Args:
        drawn: how many stories the model tells, or begins to.
        read: how many stories of the corpus say which words may stand together.
        tokens: how many of each are looked at, after the opening.
    Returns:
        The shares of "told" and of "new" stories with such a pair.
    """
    tokenizer, rng = Tokenizer(), Random("odd")
    usual = set().union(*(joined_words(draw_story(rng)) for _ in range(read)))
    told = [told_story(model, seed, tokens=tokens) for seed in range(drawn)]
    openings = (text for text in map(draw_story, repeat(rng)) if text.startswith(OPENING))
    cut = tokens + len(tokenizer.encode(OPENING))
    new = [tokenizer.decode(tokenizer.encode(text)[:cut]) for text in islice(openings, drawn)]
    return {
        name: sum(not joined_words(text) <= usual for text in texts) / drawn
        for name, texts in (("told", told), ("new", new))
    }


@torch.no_grad()
def given_astray(
    model: GPT, known: frozenset[int], stories: int = 50, read: int = 100_000
) -> float:
    """The share of the probability, 0 to 1, that goes to tokens which never follow.

    Args:
        known: ids of the tokens the model was trained on.
        stories: how many held-out stories the mean is taken over.
        read: how many stories of the corpus say what follows.
    """
    tokenizer, words = Tokenizer(), Vocabulary(tuple(sorted(known)))
    usual, rng, shares = usual_in_stories(tokenizer, words, read), Random("astray"), []
    for _ in range(stories):
        text = draw_story(rng, held_out=True)
        ids = torch.tensor(tokenizer.encode(text, bos=True))[: model.config.max_seq_len]
        barred = barred_in(words.lookup[ids], torch.arange(len(ids)) > 0, usual)
        lost = (model(ids[None])[0].softmax(dim=-1) * barred[:, words.lookup]).sum(dim=-1)  # (S,)
        shares.append(lost[barred.any(dim=-1)])
    return torch.cat(shares).mean().item()


def table(result: dict) -> str:
    """The result as lines of text."""
    heads = ("items", "accuracy", "probability", "blocks", "untrained")
    lines = [f"{'family':24}{heads[0]:>6}" + "".join(f"{head:>13}" for head in heads[1:])]
    for name, f in result["families"].items():
        blocks = "-" if f["blocks"] is None else f"{f['blocks']:.1f}"
        lines.append(
            f"{name:24}{f['items']:6}{f['accuracy']:13.2f}{f['probability']:13.3f}{blocks:>13}"
            f"{f['untrained']:13.1e}"
        )
    lines.append(f"{'mean':30}{result['mean_accuracy']:13.3f}{result['untrained']:39.1e}")
    lines.append(f"loss on held-out stories: {result['story_loss']:.3f} nats per token")
    odd = result["odd_stories"]
    lines.append(
        f"stories with words side by side that the corpus never has so, in 60 tokens: "
        f"{odd['told']:.0%} of the model's, {odd['new']:.0%} of new ones of the corpus"
    )
    lines.append(f"probability given to tokens that never follow there: {result['astray']:.2%}")
    for name, best in result["heads"].items():
        lines.append(f"best {name} head: {best['head']}, {best['score']:.3f} of its attention")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m model.mini.evaluate", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="the model to evaluate")
    parser.add_argument("--items", type=int, default=100, help="items of each family, at most")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--save", action="store_true", help="keep the result beside the model")
    parser.add_argument("--tell", type=int, default=0, metavar="N", help="tell N stories instead")
    args = parser.parse_args()
    if args.tell:
        model = load_asset(args.folder)
        print("\n\n".join(told_story(model, seed) for seed in range(args.tell)))
        return
    model, known = load_asset(args.folder), trained_ids(args.folder)
    result = evaluate(model, known, args.items)
    result["odd_stories"] = odd_stories(model)
    result["astray"] = given_astray(model, known)
    result["about"] = about_asset(args.folder)
    if args.save:
        save_scores(result, args.folder)
    print(json.dumps(result, indent=2) if args.json else table(result))


if __name__ == "__main__":
    main()
