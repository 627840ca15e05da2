"""Families of small tasks with one right next word. Each is a function `rng -> Item`, or its parts.

The prompt ends where the model should answer, and the answer begins with the space that GPT-2's
tokens carry. FAMILIES lists them all by name.
"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from model.mini import words as w


class Item(NamedTuple):
    """A task.

    Attributes:
        prompt: ends where the model is to answer.
        answer: the one right next word, with its space.
        rest: how the text goes on, where it would not end there: a row that may stop at any
            place would teach to stop.
    """

    prompt: str
    answer: str
    rest: str = ""


Maker = Callable[[Random], tuple[str, ...]]  # the parts of an Item
FAMILIES: dict[str, Maker] = {}


def family(make: Maker) -> Maker:
    """Enter a family in FAMILIES under its function's name."""
    FAMILIES[make.__name__] = make
    return make


# Small pieces that many families share.


def a(noun: str) -> str:
    """`apple` -> `an apple`"""
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


def split_last(text: str) -> tuple[str, str]:
    """Cut before the last word: `the red hat` -> (`the red`, ` hat`)."""
    prompt, _, answer = text.rpartition(" ")
    return prompt, " " + answer


def row_of_words(words: list[str], glue: str, cut: int) -> Item:
    """`a b c d` cut at 2 -> (`a b`, ` c`, ` d`)."""
    before = "".join(word + glue for word in words[:cut]).rstrip()
    after = "".join(glue + word for word in words[cut + 1 :])
    return Item(before, " " + words[cut], after)


def anyone(rng: Random) -> tuple[str, str]:
    """A name and its subject pronoun."""
    if rng.random() < 0.5:
        return rng.choice(w.GIRLS), "she"
    return rng.choice(w.BOYS), "he"


def two_names(rng: Random) -> list[str]:
    """Two different names."""
    return rng.sample(w.GIRLS + w.BOYS, 2)


def thing(rng: Random) -> str:
    """A thing a person can hold, singular."""
    return rng.choice(w.THINGS)[0]


def walk(rng: Random, chain: list[str], longest: int = 8, circle: bool = False) -> Item:
    """Two to `longest` neighbours from `chain`, which may close to a circle; what follows them."""
    size = rng.randint(2, min(longest, len(chain)) - 1)
    start = rng.randrange(len(chain) if circle else len(chain) - size)
    end = start + size + rng.randint(2, 5) if circle else len(chain)
    return listing(rng, [chain[i % len(chain)] for i in range(start, end)], size)


def listing(rng: Random, steps: list[str], cut: int) -> Item:
    """A sequence written with commas, or with spaces; the step at `cut` is the answer."""
    return row_of_words(steps, rng.choice([", ", ", ", ", ", " "]), cut)


def neighbours(rng: Random, circle: list[str]) -> tuple[str, str]:
    """One of the circle and the next."""
    start = rng.randrange(len(circle))
    return circle[start], circle[(start + 1) % len(circle)]


def sentence(rng: Random) -> str:
    """A plain sentence without its full stop."""
    who = f"The {rng.choice(w.ANIMALS + w.PEOPLE)[0]}"
    if rng.random() < 0.3:
        who = anyone(rng)[0]
    what = thing(rng)
    return rng.choice(
        [
            f"{who} {rng.choice(w.ACTS)[1]} {place_phrase(rng)}",
            f"{who} {rng.choice(w.DEEDS)[1]} the {what}",
            f"{who} {rng.choice(w.DEEDS)[1]} {a(rng.choice(w.QUALITIES + w.COLORS))} {what}",
            f"{who} sat on the {rng.choice([*w.SPOTS, 'mat', 'floor', 'grass', 'roof'])}",
            f"{who} put the {what} in the {rng.choice(w.CONTAINERS)}",
            f"{who} went to the {rng.choice(w.PLACES)} with {anyone(rng)[0]}",
            f"{who} was {rng.choice(w.FEELINGS)} when the {what} was {rng.choice(w.COLORS)}",
        ]
    )


def place_phrase(rng: Random) -> str:
    """`in the park`, `under the tree`."""
    if rng.random() < 0.5:
        return f"in the {rng.choice(w.PLACES)}"
    return f"{rng.choice(['under', 'near', 'behind', 'on'])} the {rng.choice(w.SPOTS)}"


