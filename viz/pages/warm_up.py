"""What the server does before anybody asks: importing torch and loading weights takes seconds."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def warmed_up(_app) -> AsyncIterator[None]:
    """Begin loading in the background as the server starts, so that it answers at once."""
    threading.Thread(target=load, name="warm-up", daemon=True).start()
    yield


def load() -> None:
    """Import what the pages import, and load the model they start on.

    Faults are not told here: the first visitor meets the same one where it can be explained.
    """
    from model.files import CheckpointError
    from viz.pages import explore

    with suppress(CheckpointError):
        explore.prepare()
