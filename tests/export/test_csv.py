"""CSV: RFC 4180, whole numbers, no formulas; and the figures of the oracle."""

from __future__ import annotations

import csv
from collections import defaultdict
from datetime import UTC, date, datetime
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from ops.export.csv_file import harmless
from ops.export.pnl import PNL
from ops.export.postings import POSTINGS
from ops.export.sheet import Column, Holds, Row, Sheet
from ops.export.wagers import WAGERS
from ops.wiring import House
from projections.pnl.views import PnlFilter
from projections.postings.chart import PARTS
from tests.export.written import csv_bytes, csv_of, rows_of
from tests.oracle.night import pnl as oracle
from tests.oracle.play import Night as OracleNight
from tests.projections.houses import Line, house_in_memory, take
from tests.properties.rulings import ruled_nights

README = Path(__file__).parents[2] / "ops" / "export" / "README.md"

NASTY = Sheet(
    "nasty",
    (
        Column("words", Holds.TEXT),
        Column("amount", Holds.MONEY),
        Column("day", Holds.DAY),
        Column("at", Holds.MOMENT),
    ),
    lambda *_: iter(()),
)


# --- The format ------------------------------------------------------------------------------------------


def test_lines_end_in_crlf_and_what_needs_quotes_has_them() -> None:
    """RFC 4180 2.1, 2.3, 2.6, 2.7: a header; commas, quotes and line ends inside quotes, quotes doubled."""
    at = datetime(2026, 11, 27, 21, 0, 0, tzinfo=UTC)
    rows: list[Row] = [
        ['pit "one", table\r\n2', -5, date(2026, 11, 27), at],
        [None, None, None, None],
        ["drôle", 0, None, at.replace(microsecond=1)],
    ]
    assert csv_bytes(NASTY, rows).decode() == (
        "words,amount,day,at\r\n"
        '"pit ""one"", table\r\n2",-5,2026-11-27,2026-11-27T21:00:00Z\r\n'
        ",,,\r\n"
        "drôle,0,,2026-11-27T21:00:00.000001Z\r\n"
    )


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])  # noqa: RUF001
def test_no_text_can_become_a_formula(begins: str) -> None:
    """OWASP's list: a spreadsheet shows an apostrophe's cell as text. Numbers below nothing stay numbers."""
    told = csv_bytes(NASTY, [[f"{begins}1+1", -11, None, None]]).decode()
    (_, row) = csv.reader(StringIO(told, newline=""))
    assert row == [f"'{begins}1+1", "-11", "", ""]


@pytest.mark.parametrize("text", ["", "PB1", "6(7)(i)", "p-1", "19 to 20", " =1", "1-2"])
def test_what_is_harmless_is_left_alone(text: str) -> None:
    assert harmless(text) == text


def test_an_apostrophe_of_somebodys_own_can_be_told_from_ours() -> None:
    assert harmless("'twas") == "''twas"


