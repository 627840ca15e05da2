"""Fetching against a hub on loopback, through the real client, each time in a process of its own.

The client reads its switches when it is imported; a process is how a person would set them, too.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from model.checkpoint import offered
from model.hub import PUBLISHED
from model.memory import available_bytes, gigabytes
from tests.hub import COMMIT, Hub, running, sha256

ROOT = Path(__file__).parent.parent
GPT2 = "openai-community/gpt2"
MiB = 1 << 20


@pytest.fixture
def hub(reading_checkpoint):
    """A hub that has a small gpt2 (3.5 MB) and nothing else."""
    with running({GPT2: reading_checkpoint}) as hub:
        yield hub


@pytest.fixture
def cache(tmp_path) -> Path:
    return tmp_path / "cache"


def run(code: str, hub: Hub | None, cache: Path, *argv: str, **environment: str):
    """Run `code`, or `python -m model` with `argv`, with the hub and cache given."""
    settings = {"HF_HUB_CACHE": str(cache), "GLASSBOX_MODEL": "", "HF_HUB_OFFLINE": "0"}
    settings |= (hub.environment if hub else {"HF_ENDPOINT": "http://127.0.0.1:1"}) | environment
    command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "model", *argv]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


FETCH = """
import json
from model.files import CheckpointError
from model.hub import fetch
told = {"seen": []}
try:
    fetch("gpt2", lambda here, size: told["seen"].append((here, size)))
except CheckpointError as error:
    told["refused"] = str(error)
print(json.dumps(told))
"""


def fetch(hub: Hub | None, cache: Path, setup: str = "", **environment: str) -> dict:
    """One try to fetch gpt2: {"seen": [(bytes here, bytes in all)], "refused": sentence}"""
    done = run(setup + FETCH, hub, cache, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(*args, **environment) -> str:
    told = fetch(*args, **environment)
    sentence = told["refused"]
    assert "\n" not in sentence
    assert sentence.startswith("gpt2 is not on this machine, and ")
    assert sentence.endswith("; the built-in model, mini, needs no network")
    return sentence


def blobs(cache: Path) -> dict[str, int]:
    folder = cache / "models--openai-community--gpt2" / "blobs"
    return {path.name: path.stat().st_size for path in folder.glob("*")}


# ------------------------------------------------------------------------------------ it works


def test_the_first_run_fetches_and_the_second_asks_nobody(hub, cache, reading_checkpoint):
    argv = ("The cat", "--model", "gpt2", "--json")
    first = run("", hub, cache, *argv)
    assert (first.returncode, first.stderr) == (0, "")
    assert hub.ranges() == [None]
    snapshot = cache / "models--openai-community--gpt2" / "snapshots" / COMMIT
    weights = snapshot / "model.safetensors"
    assert weights.read_bytes() == (reading_checkpoint / weights.name).read_bytes()
    second = run("", None, cache, *argv)  # no hub at all
    assert (second.returncode, second.stderr, second.stdout) == (0, "", first.stdout)


def test_only_config_and_safetensors_are_asked_for(hub, cache):
    fetch(hub, cache)
    assert {path.rsplit("/", 1)[-1] for _, path, _ in hub.asked} == {
        "config.json",
        "model.safetensors",
    }


def test_progress_is_told_from_nothing_to_all(hub, cache, reading_checkpoint):
    size = (reading_checkpoint / "model.safetensors").stat().st_size
    seen = fetch(hub, cache)["seen"]
    here = [done for done, _ in seen]
    assert here == sorted(here)
    assert here[-1] == size
    assert {total for _, total in seen} == {size}


def test_the_client_finds_what_was_fetched(hub, cache):
    fetch(hub, cache)
    code = f"""
