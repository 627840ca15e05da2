"""The Hugging Face Hub: the published GPT-2s, fetched once and kept in the hub's own cache.

Which hub is asked, with which token, and where files lie is huggingface_hub's business, with its
switches: HF_ENDPOINT, HF_TOKEN, HF_HOME, HF_HUB_OFFLINE. Only the transfer of the weights is done
here, because the client throws away what it has when it is interrupted. This one keeps it in
`blobs/<etag>.incomplete`, goes on from there at the next try, tells how far it is, and can be
stopped. What has arrived must have the hub's own checksum before it counts as fetched.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import BinaryIO

# Read at import: nothing is reported, and progress is told here, not on the terminal.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")

import httpx2
import huggingface_hub as client
from huggingface_hub import constants
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.file_download import repo_folder_name
from huggingface_hub.utils import WeakFileLock, build_hf_headers, hf_raise_for_status

from model.config import GPT2_SIZES, GPTConfig
from model.files import CONFIG, WEIGHTS, CheckpointError
from model.memory import gigabytes, shortage

PAUSE = 1.0  # seconds between a broken connection and the next try
Tell = Callable[[int, int], object]  # called with the bytes that are here and the bytes in all


@dataclass(frozen=True)
class Published:
    """A model on the hub."""

    repository: str
    config: GPTConfig

    @property
    def size(self) -> int:
        """Bytes to fetch, nearly: fp32 weights and, as of 2019, each block's mask, as numbers."""
        return 4 * (self.config.parameters + self.config.N * self.config.max_seq_len**2)


PUBLISHED = {
    **{name: Published(f"openai-community/{name}", GPT2_SIZES[name]) for name in GPT2_SIZES},
    "distilgpt2": Published("distilbert/distilgpt2", GPTConfig(N=6)),
}


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """The download was stopped; what had arrived is kept."""


@dataclass(frozen=True)
class Remote:
    """A file of weights as the hub describes it, and where it belongs here."""

    url: str
    size: int
    etag: str  # of files this large, their SHA-256
    blob: Path
    lock: Path  # the client's own, so that it and we never write the same file

    @property
    def partial(self) -> Path:
        """Where the bytes gather until they are complete."""
        return self.blob.with_name(self.blob.name + ".incomplete")


def cached_folder(name: str) -> Path | None:
    """The local folder of the published model `name` if it is here, whole. Asks no network."""
    repository = PUBLISHED[name].repository
    found = [client.try_to_load_from_cache(repository, file) for file in (CONFIG, WEIGHTS)]
    return Path(found[0]).parent if all(isinstance(path, str) for path in found) else None


def offline() -> bool:
    """Whether HF_HUB_OFFLINE forbids fetching anything."""
    return constants.HF_HUB_OFFLINE


def fetch(name: str, tell: Tell = lambda *_: None, stop: Event | None = None) -> Path:
    """Download the published model `name` and return its folder in the hub's cache.

    Args:
        tell: called often, with the bytes that are here and the bytes in all.
        stop: set it from elsewhere to stop the download.
    Raises:
        CheckpointError: if it cannot be had; one sentence with the reason and what to do.
        Stopped: if `stop` was set.
    """
    repository = PUBLISHED[name].repository
    try:
        if short := shortage(PUBLISHED[name].config.parameters):
            raise _Refused(f"loading it {short}")
        remote = _look_up(repository)
        config = client.hf_hub_download(repository, CONFIG)
        _transfer(remote, tell, stop or Event())
        client.hf_hub_download(repository, WEIGHTS)  # finds the blob and gives it its name
    except Stopped:
        raise
    except Exception as error:  # the client lets through its own, the network's and the disk's
        raise CheckpointError(
            f"{name} is not on this machine, and {_why_not(error)}; "
            "the built-in model, mini, needs no network"
        ) from error
    return Path(config).parent


def _look_up(repository: str) -> Remote:
    """Ask the hub for the weights of `repository`. Fails at once where it is out of reach."""
    about = client.get_hf_file_metadata(client.hf_hub_url(repository, WEIGHTS))
    if not (about.commit_hash and about.size and re.fullmatch(r"[\w.-]+", about.etag or "")):
        raise _Refused(f"{constants.ENDPOINT} does not answer as a hub does: check HF_ENDPOINT")
    cache = Path(constants.HF_HUB_CACHE)
    folder = repo_folder_name(repo_id=repository, repo_type="model")
    return Remote(
        url=client.hf_hub_url(repository, WEIGHTS, revision=about.commit_hash),
        size=about.size,
        etag=about.etag,
        blob=cache / folder / "blobs" / about.etag,
        lock=cache / ".locks" / folder / f"{about.etag}.lock",
    )