@pytest.mark.parametrize("sheet", [WAGERS, PNL, POSTINGS], ids=lambda sheet: sheet.name)
def test_every_column_is_documented(sheet: Sheet) -> None:
    section = README.read_text().partition(f"\n### `{sheet.name}`\n")[2].partition("\n### ")[0]
    told = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| `")]
    assert told == [f"`{column.name}`" for column in sheet.columns]


# --- The figures -----------------------------------------------------------------------------------------

Net = dict[tuple[str, str], tuple[int, int, int, Fraction]]


def net_of(rows: list[dict[str, Any]]) -> Net:
    """What each wager comes to: stake, winnings, what was handed back, remainder. Reversals take back."""
    found: defaultdict[tuple[str, str], list[Any]] = defaultdict(lambda: [0, 0, 0, Fraction(0)])
    for row in rows:
        sums = found[row["coup"], row["wager"]]
        for place, name in enumerate(("stake", "winnings", "returned")):
            sums[place] += row[name]
        sums[3] += Fraction(row["remainder_parts"], PARTS)
    return {key: (a, b, c, d) for key, (a, b, c, d) in found.items() if a or b or c or d}


def oracle_net(lines: list[Line]) -> Net:
    """The same from the oracle's last word on every coup."""
    night = OracleNight()
    for line in lines:
        night.obey(line)
    return {
        (f"{table}/{shoe}/{number}", line["wager"]): (
            line["covered"],
            line["winnings"],
            line["returned"] - line.get("excess", 0),
            Fraction(line["remainder"]),
        )
        for (_, table, shoe, number), coup in night.coups.items()
        for line in coup.lines
    }


def test_the_wagers_of_the_evening_are_the_oracles(house: House, lines: list[Line]) -> None:
    """Also those of a coup that was corrected, and none of one that was ruled void."""
    rows = csv_of(house, WAGERS)
    assert net_of(rows) == oracle_net(lines)
    assert {row["entry"] for row in rows} == {"coup-settled", "settlement-reversed", "coup-corrected"}


@settings(max_examples=6, deadline=None)
@given(tape=ruled_nights())
def test_the_wagers_of_any_night_are_the_oracles(tape: list[Line]) -> None:
    with house_in_memory() as house:
        take(house, tape)
        assert net_of(csv_of(house, WAGERS)) == oracle_net(tape)


def test_a_wagers_row_says_where_when_how_and_by_which_paragraph(house: House) -> None:
    """The first coup of the evening, line 8 of the tape: a banker wager of 2500 that won 2375."""
    first = rows_of(house, WAGERS)[0]
    told = dict(zip([column.name for column in WAGERS.columns], first, strict=True))
    assert (told["premises"], told["table"], told["shift"], told["currency"]) == ("main", "PB1", "1", "GBP")
    assert (told["coup"], told["wager"], told["kind"]) == ("PB1/2026-11-27-1/1", "w1", "banker")
    assert (told["stake"], told["winnings"], told["returned"]) == (2500, 2375, 2500)
    assert (told["odds"], told["paragraph"], told["banked_by"]) == ("19 to 20", "6(7)(i)", "house")
    assert told["settled_at"] == datetime(2026, 11, 27, 19, 6, 7, tzinfo=UTC)


def test_the_rows_of_the_pnl_are_the_oracles(house: House, lines: list[Line]) -> None:
    expected = {(row["table"], row["shift"]): row for row in oracle(lines)}
    rows = csv_of(house, PNL)
    assert {(row["table"], row["shift"]) for row in rows} == set(expected)
    for row in rows:
        told = expected[row["table"], row["shift"]]
        for name in ("coups", "voided", "held", "wagers", "handle", "lost_stakes", "winnings", "drop"):
            assert row[name] == told[name]
        for name in ("win", "banker_win", "void_stakes", "stand_off_stakes", "voided_coup_stakes"):
            assert row[name] == told[name]
        assert Fraction(row["remainder_parts"], PARTS) == Fraction(told["remainder"])
        exact = told["theoretical_win"]
        if exact is None:
            assert row["theoretical_win"] is None
        else:
            assert abs(row["theoretical_win"] - Fraction(exact)) <= Fraction(1, 2)


def test_the_postings_of_an_entry_sum_to_nothing_and_of_winnings_to_the_win(
    house: House, lines: list[Line]
) -> None:
    entries: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
    win: defaultdict[str, Fraction] = defaultdict(Fraction)
    for row in csv_of(house, POSTINGS):
        exact = row["amount"] + Fraction(row["parts"], PARTS)
        entries[row["sequence"], row["leg"]] += exact
        if row["account"] in {"winnings", "remainder"}:
            win[row["table"]] -= exact
    assert set(entries.values()) == {0}
    expected: defaultdict[str, int] = defaultdict(int)
    for told in oracle(lines):
        expected[told["table"]] += told["win"]
    assert {table: amount for table, amount in expected.items() if amount} == win


@pytest.mark.parametrize("sheet", [WAGERS, PNL, POSTINGS], ids=lambda sheet: sheet.name)
def test_another_day_or_another_premises_has_no_rows(house: House, sheet: Sheet) -> None:
    day_before = PnlFilter(last_day=date(2026, 11, 26))
    assert rows_of(house, sheet, day_before) == []
    assert rows_of(house, sheet, PnlFilter(premises="annex")) == []
    same_day = PnlFilter(first_day=date(2026, 11, 27), last_day=date(2026, 11, 27), premises="main")
    assert rows_of(house, sheet, same_day) == rows_of(house, sheet)
