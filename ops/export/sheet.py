"""A sheet: rows under named columns, which a CSV and a Parquet file hold alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum

from ledger.store.port import RecordReader, Statements
from projections.pnl.views import PnlFilter

Cell = str | int | date | datetime | None
Row = Sequence[Cell]


class Holds(Enum):
    """What a column holds; beside it, nothing at all (None)."""

    TEXT = "text"
    NUMBER = "whole number"
    MONEY = "minor units"
    PARTS = "parts of a minor unit"
    DAY = "day"
    MOMENT = "moment, UTC"


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `about` says what its name does not."""

    name: str
    holds: Holds
    about: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a sheet's rows come from: the record, and its read tables at one moment."""

    record: RecordReader
    statements: Statements


@dataclass(frozen=True, slots=True)
class Sheet:
    """What can be exported as rows.

    Attributes:
        columns: what each member of a row is.
        rows: reads them a little at a time, for the gaming days and tables wanted.
    """

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[Source, PnlFilter], Iterator[Row]]