# Repetition.


@family
def repeated_words(rng: Random) -> Item:
    """`apple river stone seven apple river stone` -> ` seven`"""
    parts = rng.sample(w.POOL, rng.randint(2, 14))
    cut = rng.randint(len(parts) + 1, 2 * len(parts) - 1)
    return row_of_words(2 * parts, rng.choice([" ", " ", " ", ", "]), cut)


@family
def same_word(rng: Random) -> Item:
    """`the the the the` -> ` the`"""
    word = rng.choice([*w.POOL, "the", "a", "and", "of", "to", "in", "it"])
    return row_of_words([word] * rng.randint(12, 16), " ", rng.randint(3, 8))


@family
def repeated_sentence(rng: Random) -> Item:
    """`The cat sat on the mat. The cat sat on the` -> ` mat`"""
    text = sentence(rng)
    prompt, answer = split_last(text)
    return f"{text}. {prompt}", answer


@family
def repeated_phrase_later(rng: Random) -> Item:
    """A sentence, another one, then the first again."""
    text = sentence(rng)
    prompt, answer = split_last(text)
    return f"{text}. {sentence(rng)}. {prompt}", answer


@family
def alternation(rng: Random) -> Item:
    """`red blue red blue red` -> ` blue`"""
    parts = rng.sample(w.POOL, rng.randint(2, 3))
    return listing(rng, 6 * parts, rng.randint(2 * len(parts), 4 * len(parts)))


@family
def reversed_words(rng: Random) -> Item:
    """`red, hat, cup backwards is cup, hat,` -> ` red`"""
    parts = rng.sample(w.POOL, rng.randint(2, 4))
    prompt, answer, rest = row_of_words(parts[::-1], ", ", rng.randrange(len(parts)))
    return f"{', '.join(parts)} backwards is {prompt}".rstrip(), answer, rest


@family
def cued_copy(rng: Random) -> Item:
    """`Remember the word lamp. ... The word was` -> ` lamp`"""
    word = rng.choice(w.POOL)
    filler = " ".join(f"{sentence(rng)}." for _ in range(rng.randint(0, 3)))
    cue, recall = rng.choice(
        [
            (f"Remember the word {word}.", "The word was"),
            (f"The secret word is {word}.", "The secret word is"),
            (f"The password is {word}.", "What is the password? The password is"),
            (f"My favorite word is {word}.", "My favorite word is"),
        ]
    )
    return " ".join(f"{cue} {filler} {recall}".split()), " " + word


@family
def key_value(rng: Random) -> Item:
    """`cat: red, dog: blue, cow: green. dog:` -> ` blue`"""
    keys = rng.sample(w.NOUNS, rng.randint(2, 6))
    values = rng.sample([*w.COLORS, *w.NUMBERS[1:], *w.QUALITIES], len(keys))
    pick = rng.randrange(len(keys))
    mark, glue, last = rng.choice([(":", ", ", ". "), (" is", ". ", ". "), (" =", "\n", "\n")])
    table = glue.join(f"{k}{mark} {v}" for k, v in zip(keys, values, strict=True))
    return f"{table}{last}{keys[pick]}{mark}", " " + values[pick]


@family
def examples_of_a_rule(rng: Random) -> Item:
    """`cat -> cats, dog -> dogs, cow ->` -> ` cows`: the rule must be read from the examples."""
    table = rng.choice(
        [w.COUNTABLE, w.OPPOSITES, w.SOUNDS, w.YOUNG, w.TINTS]
        + [tuple((x[0], x[i]) for x in w.TRANSLATIONS) for i in (1, 2, 3)]
        + [tuple((x[0], x[i]) for x in w.COUNTRIES) for i in (1, 2)]
        + [tuple((x[0], x[1]) for x in w.ACTS + w.DEEDS)]
    )
    rows = rng.sample(table, rng.randint(3, 6))
    arrow, glue = rng.choice([(" ->", ", "), (":", ", "), (" ->", "\n"), (":", "\n")])
    shown = glue.join(f"{x}{arrow} {y}" for x, y in rows[:-1])
    return f"{shown}{glue}{rows[-1][0]}{arrow}", " " + rows[-1][1]


# Who did what: names, pronouns, places, owners.


