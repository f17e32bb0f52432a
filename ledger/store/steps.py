"""Numbered steps that a store's schema is made by. A step that a release has brought never changes again."""

from __future__ import annotations

from importlib import resources
from typing import NamedTuple


class Step(NamedTuple):
    """One step: its number, what it is called, and the statements of it."""

    number: int
    name: str
    sql: str


def read(file: str) -> str:
    """The SQL of a file beside this room's code."""
    return resources.files("ledger.store").joinpath("sql", file).read_text("utf-8")