from huggingface_hub import hf_hub_download
print(hf_hub_download({GPT2!r}, "model.safetensors"))
"""
    before = hub.sent
    found = Path(run(code, hub, cache).stdout.strip())
    assert found.stat().st_size in blobs(cache).values()
    assert hub.sent == before


def test_a_token_goes_to_the_hub_and_to_nobody_else(hub, cache):
    fetch(hub, cache, HF_TOKEN="hf_secret")
    sent = {path.startswith("/store/"): token for path, token in hub.tokens}
    assert sent == {False: "Bearer hf_secret", True: None}


# -------------------------------------------------------------------------- what arrives is kept


def test_a_broken_connection_goes_on_where_it_stood(hub, cache):
    hub.faults.cut_after = [MiB, MiB]
    assert "refused" not in fetch(hub, cache)
    assert hub.ranges() == [None, f"bytes={MiB}-", f"bytes={2 * MiB}-"]


def test_the_next_try_goes_on_where_the_last_one_stopped(hub, cache, reading_checkpoint):
    hub.faults.cut_after = [MiB, 0]
    weights = reading_checkpoint / "model.safetensors"
    size = f"{weights.stat().st_size / 1e6:.3g} MB"
    assert f"broke after 1.05 MB of {size}" in (said := refusal(hub, cache))
    assert "try again, it goes on from there" in said
    assert blobs(cache)[sha256(weights) + ".incomplete"] == MiB
    hub.asked.clear()
    assert "refused" not in fetch(hub, cache)
    assert hub.ranges() == [f"bytes={MiB}-"]
    assert sha256(weights) in blobs(cache)


def test_a_hub_without_ranges_is_asked_for_the_whole_again(hub, cache, reading_checkpoint):
    hub.faults.cut_after, hub.faults.ranges = [MiB], False
    assert "refused" not in fetch(hub, cache)
    assert sha256(reading_checkpoint / "model.safetensors") in blobs(cache)


def test_a_killed_download_resumes(hub, cache):
    hub.faults.rate = 1e6
    kill = "import os, model.hub\ntell = lambda here, _: here > 5e5 and os._exit(9)\n"
    done = run(kill + 'model.hub.fetch("gpt2", tell)', hub, cache)
    assert done.returncode == 9
    hub.faults.rate = None
    seen = fetch(hub, cache)["seen"]
    assert hub.ranges()[-1].startswith("bytes=")
    assert seen[0][0] > 4e5


def test_two_programs_at_once_fetch_it_once(hub, cache, reading_checkpoint):
    hub.faults.rate = 2e6
    code = """
import subprocess, sys
fetch = [sys.executable, "-c", "from model.hub import fetch; fetch('gpt2')"]
both = [subprocess.Popen(fetch) for _ in range(2)]
print([one.wait() for one in both])
"""
    assert run(code, hub, cache).stdout.strip() == "[0, 0]"
    assert hub.sent == (reading_checkpoint / "model.safetensors").stat().st_size


# -------------------------------------------------------------------- what goes wrong is one line


@pytest.mark.parametrize(
    ("status", "reason"),
    {
        401: "refuses access (HTTP 401): check HF_TOKEN and HF_ENDPOINT",
        403: "refuses access (HTTP 403): check HF_TOKEN and HF_ENDPOINT",
        404: "does not have it (HTTP 404): check HF_ENDPOINT",
        429: "answers HTTP 429, which means it has been asked too often: try again in 7 seconds",
        500: "answers HTTP 500: try again in 7 seconds",
    }.items(),
)
def test_a_status_becomes_a_reason(hub, cache, status, reason):
    hub.faults.status = status
    assert f"{hub.address} {reason};" in refusal(hub, cache)


def test_no_route(cache):
    assert "http://127.0.0.1:1 cannot be reached" in refusal(None, cache)


def test_a_hub_that_hangs_up(hub, cache):
    hub.faults.down = True
    assert f"{hub.address} cannot be reached" in refusal(hub, cache)


def test_another_kind_of_server(hub, cache):
    hub.repositories[GPT2] = cache  # empty: no weights there
    assert "does not have it (HTTP 404)" in refusal(hub, cache)


def test_too_many_bytes_are_thrown_away(hub, cache, reading_checkpoint):
    whole = (reading_checkpoint / "model.safetensors").read_bytes()
    hub.faults.answer_with = whole + b"x"
    said = refusal(hub, cache)
    assert f"sent {len(whole) + 1:,} bytes where {len(whole):,} were announced" in said
    assert not [name for name in blobs(cache) if name.endswith(".incomplete")]


def test_a_shorter_file_than_announced_does_not_go_on_for_ever(hub, cache, reading_checkpoint):
    size = (reading_checkpoint / "model.safetensors").stat().st_size
    hub.faults.announce = size + 10
    assert "the connection to" in refusal(hub, cache)


def test_other_bytes_of_the_right_length_are_thrown_away(hub, cache, reading_checkpoint):
    hub.faults.answer_with = bytes((reading_checkpoint / "model.safetensors").stat().st_size)
    assert "does not have the hub's checksum: try again" in refusal(hub, cache)
    hub.faults.answer_with = None
    assert "refused" not in fetch(hub, cache)


def test_too_little_room_is_told_before_anything_is_fetched(hub, cache):
    hub.faults.announce = 10**15
    said = refusal(hub, cache)
    assert "free for the 1,000,000 GB to fetch: make room or set HF_HOME" in said
    assert hub.sent == 0


def test_a_disk_that_fills_up(hub, cache):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
    said = refusal(hub, cache, limit)
    assert f"{cache} cannot take it (File too large): make room or set HF_HOME" in said
    assert "refused" not in fetch(hub, cache)
    assert hub.ranges()[-1] == "bytes=1000000-"


def test_too_little_memory_is_told_in_numbers_before_anything_is_fetched(hub, cache):
    limit = """
