"""A table of the read side: what its columns are, and how rows get into it.

Its SQL names it in braces (`INSERT INTO {cage_slips} …`), because a rebuild writes the same into a table of
another name. `Writes` fills the names in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from ledger.store.port import Statements

TEXT = "TEXT NOT NULL"
NUMBER = "BIGINT NOT NULL"
MAYBE_TEXT = "TEXT"
MAYBE_NUMBER = "BIGINT"

Columns = Mapping[str, str]
"""Columns by name, in order, with their types in SQL."""


@dataclass(frozen=True)
class ReadTable:
    """A table; rows are as long as `key` and `values` together, in that order.

    Its primary key is its only index: what an index is called cannot be changed on every engine, so a
    rebuilt table could not take another's place.
    """

    name: str
    key: Columns
    values: Columns

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them, in order."""
        return (*self.key, *self.values)

    def create(self, name: str) -> str:
        """Makes the table under this name, if it is not there."""
        columns = [f"{column} {kind}" for column, kind in {**self.key, **self.values}.items()]
        return f'CREATE TABLE IF NOT EXISTS "{name}" ({", ".join(columns)}, PRIMARY KEY ({self._key}))'

    @cached_property
    def add(self) -> str:
        """Adds the values of a row to those that are there under its key."""
        return self._upsert(
            {column: f"{{{self.name}}}.{column} + excluded.{column}" for column in self.values}
        )

    @cached_property
    def put(self) -> str:
        """A row takes the place of the one that is there under its key."""
        return self._upsert({column: f"excluded.{column}" for column in self.values})

    @cached_property
    def remove(self) -> str:
        """Takes a row away, by its key."""
        return f"DELETE FROM {{{self.name}}} WHERE " + " AND ".join(f"{column} = ?" for column in self.key)

    @property
    def _key(self) -> str:
        return ", ".join(self.key)

    def _upsert(self, changed: Mapping[str, str]) -> str:
        marks = ", ".join("?" * len(self.columns))
        sets = ", ".join(f"{column} = {to}" for column, to in changed.items())
        end = f"DO UPDATE SET {sets}" if sets else "DO NOTHING"
        return f"INSERT INTO {{{self.name}}} VALUES ({marks}) ON CONFLICT ({self._key}) {end}"


class Writes(Protocol):
    """Where a projection writes. It never reads, so what it wrote can be taken down and written elsewhere."""

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement, which has the tables' names in braces, for each row."""


class NamedTables:
    """Writes into the tables that these names stand for."""

    def __init__(self, statements: Statements, names: Mapping[str, str]) -> None:
        self._statements = statements
        self._names = names

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            self._statements.executemany(sql.format_map(self._names), rows)


TakenDown = list[tuple[str, list[Sequence[Any]]]]
"""What a projection wrote: statements, each with its rows, in order."""


class Notebook:
    """Takes down what a projection writes, to be written later or elsewhere."""

    def __init__(self) -> None:
        self.writes: TakenDown = []

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            self.writes.append((sql, list(rows)))
