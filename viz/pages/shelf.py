"""A bounded store whose makers may look at their neighbours, which Streamlit's caches cannot."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any


class Shelf:
    """The `most` values used last. Safe from any thread; a value is made once however many ask."""

    def __init__(self, most: int):
        self._most = most
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def look(self, key: Hashable) -> Any | None:
        """The value of `key` if it is here."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of `key`, made now if it is not here; an error in making it is the caller's."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            value = self.look(key)
            if value is None:
                value = make()
                self._put(key, value)
        with self._lock:
            self._making.pop(key, None)
        return value

    def _put(self, key: Hashable, value: Any) -> None:
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
