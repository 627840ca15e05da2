"""The page in Chromium: from starting the server to the first paint, from a click to the new panel.

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

from tests.bench.loading import full_shape
from tests.browser import Server, serving

TOKENS = 64
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


def bench() -> list[dict]:
    """One row a model: seconds to the first paint, median milliseconds of clicks."""
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        full = full_shape(Path(scratch) / "full_shape")
        sources = dict(zip(SIDES, ("", str(full)), strict=True))
        return [measure(browser, side, source, Path(scratch)) for side, source in sources.items()]


def measure(browser, side: str, source: str, scratch: Path) -> dict:
    """Start the page on one model and time it."""
    start = time.perf_counter()
    with serving(scratch, GLASSBOX_MODEL=source, HF_HUB_OFFLINE="1") as server:
        page = opened(browser, server)
        first = time.perf_counter() - start
        ready = first_view(browser, server)
        blocks = page.locator(".box[data-name$='.attn']").count()
        boxes = [f"blocks.{i % blocks}.attn" for i in range(1, CLICKS + 1)]
        heads = [f"{i % blocks}.{(3 * i + 1) % 6}" for i in range(1, CLICKS + 1)]
        box = [click(page, f".box[data-name='{b}']", f"block {b.split('.')[1]},") for b in boxes]
        head = [click(page, f".head[data-name='{h}']", heading(h)) for h in heads]
    return {
        "side": side,
        "tokens": TOKENS,
        "first_paint_seconds": first,
        "warm_view_seconds": ready,
        "box_click_ms": median(box),
        "head_click_ms": median(head),
    }


def opened(browser, server: Server):
    """A page on a prompt of TOKENS tokens, its first figure drawn."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(server.url(q="the cat sat on the mat and " * 9 + "the", panel="attention"))
    page.locator(".js-plotly-plot .heatmaplayer image").first.wait_for(timeout=120_000)
    return page


def first_view(browser, server: Server) -> float:
    """Seconds from opening the address on a running server to the first figure drawn."""
    start = time.perf_counter()
    opened(browser, server).close()
    return time.perf_counter() - start


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
        f"The page at {TOKENS} tokens: server start to first paint, opening it warm, median of "
        f"{CLICKS} clicks on a box and on a head"
    ]
    lines += [
        f"{row['side']:<36} {row['first_paint_seconds']:>5.1f} s {row['warm_view_seconds']:>5.1f} s"
        f" {row['box_click_ms']:>5.0f} ms {row['head_click_ms']:>5.0f} ms"
        for row in rows
    ]
    return "\n".join(lines)
