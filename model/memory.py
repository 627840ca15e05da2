"""How much memory a model may take here, so that one too large is refused before it is begun.

And giving back what is free: the C library keeps freed memory for later, in pieces between what
is still in use, so that after many prompts of many sizes a process holds far more than it uses.
"""

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None

CGROUP = Path("/sys/fs/cgroup")  # version 2, as containers have it
OVERHEAD = 1.15  # of the weights' own size, at the peak of loading; tests/bench measures it


def shortage(parameters: int) -> str:
    """Why a model of so many parameters cannot be loaded now, in numbers; empty if it can."""
    needed, free = needed_bytes(parameters), available_bytes()
    if free is None or needed <= free:
        return ""
    return f"takes {gigabytes(needed)} of memory, of which {gigabytes(max(free, 0))} are free"


def needed_bytes(parameters: int) -> int:
    """What loading so many parameters takes at its peak, in fp32."""
    return round(4 * parameters * OVERHEAD)


def available_bytes(cgroup: Path = CGROUP) -> int | None:
    """What this process may still take, by whichever limit is nearest; None where none is known."""
    return min((*_of_machine(), *_of_container(cgroup), *_of_process()), default=None)


def gigabytes(count: int) -> str:
    """A size as people say it: 548 MB, 1.52 GB (powers of ten, as downloads are told)."""
    unit, name = (1e9, "GB") if count >= 0.9995e9 else (1e6, "MB")
    size = count / unit
    return f"{size:,.0f} {name}" if size >= 100 else f"{size:.3g} {name}"


def give_back() -> None:
    """Return freed memory to the system, in a few milliseconds, where the C library is glibc."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim:
        trim(0)


def _of_machine() -> Iterator[int]:
    """What all programs together leave, and could be made to leave."""
    memory = _table(Path("/proc/meminfo"))
    if "MemAvailable:" in memory:
        yield 1024 * memory["MemAvailable:"]


def _of_container(cgroup: Path) -> Iterator[int]:
    """What a container's limit leaves; its cached files count as free, for they give way."""
    try:
        limit = int((cgroup / "memory.max").read_text())  # "max" where there is none
        used = int((cgroup / "memory.current").read_text())
    except (OSError, ValueError):
        return
    yield limit - used + _table(cgroup / "memory.stat").get("inactive_file", 0)


def _of_process() -> Iterator[int]:
    """What `ulimit -v` leaves."""
    if resource is None:
        return
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    taken = _table(Path("/proc/self/status")).get("VmSize:")
    if soft != resource.RLIM_INFINITY and taken is not None:
        yield soft - 1024 * taken


def _table(path: Path) -> dict[str, int]:
    """Lines of a name and a number, as the kernel writes them; empty without such a file."""
    try:
        rows = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdecimal()}
