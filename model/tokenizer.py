"""Text to token ids and back, with GPT-2's byte-pair encoding, from a table that ships with us.

GPT-2 reads bytes, not letters: a token is a run of bytes that was frequent in its training text.
Most tokens are readable words, but a rare character may be cut into tokens that are only part of a
character each; `pieces` tells which belong together.
"""

import base64
import codecs
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tiktoken
from tiktoken_ext.openai_public import r50k_pat_str

RANKS = Path(__file__).parent.parent / "assets" / "gpt2.tiktoken"
END_OF_TEXT = "<|endoftext|>"


@dataclass(frozen=True)
class Piece:
    """One token as it stands in a text."""

    id: int
    raw: bytes  # the token's own bytes; empty for an id the encoding does not know
    text: str | None  # those bytes as text, or None where they are only part of a character
    group: int  # tokens that share a character share this number; it counts up from 0
    group_text: str  # the text of the whole group: the character that fragments belong to
    special: bool  # <|endoftext|>, which is no text at all


class Tokenizer:
    """GPT-2's byte-pair encoding. Needs no network; safe from any thread."""

    def __init__(self):
        self._encoding = _encoding()
        self.vocabsize = self._encoding.n_vocab
        self.end_of_text = self._encoding.eot_token

    def encode(self, text: str, bos: bool = False) -> list[int]:
        """Token ids of `text`; `<|endoftext|>` in it is the special token 50256.

        Args:
            bos: put 50256 in front, as GPT-2 saw it between documents in training.
        Raises:
            ValueError: if `text` holds half of a surrogate pair, which no encoding can write.
        """
        check_encodable(text)
        ids = self._encoding.encode(text, allowed_special={END_OF_TEXT})
        return [self.end_of_text, *ids] if bos else ids

    def decode(self, ids: list[int]) -> str:
        """The text of `ids`; bytes that are no complete character become U+FFFD."""
        return b"".join(self.bytes_of(i) for i in ids).decode("utf-8", errors="replace")

    def bytes_of(self, token: int) -> bytes:
        """The bytes `token` stands for; empty where a model's vocabulary is larger than GPT-2's."""
        if not 0 <= token < self.vocabsize:
            return b""
        return self._encoding.decode_single_token_bytes(token)

    def pieces(self, ids: list[int]) -> tuple[Piece, ...]:
        """One Piece a token, with fragments of one character tied together by their group."""
        raws = [self.bytes_of(i) for i in ids]
        groups = _character_groups(raws)
        texts = _group_texts(raws, groups)
        return tuple(
            Piece(token, raw, _as_text(raw), group, texts[group], token == self.end_of_text)
            for token, raw, group in zip(ids, raws, groups, strict=True)
        )


@cache
def _encoding() -> tiktoken.Encoding:
    lines = RANKS.read_bytes().splitlines()
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in map(bytes.split, lines)}
    return tiktoken.Encoding(
        name="gpt2",
        pat_str=r50k_pat_str,
        mergeable_ranks=ranks,
        special_tokens={END_OF_TEXT: 50256},
        explicit_n_vocab=50257,
    )


def printable(text: str) -> str:
    """`text` with controls and invisible marks spelled out, so that none can steer a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def check_encodable(text: str) -> None:
    """Raise ValueError, naming the place, if `text` holds a lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"character {error.start + 1} of the text is half of a surrogate pair "
            f"(U+{ord(text[error.start]):04X}), which stands for nothing on its own"
        ) from None


def _character_groups(raws: list[bytes]) -> list[int]:
    """A number for each token; it stays only while a character begun is really gone on with."""
    groups, group, pending = [], 0, b""
    for raw in raws:
        if pending and not _goes_on(pending, raw):
            group, pending = group + 1, b""  # what was begun stays broken; this is no part of it
        groups.append(group)
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        decoder.decode(pending + raw)
        pending, _ = decoder.getstate()
        group += not pending
    return groups


def _goes_on(pending: bytes, raw: bytes) -> bool:
    """Whether `raw` begins with what the unfinished character `pending` still lacks."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(pending + raw)
    except UnicodeDecodeError as error:
        return error.start >= len(pending)
    return True


def _group_texts(raws: list[bytes], groups: list[int]) -> dict[int, str]:
    joined: dict[int, bytes] = {}
    for raw, group in zip(raws, groups, strict=True):
        joined[group] = joined.get(group, b"") + raw
    return {group: raw.decode("utf-8", errors="replace") for group, raw in joined.items()}


def _as_text(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
