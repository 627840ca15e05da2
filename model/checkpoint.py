"""From a name or a folder to a GPT that is ready to run.

Three kinds of source: the built-in model, a published GPT-2 on the Hugging Face Hub, and a folder
written by transformers' `save_pretrained`. The hub's files are such a folder too, once fetched.
"""

import os
from pathlib import Path

from model.folder import CONFIG, WEIGHTS, CheckpointError, load_folder
from model.gpt import GPT

BUILT_IN = "mini"
REPOSITORIES = {
    "gpt2": "openai-community/gpt2",
    "gpt2-medium": "openai-community/gpt2-medium",
    "gpt2-large": "openai-community/gpt2-large",
    "gpt2-xl": "openai-community/gpt2-xl",
    "distilgpt2": "distilbert/distilgpt2",
}
NAMES = (BUILT_IN, *REPOSITORIES)


def load_model(source: str | os.PathLike) -> GPT:
    """The model `source` stands for: eval mode, fp32, no gradients asked for.

    Args:
        source: "mini", the name of a published model ("gpt2", "gpt2-medium", "gpt2-large",
            "gpt2-xl", "distilgpt2"; fetched once, then read from the hub's cache), or a folder.
            A name goes before a folder of that name; `./gpt2` is always the folder.

    Raises:
        CheckpointError: if there is no such model, or its files cannot be fetched, read or trusted.
    """
    if source == BUILT_IN:
        from model.mini.asset import load_asset

        model = load_asset()
    elif source in REPOSITORIES:
        model = load_folder(_fetch(source))
    else:
        model = load_folder(_existing_folder(source))
    return model.eval().requires_grad_(False)


def default_source() -> str:
    """What to load when nobody says: GLASSBOX_MODEL, else "gpt2" if it is here, else "mini"."""
    return os.environ.get("GLASSBOX_MODEL") or ("gpt2" if cached("gpt2") else BUILT_IN)


def cached(name: str) -> bool:
    """Whether the published model `name` is in the hub's local cache. Asks no network."""
    return _cached_folder(name) is not None


def _existing_folder(source: str | os.PathLike) -> Path:
    try:
        path = Path(source).expanduser()
        is_folder, is_file = path.is_dir() and str(source) != "", path.is_file()
    except (OSError, RuntimeError):  # a name no file system takes; ~somebody without a home
        is_folder = is_file = False
    if is_file:
        raise CheckpointError(f"{source} is a file: name the folder it lies in")
    if not is_folder:
        raise CheckpointError(
            f"{str(source)!r} is no folder and no model known by name ({', '.join(NAMES)})"
        )
    return path


def _cached_folder(name: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    found = [try_to_load_from_cache(REPOSITORIES[name], file) for file in (CONFIG, WEIGHTS)]
    return Path(found[0]).parent if all(isinstance(path, str) for path in found) else None


def _fetch(name: str) -> Path:
    """The local folder of a published model, downloaded first if it is not here.

    What is in the cache is used without asking the hub again: published weights do not change.
    """
    return _cached_folder(name) or _download(name)


def _download(name: str) -> Path:
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url

    repository = REPOSITORIES[name]
    try:
        # Fails at once where the hub is out of reach; a download would retry for half a minute.
        get_hf_file_metadata(hf_hub_url(repository, WEIGHTS))
        paths = [hf_hub_download(repository, file) for file in (CONFIG, WEIGHTS)]
    except Exception as error:  # the client lets through its own, the network's and the disk's
        raise CheckpointError(
            f"{name} is not on this machine, and {_why_not_fetched(error)}; "
            f"the built-in model, {BUILT_IN}, needs no network"
        ) from error
    return Path(paths[0]).parent


def _why_not_fetched(error: Exception) -> str:
    """What stopped a download and what to do about it, as half a sentence."""
    from huggingface_hub import constants
    from huggingface_hub.errors import OfflineModeIsEnabled

    hub = constants.ENDPOINT
    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE forbids fetching it: unset it for one run with a network"
    if status in (401, 403):
        return f"{hub} refuses access (HTTP {status}): check HF_TOKEN and HF_ENDPOINT"
    if status == 404:
        return f"{hub} does not have it (HTTP 404): check HF_ENDPOINT"
    if status is not None:
        return f"{hub} answers HTTP {status}: try again later"
    if isinstance(error, OSError) and error.errno is not None:
        return (
            f"{constants.HF_HUB_CACHE} cannot take it ({error.strerror}): make room or set HF_HOME"
        )
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"{hub} cannot be reached ({reason}): check the network and try again"
