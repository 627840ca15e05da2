"""The corpus: stories and small tasks, drawn without end from a seed, packed into rows of tokens.

Everything is made here from word lists; nothing is read from outside. About one item in ten is
held out: its hash decides, so an item is either for training or for evaluation, whatever the seed.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor

from model.mini.skills import FAMILIES, Item
from model.mini.stories import story
from model.mini.usual import LONGEST, Usual
from model.tokenizer import Tokenizer

HELD_OUT_ONE_IN = 10
RANDOM_SHARE = 0.12  # of the documents are random tokens, repeated
STORY_SHARE = 0.25  # of the other documents are stories, the rest are tasks, which are shorter
# Tasks that teach the circuits the page shows, or that have the most to learn, come more often.
WEIGHTS = {
    "past_tense": 6,
    "plurals": 6,
    "first_letter": 8,
    "repeated_words": 5,
    "reversed_words": 7,
    "opposites": 4,
    "sums": 4,
    "word_sums": 4,
    "translation": 4,
    "counting": 3,
    "brackets": 5,
    "comparatives": 3,
    "examples_of_a_rule": 3,
    "indirect_object": 3,
    "whose_color": 6,
    "who_said_it": 6,
    "repeated_sentence": 2,
    "capitals": 2,
    "languages": 2,
    "kinds": 2,
    "days": 2,
    "months": 2,
    "digits": 2,
    "number_words": 2,
    "letters": 2,
    "key_value": 2,
    "where_is_it": 2,
    "where_are_they": 2,
    "bigger_number": 2,
    "pronoun": 2,
    "agreement": 2,
}


def is_held_out(text: str) -> bool:
    """Whether this prompt or story belongs to evaluation and is never trained on."""
    return zlib.crc32(text.encode()) % HELD_OUT_ONE_IN == 0


def draw_item(rng: Random, family: str, held_out: bool = False) -> Item:
    """An item of `family` from the training items, or from the held-out ones."""
    while True:
        item = Item(*FAMILIES[family](rng))
        if is_held_out(item.prompt) == held_out:
            return item


def held_out_items(family: str, count: int) -> list[Item]:
    """Up to `count` different held-out items of `family`; always the same ones."""
    rng, found = Random(family), {}
    for _ in range(100 * count):
        item = Item(*FAMILIES[family](rng))
        if is_held_out(item.prompt):
            found[item.prompt] = item
        if len(found) == count:
            break
    return list(found.values())


def draw_story(rng: Random, held_out: bool = False) -> str:
    """A story from the training set, or one of the held-out ones."""
    while True:
        text = story(rng)
        if is_held_out(text) == held_out:
            return text


class Part(NamedTuple):
    """A part of a document, and whether it is the one right answer to what stands before it."""

    text: str
    is_answer: bool = False


def task_document(rng: Random) -> list[Part]:
    """One to eight items, of one family or of several, a line each or in one paragraph."""
    names, weights = list(FAMILIES), [WEIGHTS.get(name, 1) for name in FAMILIES]
    count = rng.choice([1, 2, 3, 4, 6, 8])
    drawn = rng.choices(names, weights, k=count)
    if rng.random() < 0.5:
        drawn = drawn[:1] * count
    glue, before, parts = rng.choice(["\n", " "]), "", []
    for name in drawn:
        prompt, answer, rest = draw_item(rng, name)
        parts += [Part(before + prompt), Part(answer, is_answer=True)]
        end = rest + ("" if answer[-1] in '."' else ".")
        before = end + glue
    return [*parts, Part(end)]


def random_tokens(rng: Random, ids: list[int]) -> list[int]:
    """Random tokens, and the same again a few times: only looking back can help."""
    kind = rng.random()
    if kind < 0.2:
        return rng.sample(ids, rng.randint(20, 60)) * 2
    if kind < 0.6:  # so short that looking one or two tokens back is enough: the first step
        return rng.sample(ids, rng.randint(1, 4)) * rng.randint(3, 8)
    return rng.sample(ids, rng.randint(5, 16)) * rng.randint(2, 5)


@dataclass(frozen=True)
class Stage:
    """A part of the drill: rows of random tokens in which only looking back can help.

    Attributes:
        until: the share of the drill at which it ends.
        size: tokens in a row.
        longest: tokens in the longest run that one row repeats.
        shuffled: the share of rows that repeat several short runs in changing order.
    """

    until: float
    size: int
    longest: int
    shuffled: float = 0.0


# Each stage needs what the one before has taught: to copy from one place back, then from a few,
# then from wherever the same token stood before, at last over the whole context. Starting with
# the last one takes many times as long.
DRILL = (
    Stage(0.03, 25, 2),
    Stage(0.09, 25, 4),
    Stage(0.18, 25, 8),
    Stage(0.50, 65, 16, 0.5),
    Stage(0.75, 129, 40, 0.5),
    Stage(1.00, 257, 80, 0.5),
)


def one_run(rng: Random, ids: list[int], size: int, longest: int) -> list[int]:
    """Up to six random tokens, then one run of random tokens over and over."""
    run = rng.choices(ids, k=rng.randint(2, longest))
    return (rng.choices(ids, k=rng.randint(0, 6)) + run * size)[:size]


def shuffled_runs(rng: Random, ids: list[int], size: int) -> list[int]:
    """Runs of two to four tokens over and over, in another order each time."""
    runs = [rng.choices(ids, k=rng.randint(2, 4)) for _ in range(rng.randint(2, 6))]
    row: list[int] = []
    while len(row) < size:
        row += [token for run in rng.sample(runs, len(runs)) for token in run]
    return row[:size]


def drill_row(rng: Random, ids: list[int], stage: Stage) -> list[int]:
    """One row of `stage`."""
    if rng.random() < stage.shuffled:
        return shuffled_runs(rng, ids, stage.size)
    # Short runs stay the most frequent: each copy of one is a lesson.
    return one_run(rng, ids, stage.size, rng.choice([min(8, stage.longest), stage.longest]))


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


def build_vocabulary(tokenizer: Tokenizer, items: int = 4000, stories: int = 12_000) -> Vocabulary:
    """The tokens of a sample of every family and of the stories, and every ASCII character.

    Common words that the sample lacks join them. They are trained in random order only, so the
    model knows them apart and can repeat them, whatever a visitor types.
    """
    rng = Random("vocabulary")
    parts = [part for family in FAMILIES for _ in range(items) for part in draw_item(rng, family)]
    # A space before a text changes the tokens of its first word.
    texts = [text for part in set(parts) for text in (part, " " + part)]
    texts += [draw_story(rng) for _ in range(stories)]
    ids = {token for text in texts for token in tokenizer.encode(text)}
    ids |= {tokenizer.encode(chr(code))[0] for code in [10, *range(32, 127)]}
    return Vocabulary(tuple(sorted(ids | common_words(tokenizer) | {tokenizer.end_of_text})))


class Lesson(NamedTuple):
    """A token to learn from: GPT-2's id, and whether it belongs to an answer or to a story."""

    token: int
    is_answer: bool = False
    is_told: bool = False


