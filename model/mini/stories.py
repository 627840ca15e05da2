"""Short stories which keep people, places, things and times straight.

A story is a plot from plots.txt, told with a cast: every slot is filled once and stays the same to
the end, so that who did what with which thing can be read from the story itself.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from model.mini import words as w

PLOTS = Path(__file__).with_name("plots.txt")
PRONOUNS = {"girl": ("she", "her", "her"), "boy": ("he", "him", "his")}
RELATIVES = w.listed("mother father grandmother grandfather sister brother aunt uncle")
PET_NAMES = w.listed("""Max Lucky Spot Snow Star Honey Pepper Charlie Ginger Bella Rocky Sunny Ruby
Coco""")
SELLERS = w.listed("""old_man old_woman baker farmer sailor painter shepherd fisherman soldier
gardener hunter writer""")
MACHINES = w.listed("clock radio engine train bus lift mill tractor pump lamp computer printer")
WORKERS = w.listed("""doctor teacher farmer baker painter gardener builder driver pilot writer cook
nurse carpenter tailor sailor fisherman""")
TRANSPORT = ("by train", "by bus", "on foot", "by bike", "by car", "on a horse", "by boat")
METALS = w.listed("iron golden silver wooden copper")
CAKES = w.listed("apple_pie cake chocolate_cake lemon_cake pizza pumpkin_pie loaf_of_bread")
DRINKS = ("tea", "milk", "hot chocolate", "coffee", "juice", "water", "lemonade")
SHOPS = ("shop", "market", "store", "toy shop", "bakery")
FLOWERS = (("rose", "roses"), ("tulip", "tulips"), ("lily", "lilies"), ("sunflower", "sunflowers"))
GOOD_MOODS = ("happy", "glad", "proud", "cheerful", "calm", "excited")
BAD_MOODS = ("sad", "angry", "afraid", "worried", "lonely", "tired", "bored", "nervous")
# Where a story can take place, and what it can happen beside or under.
OUTDOORS = w.listed("""park garden forest farm beach village city field playground island market
harbor valley meadow zoo castle town river lake mountain orchard station""")
# Some of them one is on or at, not in.
ON = w.listed("island beach farm mountain playground")
AT = w.listed("river lake harbor station market")
LANDMARKS = w.listed("tree bench bush bridge fence gate wall statue fountain rock")
BOXES = w.listed("box bag basket bucket jar suitcase backpack chest tin")
SOLIDS = w.listed("bread cheese butter rice meat ham salad chocolate honey sugar salt")
# What can be said of almost any thing, and of a place to put it.
LOOKS = w.listed("""old new big small beautiful strange tiny special simple pretty rare wonderful
unusual little dusty lovely""")
# What animals and children alike can do.
MOVES = w.listed("run jump sing dance swim play climb hide walk travel laugh")
# What one can be for a whole story, whatever one's age and size.
TEMPERS = [temper for temper in w.TEMPERS if temper not in ("old", "young", "little")]
TIMES = ("morning", "afternoon", "evening", "day", "night")


@dataclass(frozen=True)
class Stage:
    """One step of a plot: its variants, and whether it may be left out."""

    variants: tuple[str, ...]
    optional: bool


Plot = tuple[Stage, ...]


@cache
def plots() -> dict[str, Plot]:
    """Every plot of plots.txt by its title; `@opening` and `@ending` are shared parts."""
    found = {}
    for paragraph in PLOTS.read_text().split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line]
        title = [line for line in lines if line[0] in "#@"][-1]
        stages = tuple(_stage(line) for line in lines if line[0] not in "#@")
        if stages:
            found[title.lstrip("# ")] = stages
    return found


def _stage(line: str) -> Stage:
    variants = tuple(text.strip() for text in line.removeprefix("?").split(" | "))
    return Stage(variants, line.startswith("?"))


def story(rng: Random) -> str:
    """One story, as one paragraph or as a few."""
    titles = [title for title in plots() if not title.startswith("@")]
    title = rng.choice(titles)
    glue = "\n" if title == "a letter" else rng.choice([" ", " ", "\n"])
    return with_articles(with_prepositions(glue.join(told(rng, title, cast(rng)))))


def with_prepositions(text: str) -> str:
    """`in the island` -> `on the island`"""
    for preposition, places in (("on", ON), ("at", AT)):
        where = rf"(the|a) ({'|'.join(places)})\b"
        text = re.sub(rf"\bin {where}", rf"{preposition} \1 \2", text)
        text = re.sub(rf"\bIn {where}", rf"{preposition.capitalize()} \1 \2", text)
    return text


def with_articles(text: str) -> str:
    """`a old apple` -> `an old apple`"""
    return re.sub(r"\b([Aa]) (?=honest|hour|[aeiou](?!ne\b))", r"\1n ", text)


def told(rng: Random, title: str, slots: dict[str, str]) -> list[str]:
    """The stages of a plot in words, one variant each."""
    text = []
    for stage in plots()[title]:
        if stage.optional and rng.random() < 0.5:
            continue
        variant = rng.choice(stage.variants)
        if variant in ("{OPENING}", "{ENDING}"):
            text += told(rng, "@" + variant.strip("{}").lower(), slots)
        else:
            text.append(variant.format(**slots))
    return text


def cast(rng: Random) -> dict[str, str]:
    """Everything that a story can name: a word for each slot, no two alike where it matters."""
    return {**people(rng), **animals(rng), **surroundings(rng), **goods(rng), **measures(rng)}


def person(rng: Random, prefix: str, taken: str = "") -> dict[str, str]:
    """A child's name, kind and pronouns, each slot under `prefix`."""
    kind = rng.choice(["girl", "boy"])
    pool = w.GIRLS if kind == "girl" else w.BOYS
    he, him, his = PRONOUNS[kind]
    name = rng.choice([n for n in pool if n != taken])
    return (
        {"name": name, "kind": kind}
        | {f"{prefix}{slot}": word for slot, word in (("he", he), ("him", him), ("his", his))}
        | {
            f"{prefix.rstrip('_')}{slot}": word.capitalize()
            for slot, word in (("He", he), ("His", his))
        }
    )


