"""The page as a person meets it: in Chromium, with mouse and keyboard."""

import csv
import inspect
import io
import json
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Locator, expect

from model import MLP
from tests.browser import serving
from tests.checkpoints import SMALL, random_gpt2

pytestmark = pytest.mark.browser

PROMPT = "The cat sat on the mat. The cat sat on the"
OTHER_PANELS = ("Embedding", "MLP", "Residual stream", "Logit lens", "Next token")
NASTY = [
    "the the the the",
    "$5 and $10 $x^2$",
    "email:example@hotmail.com",
    "[text_1] [text_2] text_3",
    "a<b<c",
    "<b>x</b> <script>alert(1)</script>",
    "&lt;b&gt; &amp;",
    "**bold** _it_ `code` # head :smile: :red[x]",
    "🤗 東京",
    "مرحبا abc שלום",
    "\u202eabc\u202c",
    "a\tb\n\nc",
    "<|endoftext|>The cat",
]


def box_of(element) -> dict:
    """Where an element lies, once there is one such, drawn and standing still."""
    found = "found => found.length === 1 ? found[0].getBoundingClientRect().toJSON() : null"
    before = None
    for _ in range(200):
        box = element.evaluate_all(found)
        if box and box["width"] and box["height"] and box == before:
            return box
        before = box
        element.page.wait_for_timeout(50)
    raise AssertionError(f"{element} is not drawn, or does not stand still: {before}")


def ready(page) -> None:
    """Wait until a panel and its caption stand."""
    # While a panel gives way to the next, both stand for a moment.
    alone = "name => document.querySelectorAll(name).length === 1"
    for name in (".gb-checks", ".gb-caption"):
        page.wait_for_function(alone, arg=name)
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    # The prompt and the diagram are drawn by scripts of their own, which may come later.
    page.locator(".prompt .menu button").first.wait_for(state="attached")
    page.locator(".chip[data-name]").first.wait_for()
    page.locator(".box[data-name]").first.wait_for()
    page.locator("[data-testid='stStatusWidget']").wait_for(state="detached")


