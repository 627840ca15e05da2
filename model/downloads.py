"""Downloads in the background: one of a model however many people ask, told to whoever looks."""

import threading
import time
from collections import deque
from dataclasses import dataclass

from model.files import CheckpointError
from model.hub import PUBLISHED, Stopped, fetch

WINDOW = 5.0  # seconds over which the rate is measured


@dataclass(frozen=True)
class Download:
    """How a download stands at one moment."""

    name: str
    state: str  # "running", "done", "stopped" or "failed"
    here: int  # bytes
    size: int  # bytes in all; an estimate until the hub has said
    rate: float | None  # bytes a second, lately
    reason: str  # why it failed, one sentence

    @property
    def seconds_left(self) -> float | None:
        """At the present rate."""
        return (self.size - self.here) / self.rate if self.rate else None


class Downloads:
    """All downloads of this process. Safe from any thread."""

    def __init__(self):
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()

    def start(self, name: str) -> None:
        """Begin to fetch the published model `name`, unless that is going on already."""
        with self._lock:
            job = self._jobs.get(name)
            if job is None or job.state != "running":
                self._jobs[name] = _Job(name)

    def stop(self, name: str) -> None:
        """Stop it, for everyone. What has arrived is kept; the next start goes on from there."""
        if job := self._jobs.get(name):
            job.stop()

    def get(self, name: str) -> Download | None:
        """How the last download of `name` stands; None if there was none."""
        job = self._jobs.get(name)
        return job.now() if job else None

    def all(self) -> tuple[Download, ...]:
        """The last download of each model that was asked for."""
        return tuple(job.now() for job in list(self._jobs.values()))


class _Job:
    """One download and its thread."""

    def __init__(self, name: str):
        self.name, self.state, self.reason = name, "running", ""
        self.here, self.size = 0, PUBLISHED[name].size
        self._seen: deque[tuple[float, int]] = deque()  # when, bytes here
        self._stop = threading.Event()
        threading.Thread(target=self._run, name=f"fetch {name}", daemon=True).start()

    def _run(self) -> None:
        try:
            fetch(self.name, self._tell, self._stop)
        except Stopped:
            self.state = "stopped"
        except CheckpointError as error:
            if not self._stop.is_set():  # what a stopped download stumbles over is of no interest
                self.reason, self.state = str(error), "failed"
        else:
            self.state = "done"

    def stop(self) -> None:
        """Told at once; the thread may hang in a silent connection for a few seconds more."""
        if self.state == "running":
            self.state = "stopped"
            self._stop.set()

    def now(self) -> Download:
        return Download(self.name, self.state, self.here, self.size, self._rate(), self.reason)

    def _tell(self, here: int, size: int) -> None:
        self.here, self.size = here, size
        now = time.monotonic()
        if not self._seen or now - self._seen[-1][0] > WINDOW / 50:
            self._seen.append((now, here))
        while now - self._seen[0][0] > WINDOW:
            self._seen.popleft()

    def _rate(self) -> float | None:
        seen = list(self._seen)
        if len(seen) < 2:
            return None
        seconds = time.monotonic() - seen[0][0]  # until now: a silent connection slows it down
        return (self.here - seen[0][1]) / seconds
