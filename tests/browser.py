"""Fixtures for tests that drive the real page: the server as the README starts it, and Chromium.

Without Chromium these tests are skipped with the reason; GLASSBOX_REQUIRE_BROWSER=1 makes that a
failure. GLASSBOX_CHROMIUM names another executable.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode

import pytest

ROOT = Path(__file__).parents[1]
PATIENCE = 60_000  # ms: the machine may be busy; nothing here measures time
CONNECTED = "[data-test-connection-state='CONNECTED']"
OPEN: list = []  # browser contexts of the running test
HARMLESS = ("status of 404",)  # Streamlit's own look-ups of its health page below a sub-page's path


@dataclass(frozen=True)
class Server:
    """A running page."""

    address: str
    log: Path

    def url(self, page: str = "", **params: object) -> str:
        """The address of a page with choices in it."""
        return f"{self.address}/{page}" + (f"?{urlencode(params)}" if params else "")


@contextmanager
def serving(folder: Path, **environment: str) -> Iterator[Server]:
    """Run `streamlit run app.py` on a free port; its output goes to `folder`."""
    port, log = free_port(), folder / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **environment}, stdout=output, stderr=output
        )
    try:
        wait_until_healthy(f"http://localhost:{port}/_stcore/health", process, log)
        yield Server(f"http://localhost:{port}", log)
    finally:
        close_pages(f"http://localhost:{port}")
        process.terminate()
        process.wait(timeout=20)


def close_pages(address: str = "") -> None:
    """Close the pages at an address before its server goes: they would complain that it is gone."""
    for context in list(OPEN):
        if any(page.url.startswith(address) for page in context.pages):
            OPEN.remove(context)
            context.close()


def free_port() -> int:
    """A port nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def wait_until_healthy(address: str, process: subprocess.Popen, log: Path) -> None:
    """Return once the server answers; fail with its log when it stops or never does."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (URLError, OSError):
            if process.poll() is not None:
                break
            time.sleep(0.1)
    pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')}")


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    """The page on the built-in model, for all tests."""
    cache = tmp_path_factory.mktemp("empty_cache")
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, GLASSBOX_MODEL="", HF_HOME=str(cache), HF_HUB_OFFLINE="1") as running:
        yield running


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium for all tests."""
    executable = os.environ.get("GLASSBOX_CHROMIUM") or shutil.which("chromium")
    if not executable:
        reason = "Chromium is not installed (Debian: apt-get install chromium)"
        pytest.fail(reason) if os.environ.get("GLASSBOX_REQUIRE_BROWSER") else pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=executable, args=options)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """open_page(url, width, height, scheme) -> a page; fails the test on any console error."""
    errors: list[str] = []

    def opened(url: str, width: int = 1440, height: int = 900, scheme: str = "light"):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        OPEN.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        # Streamlit's server complains of a tab that closes in the moment its socket opens.
        page.locator(CONNECTED).wait_for(state="attached")
        return page

    yield opened
    close_pages()
    assert [e for e in errors if not any(known in e for known in HARMLESS)] == []
