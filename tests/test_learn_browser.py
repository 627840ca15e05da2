"""Learn in Chromium: turning sections, the pictures' controls, the hall, and accessibility."""

import os
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from viz.pages.learn import CHAPTER, ORDER
from viz.pages.view import SECTIONS

pytestmark = pytest.mark.browser

PROMPT = "the the the the"
LONG_WORDS = "The government international organizations"
SERIOUS = ("serious", "critical")


def ready(page, title: str) -> None:
    """Wait until the section of that title stands and nothing is running."""
    heading = page.locator("h1", has_text=title)
    heading.first.wait_for()
    page.locator("[data-testid='stStatusWidget']").wait_for(state="detached")
    page.locator("[data-stale='true']").first.wait_for(state="detached")
    assert page.locator("[data-testid='stException']").count() == 0


def opened(open_page, server, name: str, *args, prompt: str = PROMPT, **params):
    page = open_page(server.url("learn", section=name, q=prompt, **params), *args)
    ready(page, CHAPTER[name].title)
    return page


def asked(page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def test_the_chapter_is_read_from_first_to_last_section(server, open_page):
    page = opened(open_page, server, ORDER[0])
    for name in ORDER[1:]:
        page.locator(".st-key-turn_1 button").click()
        ready(page, CHAPTER[name].title)
        assert asked(page)["section"] == name
    expect(page.locator(".st-key-turn_1 button")).to_have_count(0)


def test_sections_are_chosen_by_keyboard_from_the_contents(server, open_page):
    page = opened(open_page, server, "config")
    page.get_by_role("radio", name=f"8 {SECTIONS['gpt']}").focus()
    page.keyboard.press("Enter")
    ready(page, CHAPTER["gpt"].title)


def test_a_section_leads_to_its_box_on_explore_and_back(server, open_page):
    page = opened(open_page, server, "mlp", at="blocks.2.ff")
    page.get_by_role("link", name="Open blocks.2.ff on Explore").click()
    page.locator(".box.picked").wait_for()
    expect(page.locator(".box.picked")).to_have_attribute("data-name", "blocks.2.ff")
    assert asked(page)["q"] == PROMPT
    page.get_by_role("link", name="Learn").click()
    ready(page, CHAPTER["mlp"].title)


def test_an_edited_score_changes_its_row(server, open_page):
    page = opened(open_page, server, "attention")
    shares = page.locator(".matrices table").nth(2)
    field = page.get_by_label("row 3, column 1")
    field.fill("50")
    field.press("Enter")
    shares.locator("tr").nth(4).locator("td").nth(1).filter(has_text="1.00").wait_for()
    page.get_by_role("button", name="Reset scores").click()
    shares.locator("tr").nth(4).locator("td").nth(1).filter(has_text="1.00").wait_for(
        state="detached"
    )


def test_an_emptied_score_shows_what_counts(server, open_page):
    page = opened(open_page, server, "attention")
    field = page.get_by_label("row 3, column 1")
    before = field.input_value()
    field.fill("")
    field.press("Enter")
    expect(field).to_have_value(before)


def test_presets_redraw_the_model_and_its_count(server, open_page):
    page = opened(open_page, server, "config")
    page.get_by_role("radio", name="Small", exact=True).click()
    page.locator(".gb-caption", has_text="124,439,808").wait_for()
    page.locator("svg[aria-label='12 blocks of 12 heads on a stream 768 wide']").wait_for()


def test_a_box_of_the_comparison_leads_to_its_section(server, open_page):
    page = opened(open_page, server, "comparison")
    page.get_by_role("button", name="cross attn").click()
    ready(page, CHAPTER["block"].title)


def test_a_row_of_the_comparison_leads_to_its_section(server, open_page):
    page = opened(open_page, server, "comparison")
    page.get_by_role("link", name="Activation").click()
    ready(page, CHAPTER["mlp"].title)
    assert asked(page)["q"] == PROMPT


CUT_OR_CROSSED = """(svg) => {
  const box = (e) => e.getBoundingClientRect();
  const [all, texts] = [box(svg), [...svg.querySelectorAll("text")]];
  const cut = texts.filter((t) => box(t).left < all.left || box(t).right > all.right);
  const frames = [...svg.querySelectorAll(".frame")].map(box);
  const tight = [...svg.querySelectorAll(".mark")].filter((mark) =>
    frames.find((f) => f.right > box(mark).left).right - box(mark).right < 1);
  const points = [...svg.querySelectorAll("path.wire")].flatMap((wire) =>
    Array.from({ length: 200 }, (_, i) => wire.getPointAtLength(wire.getTotalLength() * i / 199)));
  const crossed = [...svg.querySelectorAll(".name")].filter((name) => {
    const { x, y, width, height } = name.getBBox();
    return points.some((p) => p.x > x && p.x < x + width && p.y > y && p.y < y + height);
  });
  return [...cut, ...tight, ...crossed].map((text) => text.textContent);
}"""


@pytest.mark.parametrize("view", [{}, {"present": "1"}], ids=["page", "stage"])
def test_nothing_in_the_comparison_is_cut_or_crossed(server, open_page, view):
    page = opened(open_page, server, "comparison", 1280, 720, **view)
    drawings = page.locator(".drawings svg")
    expect(drawings).to_have_count(2)
    for drawing in drawings.all():
        assert drawing.evaluate(CUT_OR_CROSSED) == []
    bottoms = [d.bounding_box()["y"] + d.bounding_box()["height"] for d in drawings.all()]
    assert not view or max(bottoms) <= 720  # the stage shows both side by side


def test_arrow_keys_turn_the_sections_on_stage(server, open_page):
    page = opened(open_page, server, "config", 1280, 720, present="1")
    page.locator("[data-listening]").wait_for(state="attached")
    for key, name in (
        ("ArrowRight", "embeddings"),
        ("PageDown", "layernorm"),
        ("ArrowLeft", "embeddings"),
        ("End", "sources"),
        ("Home", "config"),
    ):
        page.keyboard.press(key)
        ready(page, CHAPTER[name].title)
    page.keyboard.press("Escape")
    page.locator(".st-key-contents_row").wait_for()
    assert "present" not in asked(page)


@pytest.mark.parametrize("gap", [0, 150])
def test_no_press_is_lost_however_fast(server, open_page, gap):
    page = opened(open_page, server, "config", 1280, 720, present="1")
    page.locator("[data-listening]").wait_for(state="attached")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(gap)
    ready(page, CHAPTER[ORDER[5]].title)
    page.wait_for_timeout(1000)
    page.keyboard.press("ArrowLeft")  # from the section that is shown
    ready(page, CHAPTER[ORDER[4]].title)
    page.wait_for_timeout(1000)
    page.wait_for_url(f"**section={ORDER[4]}**")  # and it stays there


def test_keys_start_from_the_section_shown_whatever_led_there(server, open_page):
    page = opened(open_page, server, "comparison", 1280, 720, present="1")
    page.locator("[data-listening]").wait_for(state="attached")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    ready(page, CHAPTER["comparison"].title)
    page.get_by_role("button", name="cross attn").click()
    ready(page, CHAPTER["block"].title)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    page.locator(".st-key-contents_row").wait_for()
    ready(page, CHAPTER["gpt"].title)


SMALLEST_TYPE = """() => {
  const seen = [];
  const walk = (node) => {
    if (node.shadowRoot) walk(node.shadowRoot);
    for (const child of node.childNodes) {
      if (child.nodeType === 3 && child.textContent.trim()) {
        const owner = child.parentElement ?? child.getRootNode().host;
        const box = owner.getBoundingClientRect();
        const style = getComputedStyle(owner);
        const hidden = !box.width || !box.height || style.visibility === "hidden";
        const skipped = owner.closest("style, script, title, noscript");
        if (!hidden && !skipped) {
          const svg = owner.closest("svg[viewBox]");
          const shrunk = svg?.viewBox.baseVal.width
            ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
          seen.push([parseFloat(style.fontSize) * shrunk, child.textContent.trim()]);
        }
      } else if (child.nodeType === 1) walk(child);
    }
  };
  walk(document.querySelector(".stMain") ?? document.body);
  return seen.sort((a, b) => a[0] - b[0])[0];
}"""


@pytest.mark.parametrize("name", ORDER)
def test_the_stage_shows_one_section_whole_in_type_of_24_pixels(server, open_page, name):
    page = opened(open_page, server, name, 1280, 720, present="1")
    if name not in ("attention", "block", "comparison", "sources"):
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
    size, words = page.evaluate(SMALLEST_TYPE)
    assert size >= 23.9, words
    bottom = page.evaluate(
        """() => Math.max(...[...document.querySelectorAll(
          '.gb-caption, .st-key-stage .js-plotly-plot, .gl-text')]
          .map((e) => e.getBoundingClientRect().bottom), 0)"""
    )
    assert bottom <= 720
    expect(page.locator(".st-key-header")).to_have_count(0)


def test_long_words_keep_the_matrices_in_a_row_on_stage(server, open_page):
    page = opened(open_page, server, "attention", 1280, 720, prompt=LONG_WORDS, present="1")
    tables = page.locator(".matrices table")
    expect(tables).to_have_count(3)
    tops = tables.evaluate_all("all => all.map((table) => table.getBoundingClientRect().top)")
    assert len(tops) == 3 and len(set(tops)) == 1
    caption = page.locator(".gb-caption").bounding_box()
    assert caption["y"] + caption["height"] <= 720


@pytest.mark.parametrize(
    ("name", "prompt"), [*((name, PROMPT) for name in ORDER), ("attention", LONG_WORDS)]
)
def test_nothing_sticks_out_of_the_page(server, open_page, name, prompt):
    page = opened(open_page, server, name, prompt=prompt)
    if name == "attention":
        expect(page.locator(".matrices table")).to_have_count(3)
    main = page.locator("[data-testid='stMain']")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_timeout(400)
        assert main.evaluate("e => e.scrollWidth - e.clientWidth") <= 0, width


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker's script; GLASSBOX_AXE names its file (npm's axe-core)."""
    path = os.environ.get("GLASSBOX_AXE")
    if not path or not Path(path).exists():
        pytest.skip("GLASSBOX_AXE does not name axe-core's axe.min.js")
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ORDER)
def test_axe_finds_nothing_serious(server, open_page, axe, name, scheme):
    page = opened(open_page, server, name, 1440, 900, scheme)
    page.evaluate(axe)
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    serious = [
        f"{v['id']}: {v['help']} in {node['target']}"
        for v in found["violations"]
        if v["impact"] in SERIOUS
        for node in v["nodes"]
    ]
    assert serious == []
