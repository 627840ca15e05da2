"""From a name or a folder to a GPT that is ready to run.

Three kinds of source: the built-in model, a published GPT-2 on the Hugging Face Hub, and a folder
written by transformers' `save_pretrained`. The hub's files are such a folder too, once fetched.
"""

import os
from pathlib import Path

from model import hub
from model.files import CheckpointError
from model.folder import load_folder
from model.gpt import GPT

BUILT_IN = "mini"
NAMES = (BUILT_IN, *hub.PUBLISHED)


def load_model(source: str | os.PathLike, tell: hub.Tell = lambda *_: None) -> GPT:
    """The model `source` stands for: eval mode, fp32, no gradients asked for.

    Args:
        source: "mini", the name of a published model ("gpt2", "gpt2-medium", "gpt2-large",
            "gpt2-xl", "distilgpt2"; fetched once, then read from the hub's cache), or a folder.
            A name goes before a folder of that name; `./gpt2` is always the folder.
        tell: called during a download with the bytes that are here and the bytes in all.

    Raises:
        CheckpointError: if there is no such model, or its files cannot be fetched, read or trusted,
            or there is not the memory for it.
    """
    from model.mini.asset import FOLDER, load_asset

    if source == BUILT_IN or (source not in NAMES and Path(source).absolute() == FOLDER):
        model = load_asset()
    else:
        model = load_folder(folder_of(source, tell))
    return model.eval().requires_grad_(False)


def folder_of(source: str | os.PathLike, tell: hub.Tell = lambda *_: None) -> Path:
    """Where the files of a published model or a folder lie; fetched first if they are not here.

    What is in the cache is used without asking the hub again: published weights do not change.
    """
    if source not in hub.PUBLISHED:
        return _existing_folder(source)
    return hub.cached_folder(source) or hub.fetch(source, tell)


def default_source() -> str:
    """What to load when nobody says: GLASSBOX_MODEL, else "gpt2" if it is here, else "mini"."""
    return os.environ.get("GLASSBOX_MODEL") or ("gpt2" if cached("gpt2") else BUILT_IN)


def offered() -> tuple[str, ...]:
    """What a page lets its visitors choose from, the preferred one first.

    GLASSBOX_MODEL, then what GLASSBOX_MODELS lists (names and folders, with commas between); all
    that is known by name when it lists nothing.
    """
    listed = [name.strip() for name in os.environ.get("GLASSBOX_MODELS", "").split(",")]
    known = ["gpt2", BUILT_IN, *hub.PUBLISHED]
    wanted = [os.environ.get("GLASSBOX_MODEL", ""), *(listed if any(listed) else known)]
    return tuple(dict.fromkeys(name for name in wanted if name))


def here(source: str) -> bool:
    """Whether `source` needs no fetching. A folder is taken to be there until it is loaded."""
    return cached(source) if source in hub.PUBLISHED else True


def cached(name: str) -> bool:
    """Whether the published model `name` is in the hub's local cache. Asks no network."""
    return hub.cached_folder(name) is not None


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