@family
def indirect_object(rng: Random) -> Item:
    """`When Mary and John went to the store, John gave a drink to` -> ` Mary`"""
    first, second = two_names(rng)
    giver, taker = rng.sample([first, second], 2)
    place = rng.choice(w.PLACES)
    gift = a(rng.choice([thing(rng), rng.choice(w.FOODS)[0], "drink", "kiss", "hug", "gift"]))
    gave = rng.choice(["gave", "handed", "showed", "offered", "brought", "passed", "threw"])
    opening = rng.choice(
        [
            f"When {first} and {second} went to the {place},",
            f"After {first} and {second} came to the {place},",
            f"While {first} and {second} were at the {place},",
            f"Then, {first} and {second} went to the {place}.",
            f"{first} and {second} met at the {place}.",
            f"One day {first} and {second} had fun at the {place}.",
        ]
    )
    return f"{opening} {giver} {gave} {gift} to", " " + taker


@family
def pronoun(rng: Random) -> Item:
    """`Mary was tired because` -> ` she`"""
    name, subject = anyone(rng)
    if rng.random() < 0.3:
        name, subject = rng.choice(
            [("the girl", "she"), ("the boy", "he"), ("the woman", "she"), ("the man", "he")]
        )
    if rng.random() < 0.2:
        name, subject = " and ".join(two_names(rng)), "they"
    was = "were" if subject == "they" else "was"
    where, start = place_phrase(rng), name[0].upper() + name[1:]
    return rng.choice(
        [
            f"{start} {was} {rng.choice(w.FEELINGS)} because",
            f"{start} {rng.choice(w.ACTS)[1]} {where} until",
            f"When {name} {rng.choice(w.DEEDS)[1]} the {thing(rng)},",
            f"{start} said that",
            f"{start} {rng.choice(w.ACTS)[1]} {where}. Later",
        ]
    ), " " + subject


@family
def possessive(rng: Random) -> Item:
    """`Anna came home and took off` -> ` her`; `In the mirror, Anna saw` -> ` herself`"""
    name, subject = anyone(rng)
    own, self = ("her", "herself") if subject == "she" else ("his", "himself")
    return rng.choice(
        [
            (f"{name} {rng.choice(w.ACTS)[1]} with one of", " " + own),
            (f"{name} came home and took off", " " + own),
            (f"In the mirror, {name} saw", " " + self),
            (f"{name} did all the work by", " " + self),
            (f"{name} went to bed and closed", " " + own),
        ]
    )


@family
def agreement(rng: Random) -> Item:
    """`Look, the keys near the door` -> ` are`"""
    one, many = rng.choice(w.COUNTABLE)
    other = rng.choice(rng.choice(w.COUNTABLE))
    near = rng.choice(["near", "behind", "next to", "under", "with", "by"])
    plural = rng.random() < 0.5
    if one == many:
        one, many = "book", "books"
    start = rng.choice(["Look, the", "Today the", "Now the", "I know that the", "We see that the"])
    subject = f"{start} {many if plural else one} {near} the {other}"
    return subject, " are" if plural else " is"


@family
def where_is_it(rng: Random) -> Item:
    """`The ball is in the box. The cup is in the jar. The ball is in the` -> ` box`"""
    things = rng.sample([one for one, _ in w.THINGS if one not in w.CONTAINERS], rng.randint(2, 4))
    homes = rng.sample(w.CONTAINERS, len(things))
    pick = rng.randrange(len(things))
    facts = [f"The {t} is in the {h}." for t, h in zip(things, homes, strict=True)]
    ask = rng.choice(["", f"Where is the {things[pick]}? "])
    return f"{' '.join(facts)} {ask}The {things[pick]} is in the", " " + homes[pick]


@family
def where_are_they(rng: Random) -> Item:
    """`Tom is in the park. Anna is in the zoo. Tom goes to the lake. Now Tom is in the` -> lake"""
    names = two_names(rng)
    first, second, third = rng.sample(w.PLACES, 3)
    mover = rng.choice(names)
    asked = rng.choice(names)
    truth = third if asked == mover else (first if asked == names[0] else second)
    return (
        f"{names[0]} is in the {first}. {names[1]} is in the {second}. "
        f"{mover} goes to the {third}. Now {asked} is in the"
    ), " " + truth


