"""A report as lines of text, for any terminal: nothing in a token can move or colour anything."""

import unicodedata
from collections.abc import Iterator

from torch import Tensor

from model.lens import Lens
from model.report import Report, alone
from model.tokenizer import Piece, printable

CHECKS = {
    "row_sum": "each row of attention sums to 1",
    "stream": "the stream is the sum of what was written to it",
    "lens": "the last row of the lens is the model's answer",
}
GUESS = 14  # columns of a guess in the lens table: a token in quotes, a space, 0.00


def as_text(report: Report, width: int) -> str:
    """The tokens, the lens at the last of them, the next token and the checks.

    Args:
        width: columns of the terminal; lines stay within it if it has at least 60.
    """
    parts = (_model, _tokens, _lens, _next_token, _checks)
    return "\n\n".join("\n".join(part(report, width)) for part in parts)


def _model(report: Report, _width: int) -> Iterator[str]:
    c = report.trace.config
    yield f"{report.source}: {c.N} blocks, {c.H} heads, width {c.dmodel}, context {c.max_seq_len}"


def _tokens(report: Report, width: int) -> Iterator[str]:
    """A line a token, with what the model takes to be the next one."""
    room = min(28, width - 36)
    yield f"{'#':>4} {'id':>6}  {_pad('token', room)}  guess at the next"
    for i, (piece, guess) in enumerate(zip(report.pieces, _best(report.logits), strict=True)):
        yield f"{i:>4} {piece.id:>6}  {_pad(_in_text(piece), room)}  {_guess(*guess, 16)}"


def _best(logits: Tensor) -> list[tuple[int, float]]:
    """logits: (S, vocabsize) -> the best token of each row and its probability"""
    top, ids = logits.max(dim=-1)  # (S,)
    return list(zip(ids.tolist(), (top - logits.logsumexp(dim=-1)).exp().tolist(), strict=True))


def _lens(report: Report, width: int) -> Iterator[str]:
    """A line a writer, in the order they write, with as many guesses as a line takes."""
    lens = report.lens
    name = max(map(len, lens.writers))
    head = f"{'writer':<{name}}  entropy      KL{'' if lens.target is None else '    rank  prob'}"
    k = lens.ids.shape[-1]
    count = min(k, max(1, (width - len(head)) // (GUESS + 2)))
    yield f"Logit lens at token {len(report.pieces) - 1}: the answer after each writer"
    yield f"{head}  best guess{'es' if count > 1 else ''}"
    for row, writer in enumerate(lens.writers):
        pairs = zip(lens.ids[row, -1, :count].tolist(), lens.probs[row, -1], strict=False)
        guesses = "  ".join(_guess(token, prob, GUESS - 5) for token, prob in pairs)
        yield f"{writer:<{name}}  {_numbers(lens, row)}  {guesses}"
    yield "entropy and KL(last row || row) in nats"
    if lens.target is not None:
        yield f"rank, 0 is best, and prob are those of {spell(alone(lens.target))}"


def _numbers(lens: Lens, row: int) -> str:
    numbers = f"{lens.entropy[row, -1]:7.2f}  {lens.kl[row, -1]:6.2f}"
    if lens.target is None:
        return numbers
    return f"{numbers}  {lens.rank[row, -1]:>6}  {lens.target_prob[row, -1]:4.2f}"


def _next_token(report: Report, width: int) -> Iterator[str]:
    """All the guesses of the last row, which are the model's."""
    yield "Next token, as the model has it:"
    guesses = zip(report.lens.ids[-1, -1].tolist(), report.lens.probs[-1, -1], strict=True)
    for token, prob in guesses:
        yield f"  {prob:6.4f}  {token:>6}  {_cut(spell(alone(token)), width - 18)}"


def _checks(report: Report, _width: int) -> Iterator[str]:
    yield "Checks, with the largest error measured:"
    for name, error in report.checks.items():
        yield f"  {error:7.1e}  {CHECKS.get(name, name)}"


# ---------------------------------------------------------------------------------------- tokens


def spell(piece: Piece) -> str:
    """A token in quotes, as one would type it; a fragment of a character as its bytes, <f0 9f>."""
    if piece.special:
        return "<|endoftext|>"
    if piece.text is None:
        return f"<{piece.raw.hex(' ')}>"
    if not piece.raw:
        return f"[{piece.id}]"  # beyond GPT-2's vocabulary: this token has no text
    return _quoted(piece.text)


def _quoted(text: str) -> str:
    text = "".join(map(_visible, text))
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in text):
        text = f"\u2068{text}\u2069"  # isolated, or it would turn around the numbers beside it
    return f'"{text}"'


def _visible(character: str) -> str:
    if character in '\\"':
        return "\\" + character
    return printable(character)


def _in_text(piece: Piece) -> str:
    """A token where it stands; a fragment with the character it is part of."""
    if piece.text is not None or "\N{REPLACEMENT CHARACTER}" in piece.group_text:
        return spell(piece)
    return f"{spell(piece)} of {_quoted(piece.group_text)}"


def _guess(token: int, prob: float, room: int) -> str:
    return f"{_pad(spell(alone(token)), room)} {prob:4.2f}"


def _pad(text: str, columns: int) -> str:
    text = _cut(text, columns)
    return text + " " * (columns - sum(map(_columns, text)))


def _cut(text: str, columns: int) -> str:
    """`text` in at most `columns` columns; `..` at its end says that some is left out."""
    if sum(map(_columns, text)) <= columns:
        return text
    while text and sum(map(_columns, text)) > columns - 2:
        text = text[:-1]
    return text + ".."


def _columns(character: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0  # accents, and marks that are not seen
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
