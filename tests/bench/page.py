"""The page in Chromium: from the start to the first view, from a click to the new panel.

Times are taken inside the browser: from the click's own event to the first frame after plotly has
drawn the new figure. A person at the same machine waits just as long.
"""

import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from model.checkpoint import load_model
from tests.bench.loading import full_shape
from tests.browser import Server, serving

LENGTHS = (64, 1024)  # tokens; a shorter context is filled instead
PHRASE = "the cat sat on the mat and "  # 7 tokens
CLICKS = 15
SIDES = ("built-in model", "GPT-2 Small's shape, random weights")

# Resolves with the milliseconds from the click to the first frame that shows the new figure: its
# heading stands and the heat map's picture is another one.
CLICK = """
([target, expected]) => new Promise((done) => {
  const element = [...document.querySelectorAll('*')].filter(e => e.shadowRoot)
    .map(e => e.shadowRoot.querySelector(target)).find(e => e);
  const picture = () => document.querySelector('.js-plotly-plot .heatmaplayer image')
    ?.getAttributeNS('http://www.w3.org/1999/xlink', 'href');
  const heading = () => document.querySelector('.gb-heading h2')?.textContent ?? '';
  const before = picture();
  const start = performance.now();
  const look = () => {
    const now = picture();
    if (now && now !== before && heading().includes(expected)) done(performance.now() - start);
    else requestAnimationFrame(look);
  };
  element.dispatchEvent(new MouseEvent('click', {bubbles: true, composed: true}));
  requestAnimationFrame(look);
})
"""

# Milliseconds from the page's first paint to the first frame with a heat map beside the diagram.
WATCH = """
(() => {
  const look = () => {
    const diagram = [...document.querySelectorAll('*')]
      .some(e => e.shadowRoot?.querySelector('.box'));
    const picture = document.querySelector('.js-plotly-plot .heatmaplayer image');
    if (!diagram || !picture) return void requestAnimationFrame(look);
    const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
    window.firstView = performance.now() - paint;
  };
  requestAnimationFrame(look);
})()
"""


def bench() -> list[dict]:
    """One row a model and length: seconds to the first view, median milliseconds of clicks."""
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        full = full_shape(Path(scratch) / "full_shape")
        sources = dict(zip(SIDES, ("", str(full)), strict=True))
        return [
            row
            for side, source in sources.items()
            for row in measure(browser, side, source, Path(scratch))
        ]


def measure(browser, side: str, source: str, scratch: Path) -> list[dict]:
    """Start the page on one model and time it at each length its context has room for."""
    start = time.perf_counter()
    with serving(scratch, GLASSBOX_MODEL=source, HF_HUB_OFFLINE="1") as server:
        opened(browser, server, LENGTHS[0]).close()
        first = time.perf_counter() - start
        context = load_model(source or "mini").config.max_seq_len
        lengths = sorted({min(tokens, context) for tokens in LENGTHS})
        rows = [clicks(browser, server, tokens) for tokens in lengths]
    return [{"side": side, "start_seconds": first, **row} for row in rows]


def clicks(browser, server: Server, tokens: int) -> dict:
    """Time a view of `tokens` tokens on a running server, and clicks on its boxes and heads."""
    page = opened(browser, server, tokens)
    blocks = page.locator(".box[data-name$='.attn']").count()
    boxes = [f"blocks.{i % blocks}.attn" for i in range(1, CLICKS + 1)]
    heads = [f"{i % blocks}.{(3 * i + 1) % 6}" for i in range(1, CLICKS + 1)]
    row = {
        "tokens": tokens,
        "view_after_paint_seconds": page.evaluate("window.firstView") / 1000,
        "box_click_ms": median(
            click(page, f".box[data-name='{b}']", f"block {b.split('.')[1]},") for b in boxes
        ),
        "head_click_ms": median(click(page, f".head[data-name='{h}']", heading(h)) for h in heads),
    }
    page.close()
    return row


def opened(browser, server: Server, tokens: int):
    """A page on a prompt of `tokens` tokens, its first figure drawn."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(WATCH)
    words = (PHRASE * -(-tokens // 7)).split()[:tokens]
    page.goto(server.url(q=" ".join(words), panel="attention"))
    page.wait_for_function("window.firstView", timeout=120_000)
    return page


def click(page, target: str, expected: str) -> float:
    """Milliseconds from a click on `target` to the figure under the heading `expected`."""
    page.wait_for_timeout(300)  # as a person would, click when the page is at rest
    return page.evaluate(CLICK, [target, expected])


def heading(head: str) -> str:
    """The heading of a head's panel: "2.4" -> "block 2, head 4"."""
    block, number = head.split(".")
    return f"block {block}, head {number}"


@contextmanager
def chromium():
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    executable = os.environ.get("GLASSBOX_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


def table(rows: list[dict]) -> str:
    """The rows as text, for people."""
    lines = [
        "The page: from the server's start to the first view; from the first paint to the first "
        f"view on a running server; median of {CLICKS} clicks on a box and on a head"
    ]
    lines += [
        f"{row['side']:<36} {row['tokens']:>5} tokens {row['start_seconds']:>5.1f} s "
        f"{row['view_after_paint_seconds']:>5.2f} s"
        f" {row['box_click_ms']:>5.0f} ms {row['head_click_ms']:>5.0f} ms"
        for row in rows
    ]
    return "\n".join(lines)
