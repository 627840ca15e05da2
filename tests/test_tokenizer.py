"""GPT-2's tokens: the official table, known ids, and a way back for every text."""

import hashlib
import random
import sys
from itertools import pairwise

import pytest

from model import Tokenizer
from model.tokenizer import END_OF_TEXT

VOCAB_BPE = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"

KNOWN = {
    "Hello world!": [15496, 995, 0],
    "Hello World": [15496, 2159],
    " SolidGoldMagikarp": [43453],
    "\n\n": [628],
    "$5 and $10": [3, 20, 290, 720, 940],
    "café": [66, 1878, 2634],
    "the the the the": [1169, 262, 262, 262],
    "🤗": [8582, 97, 245],
    "東京": [30266, 109, 12859, 105],
    "When Mary and John went to the store, John gave a drink to": [
        *(2215, 5335, 290, 1757, 1816, 284, 262, 3650, 11, 1757, 2921, 257, 4144, 284)
    ],
    "": [],
}


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer()


# ------------------------------------------------------------------------------ the official table


def byte_letters() -> dict[int, str]:
    """How vocab.bpe writes each byte: itself where printable, else a letter from U+0100 on."""
    printable = [b for b in range(256) if chr(b).isprintable() and chr(b) != " "]
    others = [b for b in range(256) if b not in printable]
    return {b: chr(b) for b in printable} | {b: chr(256 + i) for i, b in enumerate(others)}


def halves(token: bytes, ranks: dict[bytes, int]) -> tuple[bytes, bytes]:
    """The pair whose merge is `token`: what the merges before it make of its bytes."""
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        pairs = [(ranks.get(a + b, sys.maxsize), i) for i, (a, b) in enumerate(pairwise(parts))]
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts[0], parts[1]


def test_the_ranks_are_the_official_ones(tokenizer):
    """vocab.bpe rebuilt from the table that ships here has the SHA-256 of OpenAI's own."""
    letters = byte_letters()
    tokens = [tokenizer.bytes_of(i) for i in range(50256)]
    assert tokens[:256] == [bytes([b]) for b in letters]
    ranks = {token: rank for rank, token in enumerate(tokens)}
    lines = ["#version: 0.2"]
    for token in tokens[256:]:
        lines.append(" ".join("".join(letters[b] for b in half) for half in halves(token, ranks)))
    content = "\n".join([*lines, ""]).encode()
    assert hashlib.sha256(content).hexdigest() == VOCAB_BPE


def test_sizes(tokenizer):
    assert (tokenizer.vocabsize, tokenizer.end_of_text) == (50257, 50256)


# ------------------------------------------------------------------------------------ text <-> ids


@pytest.mark.parametrize(("text", "ids"), KNOWN.items())
def test_known_ids(tokenizer, text, ids):
    assert tokenizer.encode(text) == ids
    assert tokenizer.decode(ids) == text


def test_the_special_token(tokenizer):
    assert tokenizer.encode(END_OF_TEXT) == [50256]
    assert tokenizer.encode(f"a{END_OF_TEXT}b") == [64, 50256, 65]
    assert tokenizer.encode("x", bos=True) == [50256, 87]
    assert tokenizer.encode("", bos=True) == [50256]
    assert tokenizer.decode([27, 91, 437, 1659, 5239, 91, 29]) == END_OF_TEXT
    assert tokenizer.encode("<|endoftext|") == [27, 91, 437, 1659, 5239, 91]


RANGES = [
    *((0x00, 0x7F), (0x20, 0x20), (0x80, 0x24F), (0x300, 0x36F), (0x590, 0x6FF), (0x900, 0x97F)),
    *((0x1100, 0x11FF), (0x2000, 0x206F), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xE000, 0xF8FF)),
    *((0xFE00, 0xFE0F), (0xFFF0, 0xFFFF), (0x1F300, 0x1FAFF), (0xE0100, 0xE01EF), (0x0, 0x10FFFF)),
]


