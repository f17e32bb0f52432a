"""Where a ledger is, told without its password."""

from __future__ import annotations

import re

_PASSWORD = re.compile(r"(://[^:/?@]*):[^?]*@")
_AS_PARAMETER = re.compile(r"(password=)[^&]*", re.IGNORECASE)


class Location(str):
    """Where a ledger is. Whoever shows it, shows it without its password: in a message, a log or an error.

    To a driver it is what was given: a driver reads the text itself.
    """

    __slots__ = ()

    def __str__(self) -> str:
        said = str.__str__(self)
        return _AS_PARAMETER.sub(r"\1…", _PASSWORD.sub(r"\1:…@", said)) if "://" in said else said

    def __repr__(self) -> str:
        return repr(str(self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def for_driver(self) -> str:
        """The text itself."""
        return str.__str__(self)