def people(rng: Random) -> dict[str, str]:
    """The hero, a friend, another one, a grown-up, a ruler."""
    hero = person(rng, "")
    friend = person(rng, "f_", hero["name"])
    friend |= {"friend": friend.pop("name"), "fkind": friend.pop("kind")}
    elder = person(rng, "t_")
    title = "Mr." if elder["kind"] == "boy" else rng.choice(["Mrs.", "Miss"])
    elder |= {"title": title, "surname": rng.choice(w.SURNAMES)}
    del elder["name"], elder["kind"]
    others = [n for n in w.GIRLS + w.BOYS if n not in (hero["name"], friend["friend"])]
    mass = rng.choice([many for _, many in w.PEOPLE if many not in ("babies", "kings", "queens")])
    temper, temper2 = rng.sample(TEMPERS, 2)
    return (
        hero
        | friend
        | elder
        | {
            "friend2": rng.choice(others),
            "relative": rng.choice(RELATIVES),
            "ruler": rng.choice(["king", "queen", "prince", "princess"]),
            "seller": rng.choice(SELLERS),
            "worker": rng.choice(WORKERS),
            "peoples": mass,
            "peoples_up": mass.capitalize(),
            "temper": temper,
            "temper2": temper2,
            "goodmood": rng.choice(GOOD_MOODS),
            "badmood": rng.choice(BAD_MOODS),
            "act": rng.choice(MOVES),
        }
    )


def animals(rng: Random) -> dict[str, str]:
    """A pet with a name, another animal, and a crowd of them."""
    (pet, _), (pet2, _), (_, many) = rng.sample(w.ANIMALS, 3)
    return {
        "pet": pet,
        "pet2": pet2,
        "petname": rng.choice(PET_NAMES),
        "animals": many,
    }


def surroundings(rng: Random) -> dict[str, str]:
    """Places, spots, weather and the time of the year."""
    place, place2 = rng.sample(OUTDOORS, 2)
    spot, spot2 = rng.sample(LANDMARKS, 2)
    day, day2 = rng.sample(w.DAYS, 2)
    month, month2 = rng.sample(w.MONTHS, 2)
    return {
        "place": place,
        "place2": place2,
        "spot": spot,
        "spot2": spot2,
        "day": day,
        "day2": day2,
        "month": month,
        "month2": month2,
        "time": rng.choice(TIMES),
        "season": rng.choice(w.SEASONS),
        "weather": rng.choice(w.WEATHER),
        "sky": rng.choice(["blue", "clear", "gray"]),
        "moon": rng.choice(["white", "bright", "yellow", "silver"]),
        "river": rng.choice(["river", "stream", "wide river", "deep lake"]),
        "bridge": rng.choice(["bridge", "wooden bridge", "stone bridge", "boat"]),
        "tree": rng.choice(["tree", "tall tree", "bush", "garden"]),
        "transport": rng.choice(TRANSPORT),
        "shop": rng.choice(SHOPS),
    }


def goods(rng: Random) -> dict[str, str]:
    """A thing, where it is kept, and what there is to eat and drink."""
    thing, things = rng.choice([pair for pair in w.THINGS if pair[0] not in w.CONTAINERS])
    food, foods = rng.choice(w.FOODS)
    flower, flowers = rng.choice(FLOWERS)
    color, tint2 = rng.sample(w.COLORS, 2)
    quality, quality2 = rng.sample(LOOKS, 2)
    return {
        "thing": thing,
        "thing_many": things,
        "box": rng.choice(BOXES),
        "food": food,
        "foods": foods,
        "flower": flower,
        "flowers": flowers,
        "eatable": rng.choice(SOLIDS),
        "cake": rng.choice(CAKES),
        "drink": rng.choice(DRINKS),
        "instrument": rng.choice(["piano", "guitar", "violin", "flute", "drum"]),
        "machine": rng.choice(MACHINES),
        "metal": rng.choice(METALS),
        "color": color,
        "tint2": tint2,
        "quality": quality,
        "quality2": quality2,
    }


def measures(rng: Random) -> dict[str, str]:
    """A small number and a larger one."""
    number = rng.choice(w.NUMBERS[2:13])
    return {
        "number": number,
        "number_up": number.capitalize(),
        "number2": rng.choice(w.NUMBERS[8:]),
    }
