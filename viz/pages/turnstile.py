"""One visitor's prompt at a time: two passes side by side would only slow each other down."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count


class Turnstile:
    """A fair queue. Tickets are served in the order they were drawn."""

    def __init__(self):
        self._numbers = count()
        self._waiting: list[int] = []
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, tell: Callable[[int], None], every: float = 0.5) -> Iterator[None]:
        """Wait for the turn, telling `tell` how many are ahead; the turn ends with the block."""
        with self._changed:
            ticket = next(self._numbers)
            self._waiting.append(ticket)
        try:
            while ahead := self._ahead(ticket, every):
                tell(ahead)
            yield
        finally:
            with self._changed:
                self._waiting.remove(ticket)
                self._changed.notify_all()

    def _ahead(self, ticket: int, patience: float) -> int:
        """How many are before `ticket`, after waiting a while for that to become none."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting[0] == ticket, timeout=patience)
            return self._waiting.index(ticket)