@family
def whose_color(rng: Random) -> Item:
    """`Tom has a red ball. Anna has a blue kite. The kite is` -> ` blue`"""
    names, things = two_names(rng), rng.sample([one for one, _ in w.THINGS], 2)
    tints = rng.sample(w.COLORS, 2)
    pick = rng.randrange(2)
    facts = " ".join(f"{n} has {a(c)} {t}." for n, c, t in zip(names, tints, things, strict=True))
    return rng.choice(
        [
            (f"{facts} The {things[pick]} is", " " + tints[pick]),
            (f"{facts} The {things[pick]} belongs to", " " + names[pick]),
            (f"{facts} {names[pick]} likes the", " " + tints[pick]),
            (f"{facts} The {tints[pick]} one is the", " " + things[pick]),
        ]
    )


@family
def who_said_it(rng: Random) -> Item:
    """`"I am hungry," said Tom. "I am tired," said Anna. Tom was` -> ` hungry`"""
    names, moods = two_names(rng), rng.sample(w.FEELINGS, 2)
    pick = rng.randrange(2)
    talk = " ".join(f'"I am {m}," said {n}.' for n, m in zip(names, moods, strict=True))
    return rng.choice(
        [
            (f"{talk} The one who was {moods[pick]} was", " " + names[pick]),
            (f"{talk} {names[pick]} was", " " + moods[pick]),
        ]
    )


@family
def taller(rng: Random) -> Item:
    """`Tom is taller than Ben. The taller one is` -> ` Tom`; `Ben is shorter than` -> ` Tom`"""
    names = two_names(rng)
    more, less = rng.choice(
        w.pairs("taller:shorter older:younger faster:slower stronger:weaker richer:poorer")
    )
    fact = f"{names[0]} is {more} than {names[1]}."
    return rng.choice(
        [
            (f"{fact} The {more} one is", " " + names[0]),
            (f"{fact} The {less} one is", " " + names[1]),
            (f"{fact} So {names[1]} is {less} than", " " + names[0]),
        ]
    )


@family
def shopping_list(rng: Random) -> Item:
    """`Tom bought milk, bread and eggs. The first thing he bought was` -> ` milk`"""
    name, subject = anyone(rng)
    goods = rng.sample(w.EATABLES + [many for _, many in w.FOODS], 3)
    which = rng.randrange(3)
    order = ["first", "second", "last"][which]
    bought = rng.choice(["bought", "wanted", "carried", "ate", "sold"])
    text = f"{name} {bought} {goods[0]}, {goods[1]} and {goods[2]}."
    return f"{text} The {order} thing {subject} {bought} was", " " + goods[which]


@family
def brackets(rng: Random) -> Item:
    """`( apple [ river ] stone` -> ` )`: what was opened last closes first."""
    (outer, end), (inner, inner_end) = rng.sample([("(", ")"), ("[", "]"), ("{", "}")], 2)
    first, second, third = (rng.sample(w.NOUNS, rng.randint(1, 2)) for _ in range(3))
    nested = [outer, *first, inner, *second, inner_end]
    return rng.choice(
        [
            (" ".join([outer, *first]), " " + end),
            (" ".join([outer, *first, inner, *second]), " " + inner_end),
            (" ".join(nested), " " + end),
            (" ".join([*nested, *third]), " " + end),
        ]
    )


@family
def closing_quote(rng: Random) -> Item:
    """`Tom said, "I like the red hat` -> `."`"""
    name, _ = anyone(rng)
    said = rng.choice(["said", "asked me and said", "laughed and said", "shouted"])
    wish = rng.choice(["I like the", "Look at my", "This is your", "Please bring me the"])
    return f'{name} {said}, "{wish} {rng.choice(w.COLORS)} {thing(rng)}', '."'


# Sequences and numbers.


@family
def number_words(rng: Random) -> Item:
    """`one, two, three, four,` -> ` five`"""
    chain = rng.choice([w.NUMBERS[1:], w.NUMBERS[1:], w.NUMBERS[::-1], w.ORDINALS])
    return walk(rng, chain)


@family
def digits(rng: Random) -> Item:
    """`3, 4, 5, 6,` -> ` 7`, also the rows of two, five and ten, and downwards."""
    step = rng.choice([1, 1, 1, 2, 5, 10, -1])
    start = step * rng.randint(0, 9) if step > 1 else rng.randint(0, 30)
    run = [start + step * i for i in range(12)]
    if step < 0:
        run = [x + 12 for x in run]
    return listing(rng, [str(x) for x in run], rng.randint(3, 7))


