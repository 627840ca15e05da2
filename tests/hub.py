"""A hub on loopback that speaks what huggingface_hub asks: metadata, redirects, ranges.

Small files come from the hub itself, weights by a redirect to another host, as on the real one.
What is to go wrong is set on the hub while it runs; no code under test is touched.
"""

import hashlib
import http.server
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

COMMIT = "5" * 40
PIECE = 1 << 16  # bytes sent at once
STORE = "/store/"  # where the redirects of weights lead


@dataclass
class Faults:
    """What the hub does wrong from now on."""

    status: int | None = None  # of every answer
    rate: float | None = None  # bytes a second
    cut_after: list[int] = field(default_factory=list)  # bytes until each next connection breaks
    announce: int | None = None  # the size said of the weights
    answer_with: bytes | None = None  # instead of the weights
    ranges: bool = True  # whether ranges are understood
    down: bool = False  # connections are closed without an answer


@dataclass
class Hub:
    """The hub's state: what it has, what it does wrong, and what it was asked."""

    repositories: dict[str, Path]  # "openai-community/gpt2" -> folder
    faults: Faults = field(default_factory=Faults)
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)  # method, path, range
    tokens: list[tuple[str, str | None]] = field(default_factory=list)  # path, authorization
    sent: int = 0  # bytes of weights
    address: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to ask this hub."""
        return {"HF_ENDPOINT": self.address, "HF_HUB_OFFLINE": "0"}

    def ranges(self) -> list[str | None]:
        """The Range of each request for weights, in order."""
        return [asked for method, path, asked in self.asked if method == "GET" and STORE in path]


@contextmanager
def running(repositories: dict[str, Path]) -> Iterator[Hub]:
    """A hub that answers until the `with` ends."""
    hub = Hub(repositories)
    handler = type("Handler", (_Handler,), {"hub": hub})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        hub.address = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield hub
        server.shutdown()


class _Handler(http.server.BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._answer()

    def do_GET(self):
        self._answer()

    def _answer(self) -> None:
        asked, faults = self.headers.get("Range"), self.hub.faults
        self.hub.asked.append((self.command, self.path, asked))
        self.hub.tokens.append((self.path, self.headers.get("Authorization")))
        if faults.down:
            self.close_connection = True
        elif faults.status:
            self._head(faults.status, {"Retry-After": "7", "Content-Length": "0"})
        elif self.path.startswith(STORE):
            self._store(Path(self.path.removeprefix(STORE)))
        else:
            self._resolve()

    def _resolve(self) -> None:
        """/owner/name/resolve/revision/file"""
        found = re.fullmatch(r"/([^/]+/[^/]+)/resolve/(main|\w{40})/([\w.]+)", self.path)
        folder = self.hub.repositories.get(found[1]) if found else None
        if folder is None or not (folder / found[3]).is_file():
            missing = "EntryNotFound" if folder else "RepoNotFound"
            self._head(404, {"X-Error-Code": missing, "Content-Length": "0"})
        elif found[3].endswith(".safetensors"):
            self._redirect(folder / found[3])
        else:
            content = (folder / found[3]).read_bytes()
            etag = f'"{hashlib.sha1(content).hexdigest()}"'
            self._head(200, {"ETag": etag, **_commit(), "Content-Length": str(len(content))})
            self._body(content)

    def _redirect(self, file: Path) -> None:
        """Large files lie elsewhere; what they are is said here."""
        elsewhere = self.hub.address.replace("127.0.0.1", "localhost")
        said = {
            "Location": f"{elsewhere}{STORE}{str(file).removeprefix('/')}",
            "X-Linked-Size": str(self.hub.faults.announce or file.stat().st_size),
            "X-Linked-Etag": f'"{sha256(file)}"',
            "Content-Length": "0",
        }
        self._head(302, said | _commit())

    def _store(self, path: Path) -> None:
        faults, file = self.hub.faults, Path("/") / path
        size = file.stat().st_size if faults.answer_with is None else len(faults.answer_with)
        start = int(re.findall(r"\d+", self.headers.get("Range", "0"))[0]) if faults.ranges else 0
        said = {"Content-Length": str(size - start)}
        if start:
            said["Content-Range"] = f"bytes {start}-{size - 1}/{size}"
        self._head(206 if start else 200, said)
        if faults.answer_with is not None:
            self._body(faults.answer_with[start:])
        elif self.command == "GET":
            self._stream(file, start)

    def _stream(self, file: Path, start: int) -> None:
        """The file from `start`, at the hub's rate, until the next cut."""
        faults = self.hub.faults
        left = faults.cut_after.pop(0) if faults.cut_after else None
        with file.open("rb") as source:
            source.seek(start)
            while piece := source.read(PIECE if left is None else min(PIECE, left)):
                if not self._body(piece):
                    return
                self.hub.sent += len(piece)
                if faults.rate:
                    time.sleep(len(piece) / faults.rate)
                if left is not None:
                    left -= len(piece)
        self.close_connection = left is not None

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _body(self, content: bytes) -> bool:
        """Send `content`; false if the client has left."""
        if self.command == "HEAD":
            return True
        try:
            self.wfile.write(content)
        except OSError:
            self.close_connection = True
            return False
        return True


def _commit() -> dict[str, str]:
    return {"X-Repo-Commit": COMMIT}


_known: dict[tuple[Path, float], str] = {}


def sha256(file: Path) -> str:
    """Of a file's content, computed once."""
    key = (file, file.stat().st_mtime)
    if key not in _known:
        with file.open("rb") as content:
            _known[key] = hashlib.file_digest(content, "sha256").hexdigest()
    return _known[key]
