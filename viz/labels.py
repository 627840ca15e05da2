"""How a token and a writer are written, everywhere: chips, axes, hovers, captions, tables.

A token is data. What it shows is made of visible characters only, never runs as markup, and keeps
its reading direction to itself.
"""

import html
import math
import unicodedata
from dataclasses import dataclass

# Spaces and line breaks are part of a token and change what the model reads, so they must be seen.
VISIBLE = {" ": "·", "\n": "↵", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"}
ISOLATE, END_ISOLATE = "\u2068", "\u2069"  # text inside them cannot turn what is around
INVISIBLE = {"Cc", "Cf", "Co", "Cn", "Zl", "Zp", "Zs"}  # Unicode's categories with nothing to see
MINUS = "−"  # as wide as a plus; a hyphen is not
LONGEST = 14  # characters shown of one token where room is scarce


@dataclass(frozen=True)
class TokenLabel:
    """One token of the prompt, ready to be shown."""

    position: int
    id: int
    text: str  # visible characters, whole
    short: str  # the same, cut to LONGEST
    note: str  # what a reader should know about it; empty for an ordinary token
    group: int  # fragments of one character share it
    kind: str  # "text", "fragment" or "special"
    whole: str  # the character or characters a fragment belongs to

    @property
    def plain(self) -> str:
        """For plotly's axes and hovers, whose pseudo-HTML is escaped here."""
        return self.cut(LONGEST)

    def cut(self, longest: int) -> str:
        """`plain` with at most `longest` characters, for the cells of a table."""
        return isolate(html.escape(shorten(self.text, longest), quote=False))

    @property
    def html(self) -> str:
        """For HTML: a `<code>` of its own, isolated, escaped."""
        return f'<code class="gb-token"><bdi>{html.escape(self.short)}</bdi></code>'


def token_label(
    position: int, token: int, raw: bytes, *, group: int, group_text: str, special: bool
) -> TokenLabel:
    """The label of one token, from its id, its bytes and the character group it stands in."""
    if special:
        text, note, kind = "<|endoftext|>", "special token: a new document begins", "special"
    elif not raw:
        text, note, kind = f"⟨{token}⟩", "an id that GPT-2's encoding does not know", "special"
    elif (decoded := _decoded(raw)) is not None:
        text, note, kind = visible(decoded), "", "text"
    else:
        text = "⟨" + raw.hex(" ") + "⟩"
        note, kind = f"bytes {raw.hex(' ')}, part of {visible(group_text)}", "fragment"
    return TokenLabel(position, token, text, shorten(text), note, group, kind, visible(group_text))


def unseen_word(token: int) -> TokenLabel:
    """The label of all tokens that a model was never trained on, of which `token` is one."""
    text, note = "⟨unseen⟩", "any token that this model was never trained on"
    return TokenLabel(0, token, text, text, note, 0, "special", text)


def whole(text: str) -> str:
    """The text with halves of surrogate pairs, which nothing can write, replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def visible(text: str) -> str:
    """`text` with every character seen: spaces as ·, controls and direction marks by their code."""
    shown = "".join(VISIBLE.get(char) or _visible_char(char) for char in text)
    return "◌" + shown if unicodedata.category(text[:1] or "a").startswith("M") else shown


def shorten(text: str, longest: int = LONGEST) -> str:
    """At most `longest` characters, the middle left out where there are more."""
    if len(text) <= longest:
        return text
    tail = longest // 3
    return text[: longest - tail - 1] + "…" + text[-tail:]


def isolate(text: str) -> str:
    """`text` between isolates, so that right-to-left letters stay among themselves."""
    return f"{ISOLATE}{text}{END_ISOLATE}"


def writer_label(writer: str) -> str:
    """`blocks.5.attn` -> `5 attn`; `embed` stays."""
    return writer.removeprefix("blocks.").replace(".", " ")


def probability(value: float) -> str:
    """Two decimals, or what is honest below that: 0.71, 0.004, <0.001."""
    if value >= 0.0995:
        return f"{value:.2f}"
    return f"{value:.3f}" if value >= 0.0005 else "<0.001"


def percent(share: float) -> str:
    """A share of 0 to 1 in whole per cent; 0% and 100% only where it is none or all."""
    said = f"{share:.0%}"
    if said == "100%" and share < 1:
        return "over 99%"
    return "under 1%" if said == "0%" and share > 0 else said


def magnitude(value: float) -> str:
    """Three significant digits, thousands in full: 0.0412, 4.12, 187, 3,010."""
    if not math.isfinite(value):
        return "not finite"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", MINUS)
    return f"{value + 0.0:.3g}".replace("-", MINUS)  # none before a zero


def decimals(value: float, places: int = 2, signed: bool = False) -> str:
    """A number to be read: 0.35, −0.35, signed +0.35; no minus before a zero."""
    rounded = round(float(value), places) + 0.0
    return f"{rounded:{'+' if signed else ''}.{places}f}".replace("-", MINUS)


def error_size(value: float) -> str:
    """A measured error: `0`, or one digit and its power of ten."""
    return "0" if value == 0 else f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e+")


def _decoded(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _visible_char(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Cc" and ord(char) < 0x20:
        return chr(0x2400 + ord(char))  # ␀ and its neighbours
    if category in INVISIBLE or "\ufe00" <= char <= "\ufe0f":  # the latter: variation selectors
        return f"⟨U+{ord(char):04X}⟩"
    return char
