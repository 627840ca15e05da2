"""Families of small tasks with one right next word. Each is a function `rng -> (prompt, answer)`.

The prompt ends where the model should answer, and the answer begins with the space that GPT-2's
tokens carry. FAMILIES lists them all by name.
"""

from collections.abc import Callable
from random import Random

from model.mini import words as w

Item = tuple[str, str]
FAMILIES: dict[str, Callable[[Random], Item]] = {}


def family(make: Callable[[Random], Item]) -> Callable[[Random], Item]:
    """Enter a family in FAMILIES under its function's name."""
    FAMILIES[make.__name__] = make
    return make


# Small pieces that many families share.


def a(noun: str) -> str:
    """`apple` -> `an apple`"""
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"


def split_last(text: str) -> Item:
    """Cut before the last word: `the red hat` -> (`the red`, ` hat`)."""
    prompt, _, answer = text.rpartition(" ")
    return prompt, " " + answer


def cut_repeat(rng: Random, parts: list[str], glue: str = " ") -> Item:
    """`a b c` -> (`a b c a b`, ` c`): the second time stops before a random word."""
    stop = rng.randint(1, len(parts) - 1) if len(parts) > 1 else 0
    return f"{glue.join(parts)}{glue}{' '.join(parts[:stop])}".rstrip(), " " + parts[stop]


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


def walk(rng: Random, chain: list[str], longest: int = 8, circle: bool = False) -> list[str]:
    """A run of 3 to `longest` neighbours from `chain`, which may close to a circle."""
    size = rng.randint(3, min(longest, len(chain)))
    start = rng.randrange(len(chain) if circle else len(chain) - size + 1)
    return [chain[(start + i) % len(chain)] for i in range(size)]


def listing(rng: Random, steps: list[str]) -> Item:
    """A sequence written with commas, or with spaces; the last step is the answer."""
    glue = rng.choice([", ", ", ", ", ", " "])
    return glue.join(steps[:-1]) + glue.rstrip(), " " + steps[-1]


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
            f"{who} was {rng.choice(w.FEELINGS)} because the {what} was {rng.choice(w.COLORS)}",
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
    return cut_repeat(rng, parts, rng.choice([" ", " ", " ", ", "]))


@family
def same_word(rng: Random) -> Item:
    """`the the the the` -> ` the`"""
    word = rng.choice([*w.POOL, "the", "a", "and", "of", "to", "in", "it"])
    return " ".join([word] * rng.randint(3, 8)), " " + word


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
    size = rng.randint(2 * len(parts), 4 * len(parts))
    run = [parts[i % len(parts)] for i in range(size + 1)]
    return listing(rng, run)


@family
def reversed_words(rng: Random) -> Item:
    """`red, hat, cup reversed is cup, hat,` -> ` red`"""
    parts = rng.sample(w.POOL, rng.randint(2, 5))
    back = parts[::-1]
    stop = rng.randrange(len(back))
    return f"{', '.join(parts)} backwards is {' '.join(p + ',' for p in back[:stop])}".rstrip(), (
        " " + back[stop]
    )


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
            [("The girl", "she"), ("The boy", "he"), ("The woman", "she"), ("The man", "he")]
        )
    if rng.random() < 0.2:
        name, subject = " and ".join(two_names(rng)), "they"
    was = "were" if subject == "they" else "was"
    where = place_phrase(rng)
    return rng.choice(
        [
            f"{name} {was} {rng.choice(w.FEELINGS)} because",
            f"{name} {rng.choice(w.ACTS)[1]} {where} until",
            f"When {name} {rng.choice(w.DEEDS)[1]} the {thing(rng)},",
            f"{name} said that",
            f"{name} {rng.choice(w.ACTS)[1]} {where}. Then",
        ]
    ), " " + subject


