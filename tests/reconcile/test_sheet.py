"""The count sheet: read right where its meaning is certain, otherwise one clear error a line, all at once."""

from __future__ import annotations

import codecs
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.terms.books import CountedShift
from ops.reconcile.cells import SHEET_BYTES_MAX
from ops.reconcile.sheet import COLUMNS, BadSheet, TableShifts, read_sheet, template
from tests.reconcile.sheets import HEADING, T1, sheet

LINE = "T1,1,10000,9500,2000,500,700,F-1 F-2,C-1"
COUNT = CountedShift(
    shift="1",
    opener=10000,
    closer=9500,
    fills=2000,
    credits=500,
    drop=700,
    fill_slips=("F-1", "F-2"),
    credit_slips=("C-1",),
)
TWO = TableShifts("T2", "GBP", ("day", "night"))


def faults(content: bytes, *tables: TableShifts) -> list[tuple[int | None, str]]:
    """What is wrong with a sheet, line by line."""
    with pytest.raises(BadSheet) as refused:
        read_sheet("counts.csv", content, tables or (T1,))
    return [(bad.line, str(bad)) for bad in refused.value.bad]


@pytest.mark.parametrize(
    "content",
    [
        sheet(LINE),
        codecs.BOM_UTF8 + sheet(LINE),
        sheet(LINE).decode().encode("utf-16"),
        codecs.BOM_UTF16_BE + sheet(LINE).decode().encode("utf-16-be"),
        sheet(LINE).decode().encode("utf-32"),
        (sheet(LINE).decode().replace(",", "\t")).encode("utf-16"),
        sheet(LINE).replace(b",", b";"),
        sheet(LINE).replace(b",", b"\t"),
        b"sep=;\r\n" + sheet(LINE).replace(b",", b";"),
        sheet(LINE).replace(b"\r\n", b"\n"),
        sheet(LINE).replace(b"\r\n", b"\r"),
        sheet(LINE).rstrip(),
        sheet(LINE) + b"\r\n\r\n  \r\n",
        sheet(LINE) + b",,,,,,,,\r\n,,,\r\n",
        sheet(LINE) + b'"","",,,,,,,\r\n',
        sheet("", LINE, ""),
        sheet(LINE + ",,,", heading=HEADING + ",,,"),
        sheet(" T1 ,1, 10000 ,9500,2000,500,700, F-1  F-2 ,C-1"),
        sheet('T1,1,"10,000","9,500","2,000",500,700,F-1 F-2,C-1'),
        sheet("T1;1;10,000;9'500;2 000;500;700;F-1 F-2;C-1", heading=HEADING.replace(",", ";")),
        sheet(LINE, heading="Table,Shift,Opener,Closer,Fills,Credits,Drop,Fill slips,CREDIT-SLIPS"),
        sheet(
            "C-1,700,F-1 F-2,T1,500,2000,9500,10000,1",
            heading="credit_slips,drop,fill_slips,table,credits,fills,closer,opener,shift",
        ),
    ],
    ids=str,
)
def test_what_spreadsheets_write_is_read_right(content: bytes) -> None:
    assert read_sheet("counts.csv", content, (T1,)) == {"T1": {"1": COUNT}}


def test_empty_slips_are_none_at_all_and_slips_left_out_are_not_told() -> None:
    told = read_sheet("c", sheet("T1,1,1,1,0,0,0,,"), (T1,))["T1"]["1"]
    assert (told.fill_slips, told.credit_slips) == ((), ())
    heading = "table,shift,opener,closer,fills,credits,drop"
    left_out = read_sheet("c", sheet("T1,1,1,1,0,0,0", heading=heading), (T1,))["T1"]["1"]
    assert (left_out.fill_slips, left_out.credit_slips) == (None, None)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("T9,1,1,1,0,0,0,,", "table (column 1): 'T9' is no table of this day; there are: T1"),
        ("t1,1,1,1,0,0,0,,", "table (column 1): 't1' is no table of this day; there are: T1"),
        (",1,1,1,0,0,0,,", "table (column 1): it is empty"),
        ("T1,2,1,1,0,0,0,,", "shift (column 2): '2' is no shift of table T1 on this day; there are: 1"),
        ("T1,,1,1,0,0,0,,", "shift (column 2): it is empty"),
        ("T1,1,,1,0,0,0,,", "opener (column 3): it is empty; write 0 where there was nothing"),
        ("T1,1,1,1,0,0,,,", "drop (column 7): it is empty; write 0 where there was nothing"),
        ("T1,1,1,1,0", "it has 5 cells, the heading has 9"),
        ("T1,1,1,1,0,0,0", "it has 7 cells, the heading has 9"),
        ("T1,1,1,1,0,0,0,,,", "it has 10 cells, the heading has 9"),
        ("T1,1,-1,1,0,0,0,,", "opener (column 3): '-1': it is negative"),
        ("T1,1,1,1,0,0,12.50,,", "drop (column 7): '12.50': it is no whole number"),
        ("T1,1,1,1,1,000,0,0,F-1,", "it has 10 cells, the heading has 9"),
        ("T1,1,1,1,0,0,0,F-1;F-2,", "fill_slips (column 8): 'F-1;F-2' is no slip's number"),
        ("T1,1,1,1,0,0,0,F-1 F-1,", "fill_slips (column 8): a slip stands twice"),
        ('T1,1,"1,1,0,0,0,,', "a quotation mark is not closed, or stands inside a cell"),
    ],
)
def test_a_bad_line_is_told_with_its_number_its_columns_and_why(line: str, told: str) -> None:
    (number, why), *_ = faults(sheet(line))
    assert number == 2
    assert why.startswith(told)


