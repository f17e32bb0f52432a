"""Parquet: the rows of the CSV, in types of their own."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from io import BytesIO

import pytest

from ledger.errors import ExtraMissing
from ops.export import parquet_file
from ops.export.parquet_file import write_parquet
from ops.export.pnl import PNL
from ops.export.postings import POSTINGS
from ops.export.sheet import Holds, Sheet
from ops.export.wagers import WAGERS
from ops.wiring import House
from tests.export.written import rows_of

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
arrow = pytest.importorskip("pyarrow")


def written(house: House, sheet: Sheet) -> BytesIO:
    file = BytesIO()
    write_parquet(sheet, iter(rows_of(house, sheet)), file)
    return file


@pytest.mark.parametrize("sheet", [WAGERS, PNL, POSTINGS], ids=lambda sheet: sheet.name)
def test_the_rows_are_those_of_the_sheet(house: House, sheet: Sheet) -> None:
    table = parquet.read_table(written(house, sheet))
    names = [column.name for column in sheet.columns]
    assert table.column_names == names
    assert [tuple(row[name] for name in names) for row in table.to_pylist()] == list(
        map(tuple, rows_of(house, sheet))
    )


@pytest.mark.parametrize("sheet", [WAGERS, PNL, POSTINGS], ids=lambda sheet: sheet.name)
def test_amounts_are_whole_and_moments_are_in_utc(house: House, sheet: Sheet) -> None:
    schema = parquet.read_schema(written(house, sheet))
    kinds = {
        Holds.TEXT: arrow.string(),
        Holds.NUMBER: arrow.int64(),
        Holds.MONEY: arrow.int64(),
        Holds.PARTS: arrow.int64(),
        Holds.DAY: arrow.date32(),
        Holds.MOMENT: arrow.timestamp("us", tz="UTC"),
    }
    assert [(field.name, field.type) for field in schema] == [
        (column.name, kinds[column.holds]) for column in sheet.columns
    ]
    assert schema.metadata[b"parts_of_a_minor_unit"] == b"20"


def test_a_moment_is_the_table_systems(house: House) -> None:
    first = parquet.read_table(written(house, WAGERS)).to_pylist()[0]
    assert first["settled_at"] == datetime(2026, 11, 27, 19, 6, 7, tzinfo=UTC)


def test_rows_are_written_a_group_at_a_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no more of them than a group are ever held."""
    monkeypatch.setattr(parquet_file, "GROUP_ROWS", 100)
    rows = rows_of(house, WAGERS)
    file = parquet.ParquetFile(written(house, WAGERS))
    sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    assert sum(sizes) == len(rows)
    assert sizes[:-1] == [100] * (len(rows) // 100)


def test_no_more_than_a_group_is_asked_for_before_it_is_written(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_file, "GROUP_ROWS", 100)
    rows = rows_of(house, WAGERS)
    file, seen = BytesIO(), []

    def watched() -> object:
        for row in rows:
            seen.append(file.tell())
            yield row

    write_parquet(WAGERS, watched(), file)  # type: ignore[arg-type]
    assert seen[99] < seen[100] < seen[200]


def test_without_pyarrow_the_refusal_says_what_brings_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    file = BytesIO()
    with pytest.raises(ExtraMissing, match=r"pip install baccarat-ledger\[parquet\]") as refused:
        write_parquet(WAGERS, iter(()), file)
    assert (refused.value.extra, refused.value.library) == ("parquet", "pyarrow")
    assert file.getvalue() == b""