@family
def possessive(rng: Random) -> Item:
    """`Anna lost` -> ` her`, and the mirror: `Anna looked at` -> ` herself`"""
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
    """`The keys on the table` -> ` are`"""
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
    """`"I am hungry," said Tom. "I am tired," said Anna. The hungry one was` -> ` Tom`"""
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
    closing, text = [], []
    for _ in range(rng.randint(2, 7)):
        if not closing or (rng.random() < 0.5 and len(closing) < 3):
            opening, end = rng.choice([("(", ")"), ("[", "]"), ("{", "}")])
            text += [opening, rng.choice(w.POOL)]
            closing.append(end)
        else:
            text += [closing.pop(), rng.choice(w.POOL)]
    if not closing:
        text, closing = ["(", text[-1]], [")"]
    return " ".join(text), " " + closing[-1]


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
    return listing(rng, walk(rng, chain))


@family
def digits(rng: Random) -> Item:
    """`3, 4, 5, 6,` -> ` 7`, also in twos, fives, tens and downwards."""
    step = rng.choice([1, 1, 1, 2, 3, 5, 10, -1, -2])
    size = rng.randint(4, 8)
    start = rng.randint(0, 40 if step < 10 else 9)
    run = [start + step * i for i in range(size)]
    if min(run) < 0:
        run = [x - min(run) for x in run]
    return listing(rng, [str(x) for x in run])


@family
def letters(rng: Random) -> Item:
    """`A, B, C, D,` -> ` E`"""
    chain = rng.choice([w.LETTERS, [x.lower() for x in w.LETTERS]])
    return listing(rng, walk(rng, chain))


@family
def days(rng: Random) -> Item:
    """`Monday, Tuesday, Wednesday,` -> ` Thursday`"""
    if rng.random() < 0.6:
        return listing(rng, walk(rng, w.DAYS, circle=True))
    here, there = walk(rng, w.DAYS, 3, circle=True)[:2]
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
        return listing(rng, walk(rng, rng.choice([w.MONTHS, w.MONTHS, w.SEASONS]), circle=True))
    here, there = walk(rng, w.MONTHS, 3, circle=True)[:2]
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
    """`3 + 4 =` -> ` 7`"""
    x, y = rng.randint(0, 12), rng.randint(0, 12)
    if rng.random() < 0.35:
        return f"{x + y} - {x} =", f" {y}"
    return f"{x} + {y} =", f" {x + y}"


@family
def word_sums(rng: Random) -> Item:
    """`two plus three is` -> ` five`"""
    x, y = rng.randint(0, 10), rng.randint(0, 10)
    names = w.NUMBERS
    return rng.choice(
        [
            (f"{names[x]} plus {names[y]} is", " " + names[x + y]),
            (f"{names[x + y]} minus {names[x]} is", " " + names[y]),
        ]
    )


@family
def counting(rng: Random) -> Item:
    """`cat cat cat. How many? There are` -> ` three`"""
    one, many = rng.choice(w.ANIMALS + w.FOODS)
    count = rng.randint(2, 7)
    return f"{' '.join([one] * count)}. The number of {many} is", " " + w.NUMBERS[count]


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
    """`A bird lives in a` -> ` nest`"""
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
    """`A rose is a kind of` -> ` flower`"""
    kind = rng.choice(list(w.KINDS))
    member = rng.choice(w.KINDS[kind].split())
    return rng.choice(
        [
            (f"{a(member).capitalize()} is a kind of", " " + kind),
            (f"What is {a(member)}? It is {a(kind).split()[0]}", " " + kind),
            (f"The word {member} is the name of {a(kind).split()[0]}", " " + kind),
        ]
    )


@family
def odd_company(rng: Random) -> Item:
    """`apple, pear and plum are fruits; ...`: name the kind of a list."""
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
    """`To cut, you need a` -> ` knife`"""
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
            (f"In {tongue}, {row[0]} is", " " + foreign),
            (f"How do you say {row[0]} in {tongue}? You say", " " + foreign),
        ]
    )


@family
def first_letter(rng: Random) -> Item:
    """`The word apple starts with the letter` -> ` a`"""
    word = rng.choice(w.POOL)
    if rng.random() < 0.5:
        return f"The word {word} starts with the letter", " " + word[0]
    return f"The word {word} ends with the letter", " " + word[-1]
