"""The journal: accountants' own programs accept it, and re-add it to the P&L to the penny."""

from __future__ import annotations

import csv
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.export.journal import Program, component, decimal
from ops.wiring import House
from projections.pnl.views import PnlFilter
from projections.postings.chart import PARTS
from tests.export.written import journal_of, needs
from tests.oracle.night import pnl as oracle
from tests.projections.houses import Line, house_at, read
from tests.tabletalk import GAMING_DAY, Night, play

REASON = {"reason": 'a "note" \\ torn; =1 | 2 £', "approvers": ["accounts-1", "cage-1"]}
NAMES = st.text("Ax2e9._:-", max_size=8).map(lambda text: f"x{text}")


def run(*arguments: str | Path) -> str:
    """What the program says; it must be content."""
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def hledger(house: House, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "evening.journal"
    path.write_bytes(journal_of(house, Program.HLEDGER))
    return path


def tables_of(balance: str, *accounts: str) -> dict[str, Fraction]:
    """Of hledger's CSV balances, what these accounts come to at each table, in minor units."""
    found: defaultdict[str, Fraction] = defaultdict(Fraction)
    for account, amount in csv.reader(StringIO(balance)):
        parts = account.split(":")
        if len(parts) > 3 and parts[3] in accounts:
            number, _, currency = amount.partition(" ")  # hledger writes nothing as a bare 0
            assert currency == "GBP" or number == "0"
            found[parts[2].removeprefix("Table-")] += 100 * Fraction(number)
    return found


# --- Accepted --------------------------------------------------------------------------------------------


@needs("hledger")
def test_hledger_accepts_the_evening_also_when_it_is_strict(hledger: Path) -> None:
    """Strict: every account and every currency is declared."""
    run("hledger", "-f", hledger, "check")
    run("hledger", "-f", hledger, "check", "--strict")
    run("hledger", "-f", hledger, "check", "ordereddates")


@needs("bean-check")
def test_beancount_accepts_the_evening(house: House, tmp_path: Path) -> None:
    path = tmp_path / "evening.beancount"
    path.write_bytes(journal_of(house, Program.BEANCOUNT))
    assert run("bean-check", path) == ""


@pytest.fixture
def odd_names(tmp_path: Path) -> Iterator[House]:
    """Names with everything a name may have, a reason with everything a journal could trip over, and yen."""
    with house_at(tmp_path / "ledger.db") as house:
        for currency, table in (("GBP", "pb.1"), ("GBP", "PB-1_x2e:b"), ("JPY", "7"), ("GBP", "PB-x2e1")):
            night = Night(table=table, prefix=f"{table}-")
            night.opens(currency=currency, terms={"rounding": "up-to-unit"})
            night.coup(1, "P 2 4 / B 7 Q", "banker 105, player 30")
            night.say("fill-chips", slip="F:1_a.b", chips={"2500": 1})
            night.say("close-table", closer={"chips": {"2500": 400}})
            assert all(answer.applied for answer in play(house.ledger, night))
        figures = {"win_by_wagers": 0, "win_by_inventory": 0, "variance": 0}
        tables = [{"table": table, **figures} for table in ("pb.1", "PB-1_x2e:b", "7", "PB-x2e1")]
        last = Night(prefix="last-")
        last.closes_day(tables=tables)
        last.say("book-adjustment", table="pb.1", adjusts=GAMING_DAY, account="drop", amount=-5, **REASON)
        assert all(answer.applied for answer in play(house.ledger, last))
        yield house


@needs("hledger")
def test_hledger_accepts_any_name(odd_names: House, tmp_path: Path) -> None:
    path = tmp_path / "odd.journal"
    path.write_bytes(journal_of(odd_names, Program.HLEDGER))
    run("hledger", "-f", path, "check", "--strict")
    assert len(set(run("hledger", "-f", path, "accounts", "Float").split())) == 4


@needs("hledger")
def test_hledger_reads_a_reason_whole(odd_names: House, tmp_path: Path) -> None:
    """A semicolon would begin a comment there, so it is a comma."""
    path = tmp_path / "odd.journal"
    path.write_bytes(journal_of(odd_names, Program.HLEDGER))
    register = csv.DictReader(StringIO(run("hledger", "-f", path, "register", "Variance", "-O", "csv")))
    (told,) = {row["description"].partition(" | ")[2] for row in register}
    assert told == f'adjustment-drop of {GAMING_DAY} a "note" \\ torn, =1 | 2 £'


@needs("bean-check")
def test_beancount_accepts_any_name(odd_names: House, tmp_path: Path) -> None:
    path = tmp_path / "odd.beancount"
    path.write_bytes(journal_of(odd_names, Program.BEANCOUNT))
    run("bean-check", path)


# --- To the penny ----------------------------------------------------------------------------------------


@needs("hledger")
def test_it_re_adds_to_the_pnl_to_the_penny(house: House, hledger: Path, lines: list[Line]) -> None:
    """By hledger's own arithmetic: winnings and remainder are the win, at every table, and the oracle's."""
    balance = run("hledger", "-f", hledger, "balance", "--empty", "--no-total", "-O", "csv")
    win = {table: -amount for table, amount in tables_of(balance, "Winnings", "Remainder").items()}
    remainder = tables_of(balance, "Remainder")
    expected: defaultdict[str, Fraction] = defaultdict(Fraction)
    expected_remainder: defaultdict[str, Fraction] = defaultdict(Fraction)
    told: defaultdict[str, Fraction] = defaultdict(Fraction)
    for row in read(house):
        if row.banked_by == "house":
            expected[row.table] += row.win
            expected_remainder[row.table] += row.remainder
    for line in oracle(lines):
        if line["banked_by"] == "house":
            told[line["table"]] += line["win"]
    assert win == expected == told
    assert remainder == {table: amount for table, amount in expected_remainder.items() if amount}


@needs("hledger")
def test_the_drop_is_that_of_the_pnl_and_a_players_bank_has_no_part_in_the_win(
    house: House, hledger: Path
) -> None:
    balance = run("hledger", "-f", hledger, "balance", "--empty", "--no-total", "-O", "csv")
    drop: defaultdict[str, int] = defaultdict(int)
    for row in read(house):
        drop[row.table] += row.drop or 0
    told = tables_of(balance, "Drop")
    assert {table: amount for table, amount in told.items() if amount} == {
        table: amount for table, amount in drop.items() if amount
    }
    assert "CF1" not in tables_of(balance, "Winnings", "Remainder")
    assert "CF1" in tables_of(balance, "Bank")


def test_a_journal_of_nothing_is_a_comment(house: House) -> None:
    told = journal_of(house, Program.HLEDGER, PnlFilter(premises="annex")).decode()
    assert [line for line in told.splitlines() if not line.startswith(";")] == []


# --- Figures and names -----------------------------------------------------------------------------------


@settings(max_examples=50)
@given(
    amount=st.integers(-(10**17), 10**17),
    parts=st.integers(-100 * PARTS, 100 * PARTS),
    currency=st.sampled_from([("GBP", 100), ("JPY", 1), ("KWD", 1000)]),
)
def test_a_decimal_is_exact(amount: int, parts: int, currency: tuple[str, int]) -> None:
    code, minor_units = currency
    assert Fraction(decimal(amount, parts, code)) == (amount + Fraction(parts, PARTS)) / minor_units


@pytest.mark.parametrize(
    ("amount", "parts", "currency", "told"),
    [
        (-5, 0, "GBP", "-0.05"),
        (123_456, 0, "GBP", "1234.56"),
        (0, 15, "GBP", "0.0075"),
        (-100, 5, "GBP", "-0.9975"),
        (7, 0, "JPY", "7"),
        (-7, -10, "JPY", "-7.50"),
        (1, 0, "KWD", "0.001"),
    ],
)
def test_amounts_are_written_with_the_currencys_digits(
    amount: int, parts: int, currency: str, told: str
) -> None:
    """Twentieths of a penny: three quarters of one are 0.0075."""
    assert PARTS == 20
    assert decimal(amount, parts, currency) == told


@settings(max_examples=50)
@given(name=NAMES)
def test_a_name_can_be_had_back_so_two_are_never_written_alike(name: str) -> None:
    """And nothing is in it but what beancount takes in an account."""
    told = component(name)
    assert told.replace("-", "").isalnum()
    assert re.sub("-x([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), told) == name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("PB1", "PB1"),
        ("PB-1", "PB-1"),
        ("PB.1", "PB-x2e1"),
        ("PB-x2e1", "PB-x2dx2e1"),
        ("a_b:c", "a-x5fb-x3ac"),
    ],
)
def test_a_name_stays_readable(name: str, told: str) -> None:
    assert component(name) == told
