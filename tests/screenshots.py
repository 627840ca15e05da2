"""Takes the README's pictures: python -m tests.screenshots [FOLDER]"""

import sys
import tempfile
from pathlib import Path

from tests.bench.page import chromium
from tests.browser import ROOT, serving

SHOTS = {
    "explore-light": ({}, (1440, 900), "light"),
    "explore-dark": ({"panel": "lens"}, (1440, 900), "dark"),
    "explore-phone": ({}, (390, 844), "light"),
}


def main(folder: Path) -> None:
    """Write one PNG for each of SHOTS."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        chromium() as browser,
        serving(Path(scratch), GLASSBOX_MODEL="", HF_HOME=scratch) as server,
    ):
        for name, (view, (width, height), scheme) in SHOTS.items():
            viewport = {"width": width, "height": height}
            page = browser.new_page(viewport=viewport, color_scheme=scheme)
            page.goto(server.url(**view))
            page.locator(".js-plotly-plot .heatmaplayer image").first.wait_for(timeout=60_000)
            page.wait_for_timeout(1500)  # fonts and the last frame
            page.screenshot(path=folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "assets" / "screenshots")
