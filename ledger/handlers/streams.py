"""What a handler is, and what it asks of the application."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, Protocol

from ledger import commands
from ledger.aggregates import access as accesses
from ledger.aggregates import coup as coups
from ledger.aggregates import day as days
from ledger.aggregates import shoe as shoes
from ledger.aggregates import table as tables
from ledger.aggregates.draft import Draft, Folded


class Streams(Protocol):
    """What a handler asks of the application: drafts of the streams it decides on."""

    def table(self, premises: str, table: str) -> Draft[tables.Table]:
        """The latest gaming day of a table. Raises: TableNotOpen when it never opened."""

    def night(self, premises: str, table: str, gaming_day: date) -> Draft[tables.Table]:
        """One gaming day of a table, whether it ever opened for it or not."""

    def new_night(
        self, command: commands.OpenTable
    ) -> tuple[Draft[tables.Table], Folded[tables.Table] | None]:
        """The gaming day to be opened, and the latest one the table opened for."""

    def day(self, premises: str, gaming_day: date) -> Draft[days.Day]:
        """The premises' gaming day, whether anything is on it yet or not."""

    def open_day(self, premises: str) -> Draft[days.Day]:
        """The gaming day on which to book what belongs to none: the latest, or the one after it if sealed."""

    def access(self, premises: str, key: str) -> Draft[accesses.Access]:
        """A key, whether it was ever issued or not."""

    def shoe(self, premises: str, table: str, shoe: str) -> Draft[shoes.Shoe]:
        """What has been seen of a shoe."""

    def coup(
        self, premises: str, table: str, shoe: str, number: int, *, new: bool = False
    ) -> Draft[coups.Coup]:
        """A coup; `new` when it is expected not to be in the record yet, which the save will check."""


Handler = Callable[[Streams, Any], Draft[Any]]