def test_every_bad_line_is_told_once_and_so_is_what_is_missing() -> None:
    bad = faults(
        sheet("T1,1,£1,1,0,0,-1,,", "", "T1,1,1,1,0,0,0,,", "T2,day,1,1,0,0,0,,", "T2,dusk,1,1,0,0,0,,"),
        T1,
        TWO,
    )
    assert [line for line, _ in bad] == [2, 4, 6, None]
    assert "opener (column 3)" in bad[0][1]
    assert "drop (column 7)" in bad[0][1]
    assert bad[1][1] == "shift (column 2): this table and shift stand on line 2 already"
    assert bad[3][1] == "table T2, shift night is missing"


@pytest.mark.parametrize(
    ("heading", "told"),
    [
        (HEADING + ",remarks", "remarks (column 10): there is no such column on a count sheet"),
        (HEADING.replace("opener", "opener_gbp"), "opener_gbp (column 3): there is no such column"),
        (HEADING + ",drop", "drop (column 10): this column stands twice"),
        (HEADING.replace("drop,", ""), "columns are missing: drop"),
        ("Count sheet of Friday", "this is not the heading of a count sheet"),
        ("table", "this is not the heading of a count sheet"),
        (HEADING.replace(",", ";", 4), "this is not the heading of a count sheet"),
        ('"table,shift', "this is not the heading of a count sheet"),
    ],
)
def test_a_bad_heading_is_told(heading: str, told: str) -> None:
    [(line, why)] = faults(sheet(LINE, heading=heading))
    assert line == 1
    assert told in why


@pytest.mark.parametrize(
    ("content", "line", "told"),
    [
        (b"", 1, "the sheet is empty"),
        (b"\r\n,,,\r\n", 1, "the sheet is empty"),
        (b"sep=;\r\n", 1, "the sheet has no heading"),
        (b'sep=;\r\n""\r\n', 1, "the sheet has no heading"),
        (sheet(LINE).decode().encode("utf-16-le"), 1, "it does not say what text it is"),
        (sheet(LINE).decode().encode("utf-16")[:-1], 3, "it is no UTF-16 text from here on"),
        (b" " * (SHEET_BYTES_MAX + 1), None, "more than"),
    ],
)
def test_what_is_no_sheet_is_told(content: bytes, line: int | None, told: str) -> None:
    [(where, why)] = faults(content)
    assert where == line
    assert told in why


def test_bytes_that_are_no_utf8_are_told_with_the_cells_they_are_in() -> None:
    """A pound sign of Windows' own code page, on two lines."""
    bad = faults(sheet("T2,day,1,1,0,0,0,,", "T2,night,1,1,0,0,X,,").replace(b"X", b"\xa312"), TWO)
    assert bad == [(3, "drop (column 7): something in it is no text; save the sheet as CSV, UTF-8")]


def test_a_line_in_pounds_is_told_where_the_ledger_has_the_pence() -> None:
    table = T1._replace(figures={"1": {"opener": 1000000, "drop": 70000, "fills": 0}})
    [(line, why)] = faults(sheet("T1,1,10000,9500,0,0,700,,"), table)
    assert line == 2
    assert why.startswith("opener and drop are 1/100 of what the ledger has")


def test_one_figure_that_is_a_hundredth_or_several_that_are_not_all_is_no_sign_of_pounds() -> None:
    """A slip of the pen is for the comparison to find."""
    for figures in ({"opener": 1000000}, {"opener": 1000000, "drop": 700}):
        read_sheet("c", sheet("T1,1,10000,9500,0,0,700,,"), (T1._replace(figures={"1": figures}),))


def test_a_template_has_a_line_for_each_table_and_shift_and_is_no_count() -> None:
    empty = template((T1, TWO))
    assert empty.decode().split("\r\n") == [
        HEADING,
        "T1,1,,,,,,,",
        "T2,day,,,,,,,",
        "T2,night,,,,,,,",
        "",
    ]
    assert [line for line, _ in faults(empty, T1, TWO)] == [2, 3, 4]
    filled = empty.decode().replace(",,,,,,,", ",1,1,1,1,1,,").encode()
    assert set(read_sheet("c", filled, (T1, TWO))) == {"T1", "T2"}


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(content: bytes) -> None:
    """It reads a sheet, or says in sentences why not."""
    for whole in (content, sheet().rstrip() + b"\n" + content):
        with suppress(BadSheet):
            assert set(read_sheet("c", whole, (T1,))) == {"T1"}


_AMOUNTS = st.lists(st.integers(0, 10**15), min_size=5, max_size=5)


@settings(max_examples=100, deadline=None)
@given(_AMOUNTS, st.sampled_from([",", ";", "\t"]), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_what_is_written_is_what_is_read(amounts: list[int], separator: str, encoding: str) -> None:
    cells = ["T1", "1", *map(str, amounts), "A-1", ""]
    content = f"{separator.join(COLUMNS)}\n{separator.join(cells)}\n".encode(encoding)
    count = read_sheet("c", content, (T1,))["T1"]["1"]
    assert [getattr(count, name) for name in COLUMNS[2:7]] == amounts