class Batch(NamedTuple):
    """Rows to learn from.

    Attributes:
        ids: (rows, size) compact ids.
        answers: (rows, size), which of them belong to answers.
        barred: (rows, size, vocabsize), which tokens never follow; of width 0 if nobody asked.
    """

    ids: Tensor
    answers: Tensor
    barred: Tensor


def document(rng: Random, tokenizer: Tokenizer, vocabulary: Vocabulary) -> list[Lesson]:
    """The tokens of one training document."""
    if rng.random() < RANDOM_SHARE:
        return [Lesson(token) for token in random_tokens(rng, vocabulary.ids[:-1])]
    if rng.random() < STORY_SHARE:
        return [Lesson(token, is_told=True) for token in tokenizer.encode(draw_story(rng))]
    return lessons(task_document(rng), tokenizer)


def lessons(parts: list[Part], tokenizer: Tokenizer) -> list[Lesson]:
    """The tokens of a document, each part by itself: answers are cut as after a prompt alone."""
    return [
        Lesson(token, part.is_answer) for part in parts for token in tokenizer.encode(part.text)
    ]


def row(rng: Random, tokenizer: Tokenizer, vocabulary: Vocabulary, size: int) -> list[Lesson]:
    """`size` tokens: documents with <|endoftext|> between them, cut at the end.

    Half of the rows start with <|endoftext|> and half with a document, as prompts do.
    """
    end = Lesson(tokenizer.end_of_text)
    drawn = [end] if rng.random() < 0.5 else []
    while len(drawn) < size:
        drawn += [*document(rng, tokenizer, vocabulary), end]
    return drawn[:size]


def usual_in_stories(tokenizer: Tokenizer, vocabulary: Vocabulary, stories: int = 100_000) -> Usual:
    """What may follow in stories, by so many of them."""
    rng, end = Random("usual"), [tokenizer.end_of_text]
    texts = (tokenizer.encode(draw_story(rng)) + end for _ in range(stories))
    known = (vocabulary.lookup[torch.tensor(text)].tolist() for text in texts)
    return Usual(known, vocabulary.shared + 1)


def barred_in(ids: Tensor, told: Tensor, usual: Usual) -> Tensor:
    """(S, vocabsize): which tokens never follow each of (S,) compact ids; `told` are of stories."""
    barred = torch.zeros(len(ids), usual.size, dtype=torch.bool)
    start = 0
    for is_story, run in groupby(told.tolist()):
        end = start + len(list(run))
        if is_story:  # whose first words may be those of a task as well
            barred[start + LONGEST : end] = usual.barred(ids[start:end])[LONGEST:]
        start = end
    return barred


def batches(
    seed: str,
    tokenizer: Tokenizer,
    vocabulary: Vocabulary,
    rows: int,
    size: int,
    *,
    drilled: Callable[[], float] = lambda: 1.0,
    usual: Usual | None = None,
) -> Iterator[Batch]:
    """Without end: `rows` rows of `size` tokens. The same seed gives the same batches.

    `drilled` is asked before each batch how much of the drill is over; below 1, the batch has as
    many tokens in rows of the stage that this is in. Without `usual` no token is barred.
    """
    rng = Random(seed)
    while True:
        stage = next((stage for stage in DRILL if drilled() < stage.until), None)
        if stage:
            count = rows * size // stage.size
            drawn = [drill_row(rng, vocabulary.ids[:-1], stage) for _ in range(count)]
            table = [[Lesson(token) for token in each] for each in drawn]
        else:
            table = [row(rng, tokenizer, vocabulary, size) for _ in range(rows)]
        whole, answers, told = torch.tensor(table).unbind(-1)  # (rows, size) each
        ids = vocabulary.lookup[whole]
        barred = torch.zeros(*ids.shape, 0, dtype=torch.bool)
        if usual:
            pairs = zip(ids, told, strict=True)
            barred = torch.stack([barred_in(*pair, usual) for pair in pairs])
            barred[:, :-1].scatter_(2, ids[:, 1:, None], value=False)  # rare, but it does follow
        yield Batch(ids, answers.bool(), barred)