class _Refused(Exception):  # noqa: N818
    """A reason found here rather than by the client, already half a sentence."""


def _transfer(remote: Remote, tell: Tell, stop: Event) -> None:
    """Bring the file here, from where the last try left off; one process at a time."""
    remote.lock.parent.mkdir(parents=True, exist_ok=True)
    with WeakFileLock(remote.lock):
        if remote.blob.exists():
            return
        with remote.partial.open("ab") as file:
            _check_room(remote, file.tell())
            while file.tell() < remote.size:
                _keep_going(remote, file, tell, stop)
        _check_content(remote)
        remote.partial.replace(remote.blob)


def _keep_going(remote: Remote, file: BinaryIO, tell: Tell, stop: Event) -> None:
    """One connection's worth of bytes. One that brought some and broke is followed by another."""
    before = file.tell()
    try:
        _append(remote, file, tell, stop)
    except httpx2.TransportError as error:
        if file.tell() > before:
            stop.wait(PAUSE)
        elif before:
            raise _Refused(
                f"the connection to {constants.ENDPOINT} broke after {gigabytes(before)} of "
                f"{gigabytes(remote.size)} ({_in_a_line(error)}): try again, it goes on from there"
            ) from error
        else:
            raise


def _append(remote: Remote, file: BinaryIO, tell: Tell, stop: Event) -> None:
    """Ask for the bytes that `file` lacks and write them as they come."""
    if stop.is_set():
        raise Stopped
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    if file.tell():
        headers["Range"] = f"bytes={file.tell()}-"
    timeout = constants.HF_HUB_DOWNLOAD_TIMEOUT
    with client.get_session().stream("GET", remote.url, headers=headers, timeout=timeout) as answer:
        hf_raise_for_status(answer)
        if answer.status_code != 206:  # the whole file, whatever was asked
            file.seek(0)
            file.truncate()
        for piece in answer.iter_bytes():
            file.write(piece)
            tell(file.tell(), remote.size)
            if stop.is_set():
                raise Stopped
    if file.tell() < remote.size:
        raise httpx2.RemoteProtocolError("fewer bytes came than were announced")


def _check_room(remote: Remote, here: int) -> None:
    free = shutil.disk_usage(remote.partial.parent).free
    if remote.size - here > free:
        raise _Refused(
            f"{constants.HF_HUB_CACHE} has {gigabytes(free)} free for the "
            f"{gigabytes(remote.size - here)} to fetch: make room or set HF_HOME"
        )


def _check_content(remote: Remote) -> None:
    """Throw away what is not the file the hub described, for going on from it would not help."""
    size = remote.partial.stat().st_size
    if size != remote.size:
        remote.partial.unlink()
        raise _Refused(
            f"{constants.ENDPOINT} sent {size:,} bytes where {remote.size:,} were announced: "
            "try again later"
        )
    if re.fullmatch(r"[0-9a-f]{64}", remote.etag) and _sha256(remote.partial) != remote.etag:
        remote.partial.unlink()
        raise _Refused("what arrived does not have the hub's checksum: try again")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _why_not(error: Exception) -> str:
    """What stopped a download and what to do about it, as half a sentence."""
    hub = constants.ENDPOINT
    answer = getattr(error, "response", None)
    if isinstance(error, _Refused):
        return str(error)
    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE forbids fetching it: unset it for one run with a network"
    if answer is not None:
        return f"{hub} {_what_status_says(answer.status_code, answer.headers.get('Retry-After'))}"
    if isinstance(error, OSError) and error.errno is not None:
        return (
            f"{constants.HF_HUB_CACHE} cannot take it ({error.strerror}): make room or set HF_HOME"
        )
    return f"{hub} cannot be reached ({_in_a_line(error)}): check the network and try again"


def _what_status_says(status: int, wait: str | None) -> str:
    if status in (401, 403):
        return f"refuses access (HTTP {status}): check HF_TOKEN and HF_ENDPOINT"
    if status == 404:
        return f"does not have it (HTTP {status}): check HF_ENDPOINT"
    later = f"in {wait} seconds" if wait and wait.isdecimal() else "later"
    asked = ", which means it has been asked too often" if status == 429 else ""
    return f"answers HTTP {status}{asked}: try again {later}"


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