@family
def letters(rng: Random) -> Item:
    """`A, B, C, D,` -> ` E`"""
    chain = rng.choice([w.LETTERS, [x.lower() for x in w.LETTERS]])
    return walk(rng, chain)


@family
def days(rng: Random) -> Item:
    """`Monday, Tuesday, Wednesday,` -> ` Thursday`"""
    if rng.random() < 0.6:
        return walk(rng, w.DAYS, circle=True)
    here, there = neighbours(rng, w.DAYS)
    return rng.choice(
        [
            (f"The day after {here} is", " " + there),
            (f"The day before {there} is", " " + here),
            (f"Today is {here}. Tomorrow is", " " + there),
            (f"Today is {there}. Yesterday was", " " + here),
            (f"{anyone(rng)[0]} came on {here} and left the next day, on", " " + there),
        ]
    )


@family
def months(rng: Random) -> Item:
    """`March, April, May,` -> ` June`, and the seasons."""
    if rng.random() < 0.7:
        return walk(rng, rng.choice([w.MONTHS, w.MONTHS, w.SEASONS]), circle=True)
    here, there = neighbours(rng, w.MONTHS)
    return rng.choice(
        [
            (f"The month after {here} is", " " + there),
            (f"The month before {there} is", " " + here),
            (f"After {here} comes", " " + there),
            (f"{anyone(rng)[0]} came in {here} and left a month later, in", " " + there),
        ]
    )


@family
def sums(rng: Random) -> Item:
    """`3 + 4 =` -> ` 7`. The table up to ten is learned by heart, each sum in several wordings."""
    x, y = rng.randint(0, 10), rng.randint(0, 10)
    return rng.choice(
        [
            (f"{x} + {y} =", f" {x + y}"),
            (f"What is {x} + {y}? It is", f" {x + y}"),
            (f"The sum of {x} and {y} is", f" {x + y}"),
            (f"{anyone(rng)[0]} knows that {x} + {y} is", f" {x + y}"),
            (f"{x + y} - {x} =", f" {y}"),
            (f"What is {x + y} - {x}? It is", f" {y}"),
            (f"{anyone(rng)[0]} knows that {x + y} - {x} is", f" {y}"),
        ]
    )


@family
def word_sums(rng: Random) -> Item:
    """`two plus three is` -> ` five`"""
    x, y = rng.randint(0, 10), rng.randint(0, 10)
    one, other, both = w.NUMBERS[x], w.NUMBERS[y], w.NUMBERS[x + y]
    return rng.choice(
        [
            (f"{one} plus {other} is", " " + both),
            (f"What is {one} plus {other}? It is", " " + both),
            (f"{one.capitalize()} and {other} make", " " + both),
            (f"{anyone(rng)[0]} knows that {one} plus {other} is", " " + both),
            (f"{both} minus {one} is", " " + other),
            (f"What is {both} minus {one}? It is", " " + other),
            (f"{anyone(rng)[0]} knows that {both} minus {one} is", " " + other),
        ]
    )


@family
def counting(rng: Random) -> Item:
    """`Look: cat cat cat. How many cats? There are` -> ` three`"""
    one, many = rng.choice(w.ANIMALS + w.FOODS)
    count = rng.randint(2, 6)
    shown = " ".join([one] * count)
    ask = rng.choice(
        [f"The number of {many} is", f"How many {many}? There are", "Count them! There are"]
    )
    return f"Look: {shown}. {ask}", " " + w.NUMBERS[count]


@family
def bigger_number(rng: Random) -> Item:
    """`Which is bigger, 3 or 7?` -> ` 7`"""
    x, y = rng.sample(range(31), 2)
    word, choose = rng.choice([("bigger", max), ("smaller", min), ("more", max), ("less", min)])
    return f"Which is {word}, {x} or {y}?", f" {choose(x, y)}"


# What words mean and how they change.


