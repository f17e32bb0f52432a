"""What was asked for of late, up to a number of things. From any thread."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

_Kept = TypeVar("_Kept")


class Recent(Generic[_Kept]):
    """Values by name; the one not asked for the longest makes room for a new one.

    The library's cache does the same in links of Python, at five times the cost.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = Lock()

    def get(self, name: str) -> _Kept | None:
        """The value, if it is still there."""
        with self._lock:
            value = self._kept.get(name)
            if value is not None:
                self._kept.move_to_end(name)
        return value

    def put(self, name: str, value: _Kept) -> None:
        """Keep a value, in place of what has the name."""
        with self._lock:
            self._kept[name] = value
            self._kept.move_to_end(name)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def drop(self, name: str) -> None:
        """Keep it no longer."""
        with self._lock:
            self._kept.pop(name, None)