import resource, model.hub, model.memory
gpt2 = model.hub.PUBLISHED["gpt2"].config
model.memory.shortage(gpt2.parameters)  # whatever that maps is mapped now
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300_400_000, resource.RLIM_INFINITY))
"""
    assert "loading it takes 572 MB of memory, of which 300 MB are free" in refusal(
        hub, cache, limit
    )
    assert hub.asked == []


@pytest.mark.parametrize(("limit", "left"), [("3000000", 1_200_000), ("max", None)])
def test_a_container_s_limit_counts_without_its_cached_files(tmp_path, limit, left):
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    (tmp_path / "memory.current").write_text("2000000\n")
    (tmp_path / "memory.stat").write_text("anon 1500000\ninactive_file 200000\n")
    anywhere_else = available_bytes(tmp_path / "none")
    found = available_bytes(tmp_path)
    assert found == left if left else found > anywhere_else / 2


def test_sizes_are_told_as_people_say_them():
    counts = [1_048_576, 548_090_880, 999_600_000, 1_519_955_968, 10**15]
    said = ["1.05 MB", "548 MB", "1 GB", "1.52 GB", "1,000,000 GB"]
    assert [gigabytes(count) for count in counts] == said


def test_offline_with_a_cold_and_with_a_warm_cache(hub, cache):
    assert "HF_HUB_OFFLINE forbids fetching it" in refusal(hub, cache, HF_HUB_OFFLINE="1")
    assert hub.asked == []
    fetch(hub, cache)
    warm = run("", None, cache, "The cat", "--model", "gpt2", HF_HUB_OFFLINE="1")
    assert (warm.returncode, warm.stderr) == (0, "")


@pytest.mark.parametrize("name", [name for name in PUBLISHED if name != "gpt2"])
def test_every_published_name_is_asked_of_its_own_repository(hub, cache, name):
    done = run("", hub, cache, "The cat", "--model", name)
    assert done.returncode == 2
    assert done.stderr.startswith(f"python -m model: {name} is not on this machine")
    assert f"/{PUBLISHED[name].repository}/resolve/main/model.safetensors" in hub.asked[0][1]


# ------------------------------------------------------------------------- what a page offers


@pytest.mark.parametrize(
    ("model", "models", "expected"),
    [
        ("", "", ["gpt2", "mini", "gpt2-medium", "gpt2-large", "gpt2-xl", "distilgpt2"]),
        ("", "mini, distilgpt2", ["mini", "distilgpt2"]),
        ("/a/folder", "mini", ["/a/folder", "mini"]),
        ("gpt2", " , gpt2,,gpt2", ["gpt2"]),
    ],
)
def test_the_host_says_what_is_offered_and_in_which_order(model, models, expected, monkeypatch):
    monkeypatch.setenv("GLASSBOX_MODEL", model)
    monkeypatch.setenv("GLASSBOX_MODELS", models)
    assert list(offered()) == expected


# ------------------------------------------------------------------------------ the real size


def test_gpt2_small_s_size_is_fetched_and_loaded_in_little_memory(full_shape_checkpoint, cache):
    code = """
import json, resource
import torch
from model import load_model
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
from model.hub import fetch
fetch("gpt2")
fetched = peak()
model = load_model("gpt2")
size = sum(p.numel() for p in model.parameters())
print(json.dumps({"size": size, "fetching": fetched - before, "both": peak() - before}))
"""
    with running({GPT2: full_shape_checkpoint}) as hub:
        told = json.loads(run(code, hub, cache).stdout)
    file = (full_shape_checkpoint / "model.safetensors").stat().st_size
    assert told["size"] == PUBLISHED["gpt2"].config.parameters == 124_439_808
    assert told["fetching"] < 60 * MiB  # in pieces, never whole
    assert told["both"] < 1.15 * file + 60 * MiB