@family
def opposites(rng: Random) -> Item:
    """`The opposite of hot is` -> ` cold`"""
    one, other = rng.choice(w.OPPOSITES)
    # Turned round only where the pair has one answer that way too.
    if sum(other in pair for pair in w.OPPOSITES) == 1 and rng.random() < 0.5:
        one, other = other, one
    return rng.choice(
        [
            (f"The opposite of {one} is", " " + other),
            (f"Not {one} but", " " + other),
            (f"What is the opposite of {one}? It is", " " + other),
            (f"The word {one} means the opposite of", " " + other),
            (f"{anyone(rng)[0]} did not say {one}, but the opposite:", " " + other),
            (f"{one.capitalize()} and", " " + other),
        ]
    )


@family
def plurals(rng: Random) -> Item:
    """`one cat, two` -> ` cats`"""
    one, many = rng.choice(w.COUNTABLE)
    return rng.choice(
        [
            (f"one {one}, two", " " + many),
            (f"One {one}, {rng.choice(w.NUMBERS[2:])}", " " + many),
            (f"The plural of {one} is", " " + many),
            (f"I have one {one}. You have many", " " + many),
        ]
    )


@family
def past_tense(rng: Random) -> Item:
    """`Today I walk. Yesterday I` -> ` walked`"""
    base, past, third = rng.choice(w.ACTS + w.DEEDS)
    name, _ = anyone(rng)
    return rng.choice(
        [
            (f"Today I {base}. Yesterday I", " " + past),
            (f"Now they {base}. Last week they", " " + past),
            (f"The past of {base} is", " " + past),
            (f"I {base} every day, and {name}", " " + third),
            (f"Last year {name} {past}. Today {name}", " " + third),
        ]
    )


@family
def comparatives(rng: Random) -> Item:
    """`big, bigger,` -> ` biggest`"""
    base, more, most = rng.choice(w.COMPARED)
    return rng.choice(
        [
            (f"{base}, {more},", " " + most),
            (f"This one is {base}, but that one is even", " " + more),
            (f"It is not just {base}, it is the", " " + most),
            (f"{' and '.join(two_names(rng))} are {base}, but I am even", " " + more),
            (f"Many are {base}, but {anyone(rng)[0]} is the", " " + most),
        ]
    )


@family
def animal_sounds(rng: Random) -> Item:
    """`The cow says` -> ` moo`"""
    animal, sound = rng.choice(w.SOUNDS)
    return rng.choice(
        [
            (f"The {animal} says", " " + sound),
            (f"A {animal} goes", " " + sound),
            (f"The sound of {a(animal)} is", " " + sound),
            (f'"{sound.capitalize()}," said the', " " + animal),
            (f"What does the {animal} say? It says", " " + sound),
            (f"{anyone(rng)[0]} heard the {animal} say", " " + sound),
        ]
    )


@family
def young_animals(rng: Random) -> Item:
    """`A young dog is called a` -> ` puppy`"""
    animal, young = rng.choice(w.YOUNG)
    return rng.choice(
        [
            (f"A young {animal} is called a", " " + young),
            (f"A baby {animal} is a", " " + young),
            (f"The {animal} has a baby. It is a", " " + young),
            (f"The child of the {animal} is the", " " + young),
            (f"{anyone(rng)[0]} saw the {animal} with a little", " " + young),
        ]
    )


@family
def homes(rng: Random) -> Item:
    """`The bird lives in the` -> ` nest`"""
    who, home = rng.choice(w.HOMES)
    return rng.choice(
        [
            (f"The {who} lives in the", " " + home),
            (f"The home of the {who} is the", " " + home),
            (f"Where does the {who} live? In the", " " + home),
            (f"{anyone(rng)[0]} saw the {who} in the", " " + home),
            (f"The {who} was tired and went back to the", " " + home),
        ]
    )


@family
def colors(rng: Random) -> Item:
    """`The color of grass is` -> ` green`"""
    what, tint = rng.choice(w.TINTS)
    return rng.choice(
        [
            (f"The color of {what} is", " " + tint),
            (f"What color is {what}? It is", " " + tint),
            (f"We know the color of {what}:", " " + tint),
            (f"{anyone(rng)[0]} paints {what} in", " " + tint),
        ]
    )


@family
def kinds(rng: Random) -> Item:
    """`A rose is a` -> ` flower`"""
    kind = rng.choice(list(w.KINDS))
    member, its = rng.choice(w.KINDS[kind].split()), a(kind).split()[0]
    one = member if member[0].isupper() or kind in ("color", "number") else a(member)
    return rng.choice(
        [
            (f"{one[0].upper()}{one[1:]} is {its}", " " + kind),
            (f"What is {one}? It is {its}", " " + kind),
            (f"The word {member} is the name of {its}", " " + kind),
            (f"{anyone(rng)[0]} thinks that {one} is {its}", " " + kind),
        ]
    )


