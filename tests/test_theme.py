"""Two themes, complete, readable, and the same in Streamlit's settings as in the figures."""

import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest

from viz.theme import DARK, FONT, LIGHT, MONO, css_variables, mix, scale, text_on, theme_named

ROOT = Path(__file__).parents[1]
BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_streamlit_shows_the_same_colours():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    for theme in (LIGHT, DARK):
        mine = settings[theme.name]
        assert mine["backgroundColor"] == theme.background
        assert mine["secondaryBackgroundColor"] == theme.surface
        assert mine["textColor"] == theme.text
        assert mine["borderColor"] == theme.line
        assert mine["primaryColor"] == theme.attn
    assert (settings["font"], settings["codeFont"]) == (FONT, MONO)


@BOTH
@pytest.mark.parametrize("ground", ["background", "surface"])
@pytest.mark.parametrize("ink", ["text", "muted", "embed", "attn", "ff", "norm", "head", "accent"])
def test_text_can_be_read_on_every_ground(theme, ground, ink):
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 4.5


@BOTH
@pytest.mark.parametrize("kind", ["embed", "attn", "ff", "norm", "head"])
def test_boxes_can_be_read_picked_or_not(theme, kind):
    assert contrast(theme.text, getattr(theme, f"{kind}_soft")) >= 7
    assert contrast(theme.on_strong, getattr(theme, kind)) >= 4.5


@BOTH
@pytest.mark.parametrize("kind", ["attn", "norm", "head", "ff"])
def test_scales_grow_steadily_away_from_the_ground(theme, kind):
    steps = [contrast(theme.surface, colour) for _, colour in scale(theme, kind)]
    assert steps == sorted(steps)
    assert steps[0] == pytest.approx(1)
    assert steps[-1] > 4


@BOTH
@pytest.mark.parametrize("step", range(21))
def test_words_can_be_read_on_every_shade_of_a_cell(theme, step):
    share = step / 20
    cell = mix(theme.surface, theme.head, share)
    assert contrast(text_on(cell), cell) >= 4.5


def test_css_has_every_colour_for_both_themes():
    css = css_variables()
    for light, dark in zip(asdict(LIGHT).values(), asdict(DARK).values(), strict=True):
        if light.startswith("#"):
            assert f"light-dark({light}, {dark})" in css


def test_an_unknown_theme_is_light():
    assert theme_named(None) is LIGHT
    assert theme_named("dark") is DARK


def test_mixing_ends_where_it_should():
    assert [mix("#000000", "#ffffff", share) for share in (0, 0.5, 1)] == [
        *("#000000", "#808080", "#ffffff"),
    ]
