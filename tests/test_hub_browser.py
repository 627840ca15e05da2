"""From the built-in model to a downloaded one by mouse alone, with a hub on loopback."""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import expect

from tests import hub as loopback
from tests.browser import serving

pytestmark = pytest.mark.browser
GPT2 = "openai-community/gpt2"
SLOW = 60_000  # bytes a second: nobody who clicks sees the end of 3.25 MB


@pytest.fixture
def site(reading_checkpoint, tmp_path):
    """The page of a fresh clone, and the hub it is told to ask, which has a small gpt2."""
    with loopback.running({GPT2: reading_checkpoint}) as hub, served(tmp_path, hub) as server:
        yield server, hub


@contextmanager
def served(folder, hub, **environment):
    settings = {"GLASSBOX_MODEL": "", "HF_HOME": str(folder / "hf")}
    with serving(folder, **settings, **hub.environment, **environment) as server:
        yield server


def text(page, selector: str, pattern: str) -> None:
    """Wait until something at `selector` reads as `pattern`."""
    try:
        page.locator(selector, has_text=re.compile(pattern)).first.wait_for()
    except TooLate as error:
        seen = page.locator(selector).all_inner_texts()
        raise AssertionError(f"{selector} never read {pattern!r}, but at last {seen}") from error


def test_from_first_paint_to_a_lens_on_the_downloaded_model_by_mouse(site, open_page):
    server, hub = site
    hub.faults.rate = SLOW
    page = open_page(server.url())
    text(page, ".st-key-model_menu", "Built-in model")
    page.get_by_role("button", name="Get GPT-2 Small · 548 MB").click()
    text(page, ".gb-load", r"Fetching GPT-2 Small · \d of 3.25 MB · 0\.\d MB a second · \d+ s left")
    page.reload()
    text(page, ".gb-load", "Fetching GPT-2 Small")
    hub.faults.rate = None
    page.get_by_role("button", name="Use GPT-2 Small").first.click()
    text(page, ".st-key-model_menu", "GPT-2 Small")
    assert "model=gpt2" in page.url
    page.get_by_role("button", name="Logit lens").or_(
        page.get_by_role("radio", name="Logit lens")
    ).first.click()
    text(page, ".gb-heading", r"Logit lens.*50,257")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    assert len(hub.ranges()) == 1


def test_a_download_is_cancelled_and_goes_on_from_there(site, open_page):
    server, hub = site
    hub.faults.rate = SLOW
    page = open_page(server.url())
    page.get_by_role("button", name="Get GPT-2 Small").click()
    text(page, ".gb-load", r"\d of 3.25 MB")
    page.get_by_role("button", name="Cancel").click()
    text(page, ".gb-load", "stopped. .* are kept for later")
    hub.faults.rate = None
    page.get_by_role("button", name="Go on").click()
    text(page, ".gb-load", "GPT-2 Small is on this machine")
    assert re.fullmatch(r"bytes=\d{4,}-", hub.ranges()[-1])


def test_two_visitors_wait_for_one_download(site, open_page):
    server, hub = site
    hub.faults.rate = SLOW
    pages = [open_page(server.url()) for _ in range(2)]
    for page in pages:
        page.get_by_role("button", name="Get GPT-2 Small").wait_for()
    for page in pages:
        page.get_by_role("button", name="Get GPT-2 Small").click()
    for page in pages:
        text(page, ".gb-load", "Fetching GPT-2 Small")
    hub.faults.rate = None
    for page in pages:
        text(page, ".gb-load", "GPT-2 Small is on this machine")
    assert len(hub.ranges()) == 1


def test_a_failed_download_is_one_sentence_and_the_model_in_use_stays(site, open_page):
    server, hub = site
    hub.faults.status = 429
    page = open_page(server.url())
    page.get_by_role("button", name="Get GPT-2 Small").click()
    text(page, ".gb-load", "answers HTTP 429.* try again in 7 seconds; the built-in model")
    page.get_by_role("button", name="Try again").wait_for()
    text(page, ".st-key-model_menu", "Built-in model")
    expect(page.locator(".chip[data-name]")).to_have_count(12)
    assert page.locator(".stException").count() == 0


def test_offline_starts_without_an_error_and_says_why_nothing_is_fetched(
    reading_checkpoint, tmp_path, open_page
):
    with loopback.running({GPT2: reading_checkpoint}) as hub:
        settings = {"GLASSBOX_MODEL": "", "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}
        with serving(tmp_path, HF_ENDPOINT=hub.address, **settings) as server:
            page = open_page(server.url())
            page.locator(".st-key-model_menu button").click()
            text(page, ".gb-title", "HF_HUB_OFFLINE is set here, so nothing is fetched")
            assert page.locator(".gb-notice").count() == 0
            assert page.get_by_role("button", name="Get GPT-2").count() == 0
            assert "Error" not in server.log.read_text()
    assert hub.asked == []


def test_a_host_says_which_models_there_are(reading_checkpoint, tmp_path, open_page):
    with (
        loopback.running({GPT2: reading_checkpoint}) as hub,
        served(tmp_path, hub, GLASSBOX_MODELS="mini, distilgpt2") as server,
    ):
        page = open_page(server.url(model="gpt2"))
        text(page, ".gb-notice", "The model “gpt2” is not on this machine")
        page.locator(".st-key-model_menu button").click()
        page.get_by_role("button", name=re.compile("Fetch")).wait_for()
        expect(page.locator(".gb-model")).to_have_text(["Built-in model in use", "DistilGPT-2"])