@family
def odd_company(rng: Random) -> Item:
    """`apple, pear, plum: each is a` -> ` fruit`"""
    kind = rng.choice([k for k in w.KINDS if " " not in k])
    members = rng.sample(w.KINDS[kind].split(), 3)
    return f"{members[0]}, {members[1]}, {members[2]}: each is {a(kind).split()[0]}", " " + kind


@family
def jobs(rng: Random) -> Item:
    """`The baker bakes` -> ` bread`"""
    who, what, does = rng.choice(w.JOBS)
    return rng.choice(
        [
            (f"The {who} {does}", " " + what),
            (f"Every day the {who} {does}", " " + what),
            (f"The one who {does} {what} is the", " " + who),
            (f"I know a {who} who {does}", " " + what),
            (f"What does the {who} do? The {who} {does}", " " + what),
            (f"{anyone(rng)[0]} is a {who} and {does}", " " + what),
        ]
    )


@family
def tools(rng: Random) -> Item:
    """`To cut, you need the` -> ` knife`"""
    use, tool = rng.choice(w.TOOLS)
    return rng.choice(
        [
            (f"To {use}, you need the", " " + tool),
            (f"I want to {use}. Give me the", " " + tool),
            (f"What do we use to {use}? We use the", " " + tool),
            (f"{anyone(rng)[0]} wanted to {use} and took the", " " + tool),
            (f"It is easy to {use} with the", " " + tool),
        ]
    )


@family
def capitals(rng: Random) -> Item:
    """`The capital of France is` -> ` Paris`"""
    country, capital, _ = rng.choice(w.COUNTRIES)
    return rng.choice(
        [
            (f"The capital of {country} is", " " + capital),
            (f"The capital city of {country} is", " " + capital),
            (f"What is the capital of {country}? It is", " " + capital),
            (f"{capital} is the capital of", " " + country),
            (f"{capital} is a city in", " " + country),
            (f"{anyone(rng)[0]} lives in {country}, in the city of", " " + capital),
            (f"{anyone(rng)[0]} lives in {capital}, the capital of", " " + country),
        ]
    )


@family
def languages(rng: Random) -> Item:
    """`In France people speak` -> ` French`"""
    country, capital, language = rng.choice(w.COUNTRIES)
    return rng.choice(
        [
            (f"In {country} people speak", " " + language),
            (f"The language of {country} is", " " + language),
            (f"People in {capital} speak", " " + language),
            (f"My friend lives in {country}. She speaks", " " + language),
            (f"{anyone(rng)[0]} comes from {country} and speaks", " " + language),
        ]
    )


@family
def translation(rng: Random) -> Item:
    """`The French word for dog is` -> ` chien`"""
    row = rng.choice(w.TRANSLATIONS)
    pick = rng.randrange(3)
    tongue, foreign = w.TONGUES[pick], row[pick + 1]
    return rng.choice(
        [
            (f"The {tongue} word for {row[0]} is", " " + foreign),
            (f"English: {row[0]}. {tongue}:", " " + foreign),
            (f"{tongue}: {foreign}. English:", " " + row[0]),
            (f"The {tongue} word {foreign} means", " " + row[0]),
            (f"What is {foreign} in English? It is", " " + row[0]),
            (f"{anyone(rng)[0]} says {foreign}, which is {tongue} for", " " + row[0]),
            (f"{anyone(rng)[0]} speaks {tongue} and calls {a(row[0])}", " " + foreign),
            (f"In {tongue}, {row[0]} is", " " + foreign),
            (f"How do you say {row[0]} in {tongue}? You say", " " + foreign),
        ]
    )


@family
def first_letter(rng: Random) -> Item:
    """`The word apple starts with the letter` -> ` a`"""
    word = rng.choice(w.NOUNS)
    return rng.choice(
        [
            f"The word {word} starts with the letter",
            f"What is the first letter of {word}? It is",
            f"The first letter of {word} is",
            f"{word.capitalize()} is written with",
            f"{anyone(rng)[0]} writes {word}. It starts with",
        ]
    ), " " + word[0]
