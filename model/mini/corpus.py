"""The corpus: stories and small tasks, drawn without end from a seed, packed into rows of tokens.

Everything is made here from word lists; nothing is read from outside. About one item in ten is
held out: its hash decides, so an item is either for training or for evaluation, whatever the seed.
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random

import torch
from torch import Tensor

from model.mini.skills import FAMILIES, Item
from model.mini.stories import story
from model.tokenizer import Tokenizer

HELD_OUT_ONE_IN = 10
DRILL = 97  # tokens in a row of the drill
RANDOM_SHARE = 0.25  # of the documents are random tokens, repeated
STORY_SHARE = 0.4  # of the others are stories, the rest are tasks
# Tasks that teach the circuits the page shows, or that have the most to learn, come more often.
WEIGHTS = {
    "repeated_words": 6,
    "repeated_sentence": 4,
    "indirect_object": 4,
    "same_word": 2,
    "capitals": 3,
    "opposites": 3,
    "sums": 3,
    "languages": 2,
    "translation": 2,
    "number_words": 2,
    "pronoun": 2,
    "agreement": 2,
    "plurals": 2,
    "past_tense": 2,
}


def is_held_out(text: str) -> bool:
    """Whether this prompt or story belongs to evaluation and is never trained on."""
    return zlib.crc32(text.encode()) % HELD_OUT_ONE_IN == 0


def draw_item(rng: Random, family: str, held_out: bool = False) -> Item:
    """A (prompt, answer) of `family` from the training items, or from the held-out ones."""
    while True:
        prompt, answer = FAMILIES[family](rng)
        if is_held_out(prompt) == held_out:
            return prompt, answer


def held_out_items(family: str, count: int) -> list[Item]:
    """Up to `count` different held-out items of `family`; always the same ones."""
    rng, found = Random(family), {}
    for _ in range(100 * count):
        prompt, answer = FAMILIES[family](rng)
        if is_held_out(prompt):
            found[prompt] = answer
        if len(found) == count:
            break
    return list(found.items())


def draw_story(rng: Random, held_out: bool = False) -> str:
    """A story from the training set, or one of the held-out ones."""
    while True:
        text = story(rng)
        if is_held_out(text) == held_out:
            return text


def closed(item: Item) -> str:
    """The item as running text, ended like a sentence."""
    prompt, answer = item
    return prompt + answer + ("" if answer[-1] in '."' else ".")


def task_document(rng: Random) -> str:
    """One to eight items, of one family or of several, a line each or in one paragraph."""
    names, weights = list(FAMILIES), [WEIGHTS.get(name, 1) for name in FAMILIES]
    count = rng.choice([1, 2, 3, 4, 6, 8])
    drawn = rng.choices(names, weights, k=count)
    if rng.random() < 0.5:
        drawn = drawn[:1] * count
    return rng.choice(["\n", " "]).join(closed(draw_item(rng, name)) for name in drawn)


def random_tokens(rng: Random, ids: list[int]) -> list[int]:
    """Random tokens, and the same again a few times: only looking back can help."""
    kind = rng.random()
    if kind < 0.2:
        return rng.sample(ids, rng.randint(20, 60)) * 2
    if kind < 0.6:  # so short that looking one or two tokens back is enough: the first step
        return rng.sample(ids, rng.randint(1, 4)) * rng.randint(3, 8)
    return rng.sample(ids, rng.randint(5, 16)) * rng.randint(2, 5)


def drill_row(rng: Random, ids: list[int]) -> list[int]:
    """One short run of random tokens, over and over: whoever looks back knows nearly all of it."""
    run = rng.sample(ids, rng.randint(2, 16))
    return (run * DRILL)[:DRILL]


@dataclass(frozen=True)
class Vocabulary:
    """The tokens the model is trained on. All others share one row, which comes last.

    Attributes:
        ids: GPT-2's ids of the trained tokens, ascending.
        whole: the size of GPT-2's vocabulary.
    """

    ids: tuple[int, ...]
    whole: int = 50257

    @property
    def shared(self) -> int:
        """The compact id of the row that stands for every other token."""
        return len(self.ids)

    @property
    def untrained(self) -> int:
        """How many tokens the shared row stands for."""
        return self.whole - len(self.ids)

    @cached_property
    def lookup(self) -> Tensor:
        """(whole,) compact id of each of GPT-2's ids."""
        table = torch.full((self.whole,), self.shared)
        table[list(self.ids)] = torch.arange(len(self.ids))
        return table


def common_words(tokenizer: Tokenizer) -> set[int]:
    """GPT-2's most frequent words: its ids count up as frequency goes down."""
    return {i for i in range(3000) if re.fullmatch(rb" [A-Za-z]?[a-z]+", tokenizer.bytes_of(i))}


def build_vocabulary(tokenizer: Tokenizer, documents: int = 30_000, least: int = 3) -> Vocabulary:
    """The tokens that occur at least `least` times in a sample, and every ASCII character.

    Common words that the sample lacks join them. They are trained in random order only, so the
    model knows them apart and can repeat them, whatever a visitor types.
    """
    rng = Random("vocabulary")
    seen: Counter[int] = Counter()
    for _ in range(documents):
        # A share of its own: the tokens stay the same when the mixture of documents changes.
        text = draw_story(rng) if rng.random() < 0.45 else task_document(rng)
        seen.update(tokenizer.encode(text))
    ids = {token for token, count in seen.items() if count >= least}
    ids |= {tokenizer.encode(chr(code))[0] for code in [10, *range(32, 127)]}
    return Vocabulary(tuple(sorted(ids | common_words(tokenizer) | {tokenizer.end_of_text})))


def document(rng: Random, tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[int]:
    """GPT-2 ids of one training document."""
    if rng.random() < RANDOM_SHARE:
        return random_tokens(rng, vocabulary.ids[:-1])
    if rng.random() < STORY_SHARE:
        return tokenizer.encode(draw_story(rng))
    return tokenizer.encode(task_document(rng))


def row(rng: Random, tokenizer: Tokenizer, vocabulary: Vocabulary, size: int) -> list[int]:
    """`size` GPT-2 ids: documents with <|endoftext|> between them, cut at the end.

    Half of the rows start with <|endoftext|> and half with a document, as prompts do.
    """
    ids = [tokenizer.end_of_text] if rng.random() < 0.5 else []
    while len(ids) < size:
        ids += [*document(rng, tokenizer, vocabulary), tokenizer.end_of_text]
    return ids[:size]


def batches(
    seed: str,
    tokenizer: Tokenizer,
    vocabulary: Vocabulary,
    rows: int,
    size: int,
    *,
    drilling: Callable[[], bool] = lambda: False,
) -> Iterator[Tensor]:
    """Without end: (rows, size) compact ids. The same seed gives the same batches.

    `drilling` is asked before each batch whether it shall be one of the drill: as many tokens, in
    rows of DRILL.
    """
    rng = Random(seed)
    while True:
        if drilling():
            ids = [drill_row(rng, vocabulary.ids[:-1]) for _ in range(rows * size // DRILL)]
        else:
            ids = [row(rng, tokenizer, vocabulary, size) for _ in range(rows)]
        yield vocabulary.lookup[torch.tensor(ids)]