def params(page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def chips(page) -> Locator:
    """The tokens of the prompt; `expect` waits until they are what it asks for."""
    return page.locator(".chip[data-name] .text")


def heading(page) -> Locator:
    return page.locator(".gb-heading h2")


def run_prompt(page, text: str) -> None:
    box = page.locator(".prompt textarea")
    box.fill(text)
    page.locator(".run").click()


def test_first_page_shows_attention_beside_the_diagram(server, open_page):
    page = open_page(server.url())
    ready(page)
    expect(chips(page)).to_have_count(12)
    expect(page.locator(".box[data-name='lm_head']")).to_be_visible()
    expect(heading(page)).to_contain_text("Attention, block")
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    heads = page.locator(".grid .head").count()
    blocks = page.locator(".box[data-name$='.attn']").count()
    assert heads == blocks * 6 > 30


def test_everything_is_in_view_at_1440_by_900(server, open_page):
    page = open_page(server.url())
    ready(page)
    foot = page.locator(".gb-checks").bounding_box()
    assert foot["y"] + foot["height"] <= 900
    assert page.locator(".box[data-name='embed']").bounding_box()["y"] < 880


def test_a_click_on_a_box_opens_its_panel_and_the_address_says_so(server, open_page):
    page = open_page(server.url())
    ready(page)
    page.locator(".box[data-name='blocks.3.attn']").click()
    page.locator(".gb-heading h2", has_text="Attention, block 3").wait_for()
    page.wait_for_url("**at=blocks.3.attn**")
    page.locator(".box[data-name='blocks.2.ff']").click()
    page.locator(".gb-heading h2", has_text="MLP, block 2").wait_for()
    page.locator(".box[data-name='blocks.2.norm_2']").click()
    page.locator(".gb-heading h2", has_text="Residual stream").wait_for()
    page.locator(".box[data-name='embed']").click()
    page.locator(".gb-heading h2", has_text="Embedding").wait_for()
    page.locator(".box[data-name='norm']").click()
    page.locator(".gb-heading h2", has_text="Logit lens").wait_for()
    page.locator(".box[data-name='lm_head']").click()
    page.locator(".gb-heading h2", has_text="Next token").wait_for()


def test_the_address_opens_the_same_view_again(server, open_page):
    page = open_page(server.url())
    ready(page)
    run_prompt(page, "one, two, three, four,")
    page.locator(".chip[data-name='7']").wait_for()
    page.locator(".head[data-name='2.4']").click()
    page.locator(".gb-heading h2", has_text="Attention, block 2, head 4").wait_for()
    page.locator(".chip[data-name='5']").click()
    page.wait_for_url("**token=5**")
    again = open_page(page.url)
    ready(again)
    expect(again.locator(".prompt textarea")).to_have_value("one, two, three, four,")
    expect(heading(again)).to_contain_text("block 2, head 4")
    expect(again.locator(".chip[aria-pressed='true']")).to_have_attribute("data-name", "5")
    expect(again.locator(".head[aria-pressed='true']")).to_have_attribute("data-name", "2.4")


@pytest.mark.parametrize("pause", [0.7, 4.0])
def test_back_goes_back_however_soon_after_a_choice(server, open_page, pause):
    page = open_page(server.url(at="blocks.1.ff", panel="mlp"))
    ready(page)
    page.locator(".box[data-name='blocks.4.attn']").click()
    page.locator(".gb-heading h2", has_text="Attention, block 4").wait_for()
    page.wait_for_url("**at=blocks.4.attn**")
    page.wait_for_timeout(1000 * pause)
    page.go_back()
    page.locator(".gb-heading h2", has_text="MLP, block 1").wait_for()
    assert params(page) == {"at": "blocks.1.ff", "panel": "mlp"}


def test_leaving_the_page_stops_what_is_being_drawn(server, open_page):
    page = open_page(server.url(panel="next"))
    ready(page)
    page.locator("button", has_text="step by step").click()
    page.wait_for_url("**grown=**")
    page.locator("a", has_text="Learn").first.click()
    page.locator(".gl-text").first.wait_for()
    page.locator("a", has_text="Explore").first.click()
    ready(page)
    page.locator("button", has_text="step by step").wait_for()  # and not: Pause
    count = chips(page).count()
    page.wait_for_timeout(2000)
    expect(chips(page)).to_have_count(count)


def test_a_click_in_the_head_map_picks_its_row(server, open_page):
    page = open_page(server.url(at="blocks.1.attn", head=2))
    ready(page)
    area = box_of(page.locator(".js-plotly-plot .heatmaplayer"))
    page.mouse.click(area["x"] + 4, area["y"] + area["height"] * 4.5 / 12)
    page.locator(".gb-caption", has_text="(4)").wait_for()
    assert params(page) == {"at": "blocks.1.attn", "head": "2", "token": "4"}


def test_a_click_in_the_lens_picks_row_and_token(server, open_page):
    page = open_page(server.url(panel="lens"))
    ready(page)
    area = box_of(page.locator(".js-plotly-plot .heatmaplayer"))
    page.mouse.click(area["x"] + area["width"] * 2.5 / 12, area["y"] + area["height"] - 8)
    page.locator(".gb-caption", has_text="(2)").wait_for()
    assert params(page) == {"panel": "lens", "at": "embed", "token": "2"}


def test_a_click_in_the_neuron_map_opens_the_neuron_and_a_bar_picks_its_token(server, open_page):
    page = open_page(server.url(at="blocks.3.ff", panel="mlp"))
    ready(page)
    area = box_of(page.locator(".js-plotly-plot .heatmaplayer"))
    page.mouse.click(area["x"] + area["width"] * 2.5 / 12, area["y"] + area["height"] * 0.5 / 20)
    page.locator(".gb-caption", has_text="Neuron 3.").wait_for()
    neuron = params(page)["neuron"]
    expect(page.locator(".st-key-neuron input")).to_have_value(neuron)
    bars = page.locator(".js-plotly-plot").first.locator(".bars .point")
    boxes = [box_of(bars.nth(i)) for i in range(11)]
    tallest = max(range(11), key=lambda i: boxes[i]["height"])
    box = boxes[tallest]
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(f".chip[aria-pressed='true'][data-name='{tallest}']").wait_for()
    assert params(page)["token"] == str(tallest)
    assert params(page)["neuron"] == neuron


def test_a_neuron_can_be_typed_and_a_row_of_the_embedding_picked(server, open_page):
    page = open_page(server.url(at="blocks.1.ff", panel="mlp", mlp="neuron"))
    ready(page)
    page.locator(".st-key-neuron input").fill("123")
    page.keyboard.press("Enter")
    page.locator(".gb-caption", has_text="Neuron 1.123").wait_for()
    assert params(page)["neuron"] == "123"
    page.locator(".box[data-name='embed']").click()
    page.locator(".gb-heading h2", has_text="Embedding").wait_for()
    area = box_of(page.locator(".js-plotly-plot .heatmaplayer").first)
    page.mouse.click(area["x"] + 20, area["y"] + area["height"] * 4.5 / 12)
    page.locator(".gb-caption", has_text="(4)").wait_for()
    assert params(page) == {"at": "embed", "panel": "embedding", "mlp": "neuron", "token": "4"}


def test_keyboard_alone_reaches_boxes_chips_and_heads(server, open_page):
    page = open_page(server.url(at="embed", panel="residual"))
    ready(page)
    page.locator(".box[data-name='embed']").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.locator(".gb-heading h2", has_text="Attention, block 0").wait_for()
    page.locator(".head[aria-pressed='true']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator(".gb-heading h2", has_text="block 0, head 1").wait_for()
    page.locator(".chip[aria-pressed='true']").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    page.locator(".gb-caption", has_text="(0)").wait_for()


def test_enter_runs_the_prompt_and_shift_enter_does_not(server, open_page):
    page = open_page(server.url())
    ready(page)
    box = page.locator(".prompt textarea")
    box.fill("one")
    box.press("Shift+Enter")
    box.press_sequentially("two")
    assert params(page) == {}
    box.press("Enter")
    page.locator(".chip[data-name='3']").wait_for(state="detached")
    expect(chips(page)).to_have_text(["one", "↵", "two"])


def test_an_example_is_one_click_away_from_its_picture(server, open_page):
    page = open_page(server.url())
    ready(page)
    page.locator(".examples").click()
    page.locator(".menu button", has_text="Repetition").click()
    page.locator(".chip[data-name='4']").wait_for(state="detached")
    expect(chips(page)).to_have_text(["the", "·the", "·the", "·the"])


def test_half_an_emoji_becomes_a_replacement_character(server, open_page):
    page = open_page(server.url())
    ready(page)
    page.locator(".prompt textarea").evaluate(
        "(box) => { box.value = 'abc \\ud83e def';"
        " box.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    page.get_by_role("button", name="Run").click()
    page.locator(".chip", has_text="def").wait_for()
    expect(page.locator(".prompt textarea")).to_have_value("abc \ufffd def")


@pytest.mark.parametrize("prompt", NASTY)
def test_strange_text_is_shown_literally_in_every_panel(server, open_page, prompt):
    dialogs = []
    page = open_page(server.url(q=prompt))
    page.on("dialog", lambda dialog: dialogs.append(dialog.dismiss()))
    ready(page)
    shown = chips(page).all_text_contents()
    expect(page.locator(".prompt textarea")).to_have_value(prompt)
    for panel in (*OTHER_PANELS, "Attention"):
        page.get_by_role("radio", name=panel).click()
        page.locator(".gb-heading h2", has_text=panel.split()[0]).wait_for()
        ready(page)
        expect(chips(page)).to_have_text(shown)
        assert page.locator(".stException, [data-testid='stException']").count() == 0
    assert not dialogs
    assert page.locator("b >> text=x").count() == 0


def test_equal_tokens_keep_columns_of_their_own(server, open_page):
    page = open_page(server.url(q="the the the the", panel="attention"))
    ready(page)
    expect(page.locator(".js-plotly-plot .xtick")).to_have_count(4)
    expect(page.locator(".js-plotly-plot .ytick")).to_have_count(4)


def test_fragments_of_a_character_are_tied_together(server, open_page):
    page = open_page(server.url(q="🤗"))
    ready(page)
    expect(chips(page)).to_have_text(["⟨f0 9f⟩", "⟨a4⟩", "⟨97⟩"])
    expect(page.locator(".group .whole")).to_have_text(["🤗"])


def test_empty_prompt_gets_a_friendly_line(server, open_page):
    page = open_page(server.url())
    ready(page)
    run_prompt(page, "")
    page.locator(".gb-reads", has_text="Type a sentence above").wait_for()
    run_prompt(page, "one two")
    ready(page)
    expect(chips(page)).to_have_text(["one", "·two"])


def test_too_long_a_prompt_offers_its_end(server, open_page):
    page = open_page(server.url())
    ready(page)
    run_prompt(page, "the " * 300)
    page.locator(".gb-reads", has_text="Nothing has been cut").wait_for()
    page.get_by_role("button", name="Use the last 256 tokens").click()
    ready(page)
    expect(chips(page)).to_have_count(256)


def test_the_longest_prompt_works_in_every_panel(server, open_page):
    page = open_page(server.url(q="the cat sat " * 85))
    ready(page)
    expect(chips(page)).to_have_count(256)
    page.get_by_text("whole prompt", exact=True).click()
    page.locator(".gb-title", has_text="a cell shows the largest").wait_for()
    for panel in OTHER_PANELS:
        page.get_by_role("radio", name=panel).click()
        page.locator(".gb-heading h2", has_text=panel.split()[0]).wait_for()
        ready(page)


def test_explore_is_an_address_too(server, open_page):
    page = open_page(server.url("explore", q="one two", panel="lens"))
    ready(page)
    expect(heading(page)).to_have_text("Logit lens")
    expect(chips(page)).to_have_text(["one", "·two"])
    assert urlparse(page.url).path == "/"


def test_nonsense_in_the_address_is_ignored_with_a_notice(server, open_page):
    page = open_page(server.url(at="blocks.99.attn", head="x", token="999", foo="1", panel="y"))
    ready(page)
    notices = " ".join(page.locator(".gb-notice").all_inner_texts())
    for part in ("blocks.99.attn", "head=x", "999", "foo", "panel=y"):
        assert part in notices
    expect(chips(page)).to_have_count(12)


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        ({"look": "steps"}, ["q · k", "divided by √dk", "attention, 0 to 1"]),
        ({"look": "qkv"}, ["dimension", "q × k"]),
        ({"look": "writes"}, ["L2 norm of what the head adds"]),
        ({"pool": "mean"}, ["attention, 0 to 1"]),
        ({"panel": "residual"}, ["as read, after LayerNorm", "cosine with the stream before"]),
        ({"panel": "residual", "stream": "entries"}, ["share of the squared length there"]),
        ({"panel": "lens", "lens": "course"}, ["place, 1 is best"]),
        ({"panel": "lens", "lens": "cell", "at": "blocks.2.attn"}, ["KL to the final row, nats"]),
        ({"panel": "next"}, ["drawn with probability"]),
    ],
)
def test_each_look_has_a_table_of_its_own_numbers(server, open_page, view, columns):
    page = open_page(server.url(**view))
    page.get_by_role("button", name="Table, CSV").click()
    head = page.locator(".gb-table thead, table thead").first
    head.wait_for()
    for column in columns:
        assert column in head.inner_text()


def test_table_and_csv_hold_the_picture(server, open_page):
    page = open_page(server.url(at="blocks.0.attn", head=0))
    ready(page)
    page.get_by_role("button", name="Table, CSV").click()
    rows = page.locator(".gb-table tbody tr")
    rows.first.wait_for()
    assert rows.count() == 12
    with page.expect_download() as download:
        page.get_by_role("button", name="Download all rows as CSV").click()
    text = download.value.path().read_text(encoding="utf-8")
    table = list(csv.DictReader(io.StringIO(text)))
    assert len(table) == 12 * 13 // 2
    last = [float(r["attention, 0 to 1"]) for r in table if r["reading position"] == "11"]
    assert sum(last) == pytest.approx(1, abs=1e-5)


def test_the_copied_link_names_the_model_too(server, open_page):
    """Another server may start on another one."""
    page = open_page(server.url(panel="lens"))
    ready(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{page.url}&model=mini"
    page.goto(link)
    ready(page)
    assert page.locator(".gb-notice").count() == 0
    expect(heading(page)).to_have_text("Logit lens")


def test_dark_theme_is_dark_all_over(server, open_page):
    page = open_page(server.url(), scheme="dark")
    ready(page)
    colour = "e => getComputedStyle(e).{}"
    assert page.locator(".stApp").evaluate(colour.format("backgroundColor")) == "rgb(15, 20, 27)"
    tick = page.locator(".js-plotly-plot .xtick text").first
    assert tick.evaluate(colour.format("fill")) == "rgb(232, 237, 243)"


def test_a_phone_wide_window_needs_no_sideways_scrolling(server, open_page):
    page = open_page(server.url(), width=390, height=844)
    ready(page)
    main = page.locator("[data-testid='stMain']")
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    page.locator(".box[data-name='lm_head']").click()
    page.locator(".gb-heading h2", has_text="Next token").wait_for()
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_more_heads_than_fit_scroll_in_a_box_of_their_own(tmp_path, open_page):
    heads = SMALL | {"n_head": 64, "n_embd": 64, "vocab_size": 50257}
    random_gpt2(**heads).save_pretrained(tmp_path)
    with serving(tmp_path, GLASSBOX_MODEL=str(tmp_path), HF_HUB_OFFLINE="1") as many:
        for width in (1440, 390):
            page = open_page(many.url(at="blocks.0.attn", head=50, q="one two"), width=width)
            ready(page)
            main = page.locator("[data-testid='stMain']")
            assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
            room = page.locator(".st-key-heads .measure")
            edge = room.evaluate("e => e.getBoundingClientRect().right")
            assert box_of(page.locator(".across"))["right"] <= edge
            page.locator(".across").scroll_into_view_if_needed()
            for head in (50, 55):
                picked = page.locator(f".head[data-name='0.{head}']")
                expect(picked).to_be_in_viewport()
                picked.click()
                expect(heading(page)).to_contain_text(f"head {head}")
                expect(picked).to_be_in_viewport()


def test_two_visitors_do_not_see_each_other(server, open_page):
    first = open_page(server.url(q="one, two, three,"))
    second = open_page(server.url(q="Monday, Tuesday,"))
    ready(first)
    ready(second)
    expect(chips(first).first).to_have_text("one")
    expect(chips(second).first).to_have_text("Monday")
    first.locator(".box[data-name='lm_head']").click()
    first.locator(".gb-heading h2", has_text="Next token").wait_for()
    expect(heading(second)).to_contain_text("Attention")


def test_pages_keep_the_view(server, open_page):
    page = open_page(server.url(q="one, two, three,", panel="lens"))
    ready(page)
    page.get_by_role("link", name="About").click()
    page.get_by_role("heading", name="The model in use").wait_for()
    page.get_by_role("link", name="Explore").click()
    ready(page)
    expect(chips(page).first).to_have_text("one")
    expect(heading(page)).to_have_text("Logit lens")


@pytest.mark.parametrize("other", ["Learn", "About"])
def test_what_was_chosen_in_the_panel_comes_along_to_another_page(server, open_page, other):
    page = open_page(server.url(q="one two three"))
    ready(page)
    page.locator(".head[data-name='2.0']").click()
    page.locator(".gb-heading h2", has_text="Attention, block 2, head 0").wait_for()
    page.get_by_role("radio", name="Logit lens").click()
    page.locator(".gb-heading h2", has_text="Logit lens").wait_for()
    page.get_by_role("link", name=other).click()
    page.locator(".gl-text, .st-key-prose").first.wait_for()
    page.wait_for_url("**panel=lens**")
    page.get_by_role("link", name="Explore", exact=True).click()
    ready(page)
    expect(heading(page)).to_have_text("Logit lens")
    page.wait_for_url("**panel=lens**")
    assert params(page)["at"] == "blocks.2.attn"


def test_the_stream_is_walked_step_by_step(server, open_page):
    page = open_page(server.url(at="embed", panel="embedding"))
    ready(page)
    page.locator("[data-name='step up']").click()
    page.locator(".gb-heading h2", has_text="Residual stream").wait_for()
    assert params(page)["at"] == "blocks.0.norm_1"
    page.locator("[data-name='step up']").focus()
    page.keyboard.press("ArrowUp")
    page.locator(".gb-heading h2", has_text="Attention, block 0").wait_for()
    page.keyboard.press("ArrowDown")
    page.locator(".gb-heading h2", has_text="Residual stream").wait_for()


@pytest.mark.parametrize("look", ["Lines", "Steps", "Q K V", "What it writes", "Pattern"])
def test_one_head_is_seen_in_every_way(server, open_page, look):
    page = open_page(server.url(at="blocks.2.attn", head=1, q="one two three one two three"))
    ready(page)
    page.get_by_role("radio", name=look).click()
    page.locator(".gb-checks").wait_for()
    page.locator("[data-testid='stStatusWidget']").wait_for(state="detached")
    assert page.locator("[data-testid='stException']").count() == 0
    if look == "Lines":
        page.locator(".lines .line").first.wait_for(state="attached")
    else:
        page.locator(".js-plotly-plot .main-svg").first.wait_for()


def test_lines_follow_the_mouse_without_the_server(server, open_page):
    page = open_page(server.url(at="blocks.2.attn", look="lines", q="one two three one two three"))
    page.locator(".lines .line").first.wait_for(state="attached")
    frames = []
    page.on("websocket", lambda socket: socket.on("framesent", frames.append))
    page.locator(".lines .row[data-name='0']").hover()
    page.locator(".lines .about", has_text="(0) reads").wait_for()
    expect(page.locator(".lines .line")).to_have_count(1)
    assert frames == []


def test_tokens_are_drawn_picked_and_taken_back(server, open_page):
    page = open_page(server.url(q="one, two, three,", panel="next"))
    ready(page)
    before = chips(page).count()
    page.get_by_role("button", name="Draw one token").click()
    page.locator(f".chip[data-name='{before}']").wait_for()
    drawn = params(page)["grown"]
    ready(page)
    page.locator(".js-plotly-plot").nth(1).wait_for(state="detached")  # the picture before it
    area = box_of(page.locator(".js-plotly-plot .barlayer"))
    page.mouse.move(area["x"] + 180, area["y"] + 10)
    page.locator(".hoverlayer .hovertext").first.wait_for()
    page.mouse.click(area["x"] + 200, area["y"] + 10)
    page.locator(f".chip[data-name='{before + 1}']").wait_for()
    again = open_page(page.url)
    ready(again)
    expect(chips(again)).to_have_text(chips(page).all_text_contents())
    page.get_by_role("button", name="Take one back").click()
    page.locator(f".chip[data-name='{before + 1}']").wait_for(state="detached")
    assert params(page)["grown"] == drawn
    page.get_by_role("button", name="Back to the prompt").click()
    page.locator(f".chip[data-name='{before}']").wait_for(state="detached")
    page.get_by_role("button", name="Draw one token").click()
    page.locator(f".chip[data-name='{before}']").wait_for()
    assert params(page)["grown"] == drawn


def test_generation_runs_pauses_and_stops_at_the_end_of_the_context(server, open_page):
    page = open_page(server.url(q="the cat sat " * 84 + "on", panel="next"))
    ready(page)
    expect(chips(page)).to_have_count(253)
    page.get_by_role("button", name="Draw 20, step by step").click()
    page.locator(".gb-notice", has_text="The context is full").wait_for()
    expect(chips(page)).to_have_count(256)
    page.get_by_role("button", name="Draw 20, step by step").wait_for()


def test_a_target_token_is_followed(server, open_page):
    page = open_page(server.url(q="one, two, three,", panel="lens", lens="course"))
    ready(page)
    box = page.get_by_label("Target token")
    box.fill(" six seven")
    box.press("Enter")
    page.locator(".gb-notice", has_text="is 2 tokens").wait_for()
    box.fill(" seven")
    box.press("Enter")
    page.locator(".gb-caption", has_text="·seven").wait_for()
    assert params(page)["target"] == "3598"


def test_the_code_of_a_box_is_the_running_source(server, open_page):
    page = open_page(server.url(at="blocks.1.ff", panel="code"))
    page.locator(".gb-facts").wait_for()
    shown = page.locator("[data-testid='stCode'] code").inner_text()
    assert shown.split() == inspect.getsource(MLP).split()
    assert "(1, 12, 768)" in page.locator(".gb-facts").inner_text()


def test_no_message_to_the_browser_is_large(server, chromium):
    sizes = []
    context = chromium.new_context()
    page = context.new_page()
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))),
    )
    page.goto(server.url(q="the cat sat " * 85))
    ready(page)
    for panel in OTHER_PANELS:
        page.get_by_role("radio", name=panel).click()
        page.locator(".gb-heading h2", has_text=panel.split()[0]).wait_for()
    context.close()
    assert max(sizes) < 500_000, json.dumps(sorted(sizes)[-5:])


def test_the_log_stays_clean(server):
    """Runs last in this file: everything above has happened on this server."""
    log = server.log.read_text(errors="replace")
    for word in ("Traceback", "Error", "Warning", "WARN", "Examining the path"):
        assert word not in log, log