def random_text(rng: random.Random) -> str:
    """Runs of characters from one script each, every code point but lone surrogates."""
    runs = rng.choices(RANGES, k=rng.randint(1, 5))
    codes = [rng.randint(*run) for run in runs for _ in range(rng.randint(1, 8))]
    return "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF)


def test_every_text_comes_back(tokenizer):
    rng = random.Random(0)
    for _ in range(3000):
        text = random_text(rng)
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text
        assert "".join(group_texts(tokenizer, ids)) == text


def test_every_character_of_the_first_plane_comes_back(tokenizer):
    text = "".join(chr(code) for code in range(0x10000) if not 0xD800 <= code <= 0xDFFF)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_half_a_surrogate_pair_is_refused_by_place(tokenizer):
    with pytest.raises(ValueError, match=r"character 3 of the text is half .* \(U\+D83E\)"):
        tokenizer.encode("ab\ud83e")


def test_bytes_that_end_inside_a_character_become_a_mark(tokenizer):
    assert tokenizer.decode([8582, 97]) == "\N{REPLACEMENT CHARACTER}"


def test_an_id_beyond_the_vocabulary_has_no_bytes(tokenizer):
    assert tokenizer.bytes_of(50257) == tokenizer.bytes_of(-1) == b""
    assert tokenizer.decode([15496, 50300]) == "Hello"


# -------------------------------------------------------------------------------------- pieces


def group_texts(tokenizer, ids) -> list[str]:
    """The text of each group of pieces, once."""
    return list({piece.group: piece.group_text for piece in tokenizer.pieces(ids)}.values())


def test_fragments_are_tied_to_their_character(tokenizer):
    pieces = tokenizer.pieces(tokenizer.encode("a🤗🤗!"))
    assert [piece.raw for piece in pieces] == [
        *(b"a", b"\xf0\x9f", b"\xa4", b"\x97", b"\xf0\x9f", b"\xa4", b"\x97", b"!")
    ]
    assert [piece.text for piece in pieces] == ["a", *[None] * 6, "!"]
    assert [piece.group for piece in pieces] == [0, 1, 1, 1, 2, 2, 2, 3]
    assert [piece.group_text for piece in pieces] == ["a", *["🤗"] * 6, "!"]


@pytest.mark.parametrize(
    ("ids", "groups"),
    [
        ([12520, 262], [0, 1]),  # b" \xf0\x9f", b" the": a whole word is no part of what is broken
        ([12520, 50256, 12520], [0, 1, 2]),
        ([12520, 12520, 12520, 0], [0, 1, 2, 3]),
        ([12520, 8582, 97, 245], [0, 1, 1, 1]),  # broken, and then a whole face
    ],
)
def test_a_broken_character_takes_nothing_with_it(tokenizer, ids, groups):
    assert [piece.group for piece in tokenizer.pieces(ids)] == groups


def test_pieces_hold_the_ids_and_bytes_of_the_text(tokenizer):
    rng = random.Random(1)
    for _ in range(300):
        text = random_text(rng)
        ids = tokenizer.encode(text)
        pieces = tokenizer.pieces(ids)
        assert [piece.id for piece in pieces] == ids
        assert b"".join(piece.raw for piece in pieces) == text.encode()
        numbers = [piece.group for piece in pieces]
        assert numbers == sorted(numbers)


def test_only_the_special_token_is_marked_special(tokenizer):
    as_token = tokenizer.pieces(tokenizer.encode(f"a{END_OF_TEXT}"))
    assert [piece.special for piece in as_token] == [False, True]
    as_text = tokenizer.pieces([27, 91, 437, 1659, 5239, 91, 29])
    assert not any(piece.special for piece in as_text)


def test_fragments_that_never_make_a_character_have_no_text(tokenizer):
    (piece,) = tokenizer.pieces([8582])
    assert (piece.text, piece.group_text) == (None, "\N{REPLACEMENT CHARACTER}")
