"""Tokens are data: every character seen, none taken as markup."""

import html

import pytest

from viz.labels import (
    decimals,
    error_size,
    magnitude,
    percent,
    probability,
    shorten,
    token_label,
    visible,
    whole,
)


def label(raw: bytes, **changes):
    given = {"group": 0, "group_text": raw.decode(errors="replace"), "special": False}
    return token_label(3, 42, raw, **given | changes)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (" the", "·the"),
        ("\n\n", "↵↵"),
        ("\t", "⇥"),
        ("\x00\x1b", "␀␛"),
        ("\x7f\x85", "⟨U+007F⟩⟨U+0085⟩"),
        ("\u202eabc", "⟨U+202E⟩abc"),
        ("\u200b\ufeff\u2028", "⟨U+200B⟩⟨U+FEFF⟩⟨U+2028⟩"),
        ("\u00a0\u3000", "⍽⟨U+3000⟩"),
        ("\ufe0f", "◌⟨U+FE0F⟩"),
        ("\u0301", "◌\u0301"),
        ("é", "é"),
        ("$x$ *y* <b>", "$x$·*y*·<b>"),
    ],
)
def test_every_character_is_seen(text, seen):
    assert visible(text) == seen


def test_markup_is_escaped_for_plotly_and_for_html():
    token = label(b"<b>&amp;")
    assert token.text == "<b>&amp;"
    assert "<b>" not in token.plain
    assert html.unescape(token.plain).strip("\u2068\u2069") == token.text
    assert "<b>" not in token.html
    assert "&lt;b&gt;&amp;amp;" in token.html


def test_cutting_happens_before_escaping():
    token = label(b"<<<<<<<<<<<<<<<<<<<<")
    assert html.unescape(token.cut(9)).strip("\u2068\u2069") == "<<<<<…<<<"


def test_right_to_left_text_is_isolated():
    token = label("שלום".encode())
    assert token.plain.startswith("\u2068")
    assert token.plain.endswith("\u2069")
    assert "<bdi>" in token.html


def test_a_fragment_shows_its_bytes_and_its_character():
    token = label(b"\xf0\x9f", group_text="🤗")
    assert token.kind == "fragment"
    assert token.text == "⟨f0 9f⟩"
    assert "🤗" in token.note
    assert token.whole == "🤗"


def test_the_special_token_is_marked():
    token = label(b"<|endoftext|>", special=True)
    assert (token.kind, token.text) == ("special", "<|endoftext|>")
    assert token.note


def test_an_id_beyond_the_encoding_shows_its_number():
    assert label(b"").text == "⟨42⟩"


@pytest.mark.parametrize("length", range(1, 40))
def test_shortening_keeps_both_ends(length):
    text = "".join(chr(ord("a") + i % 26) for i in range(length))
    short = shorten(text)
    assert len(short) <= 14
    assert short[0] == text[0]
    assert short[-1] == text[-1]
    assert ("…" in short) == (length > 14)


def test_numbers_say_what_is_honest():
    assert [probability(p) for p in (1.0, 0.714, 0.0995, 0.05, 0.0004)] == [
        *("1.00", "0.71", "0.10", "0.050", "<0.001"),
    ]
    assert magnitude(-0.0) == "0" and decimals(-0.001) == "0.00"
    assert [magnitude(-0.0412), magnitude(-3010)] == ["−0.0412", "−3,010"]
    assert [decimals(-1.25), decimals(2, 3, signed=True)] == ["−1.25", "+2.000"]
    assert [magnitude(x) for x in (4.123, 187.4, 3010.2, 0.0123, float("inf"))] == [
        *("4.12", "187", "3,010", "0.0123", "not finite"),
    ]
    assert [error_size(e) for e in (0.0, 1.2e-7, 3.4e-10)] == ["0", "1e-7", "3e-10"]


def test_a_share_is_all_or_none_only_where_it_is():
    shares = {0.0: "0%", 1e-9: "under 1%", 0.5: "50%", 766 / 768: "over 99%", 1.0: "100%"}
    assert {share: percent(share) for share in shares} == shares


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_joined():
    assert whole("ab\ud83e") == "ab\ufffd"
    assert whole("\ud83e\udd17 東京") == "🤗 東京"
