"""Double entry by hand: what each event moves, to and from which account. Debits are more than 0."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ledger.commands import Command
from ledger.events.base import LedgerEvent
from ledger.events.coup import CoupCorrected
from ledger.events.day import AdjustmentBooked, DayReconciled
from ledger.events.table import TableOpened
from ledger.regulation.profiles import PROFILES
from ledger.store.sqlite_read_tables import SQLiteReadTables
from ledger.terms.books import Account as Figure
from ledger.terms.books import ReconciledTable
from ledger.terms.house import BankedBy, Conditions, Terms
from ledger.terms.wagers import Kind, Outcome, Tender, Total
from ops.wiring import House
from projections.pnl.views import PnlFilter
from projections.postings.chart import DUE_PARTS, PARTS
from projections.postings.postings import Postings
from projections.postings.views import BookedEntry, days, entries
from projections.read_table import NamedTables
from tests.projections.books import balanced, booked, fold_books, moves, sums, told
from tests.projections.houses import house_at, take
from tests.tabletalk import GAMING_DAY, NOON, Live, Night, command

RULING = {"reason": "camera 4", "evidence": "clip 17", "approvers": ["pit-1", "pit-2"]}
CLOSER = {"chips": {"2500": 400}}


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house_at(tmp_path / "ledger.db") as opened:
        yield opened


# --- The table -------------------------------------------------------------------------------------------


def test_the_float_comes_from_the_cage_and_goes_back(here: House) -> None:
    """400 chips of 2500 come; 100 000 is filled, 50 000 credited; what is counted at last goes back."""
    table = Live(here.ledger)
    table.say("fill-chips", slip="F-1", chips={"2500": 40})
    table.say("credit-chips", slip="C-1", chips={"2500": 20})
    table.say("close-table", closer={"chips": {"2500": 421}})
    assert told(here) == [
        ("table-opened", None, {"cage": -1_000_000, "float": 1_000_000}),
        ("fill", "F-1", {"cage": -100_000, "float": 100_000}),
        ("credit", "C-1", {"cage": 50_000, "float": -50_000}),
        ("table-closed", None, {"cage": 1_052_500, "float": -1_052_500}),
    ]


@pytest.mark.parametrize(
    ("moved", "voided", "back"),
    [
        ("fill-chips", "fill-voided", {"cage": 2500, "float": -2500}),
        ("credit-chips", "credit-voided", {"cage": -2500, "float": 2500}),
    ],
)
def test_a_void_slips_chips_are_back_where_they_were(
    here: House, moved: str, voided: str, back: dict[str, int]
) -> None:
    """Also when the table has closed; a number that was spoiled had moved nothing."""
    table = Live(here.ledger)
    table.say(moved, slip="N-1", chips={"2500": 1})
    table.say("close-table", closer=CLOSER)
    fold_books(here)
    assert table.say("void-slip", slip="N-1", reason="torn").applied
    assert table.say("void-slip", slip="N-2", reason="blotted").applied
    assert told(here)[-1] == (voided, "N-1", back)
    assert len(told(here)) == 4


def test_the_cash_in_the_box_bought_chips_and_a_charge_is_the_patrons(here: House) -> None:
    table = Live(here.ledger)
    table.say("count-drop", amount=700)
    table.say("take-charge", amount=300, patron="p-1")
    assert told(here)[1:] == [
        ("drop-counted", None, {"float": -700, "drop": 700}),
        ("charge", "p-1", {"patrons": 300, "charges": -300}),
    ]


def test_slips_belong_to_the_shift_in_force_also_in_a_later_batch(here: House) -> None:
    table = Live(here.ledger, currency="EUR")
    fold_books(here)
    table.say("change-shift", shift="late")
    fold_books(here)
    table.say("close-table", closer=CLOSER)
    fold_books(here)
    assert [(entry.entry, entry.shift, entry.currency) for entry in booked(here)] == [
        ("table-opened", "1", "EUR"),
        ("table-closed", "late", "EUR"),
    ]


# --- Coups -----------------------------------------------------------------------------------------------


def test_a_coup_opens_stakes_and_its_end_closes_them(here: House) -> None:
    """9 to 7: player 100 wins 100 (6(3)); banker 200 and tie 50 are lost. The house wins 150."""
    table = Live(here.ledger)
    table.coup(1, "P 9 K / B 7 Q", "player 100, banker 200, tie 50")
    assert told(here)[1:] == [
        ("wagers-placed", "T1/S1/1", {"patrons": 350, "wagers-open": -350}),
        ("coup-settled", "T1/S1/1", {"patrons": -200, "wagers-open": 350, "winnings": -150}),
    ]
    (balance,) = balanced(here)
    assert (balance.win, balance.remainder) == (150, Fraction(0))


def test_promotional_stakes_are_posted_apart(here: House) -> None:
    """Domain §4.1: 100 in value chips lost, 40 promotional won at 8 to 1."""
    table = Live(here.ledger)
    staked = [
        {"id": "w1", "kind": "player", "stake": 100},
        {"id": "w2", "kind": "tie", "stake": 40, "tender": "promotional"},
    ]
    table.step("record-coup", 1, hands={"player": "K 6", "banker": "J 6"}, wagers=staked)
    table.step("record-coup", 2, hands={"player": "K 6", "banker": "J 7"}, wagers=staked)
    assert [(entry.tender, moves(entry)) for entry in fold_and_read(here)[-4:]] == [
        ("promotional", {"patrons": 40, "wagers-open": -40}),
        ("value", {"patrons": 100, "wagers-open": -100}),
        ("promotional", {"wagers-open": 40, "winnings": -40}),
        ("value", {"wagers-open": 100, "winnings": -100}),
    ]
    assert {balance.tender: balance.win for balance in balanced(here)} == {
        "promotional": 40 - 8 * 40,
        "value": 100,  # the first was void, 6(4)(a)
    }


def fold_and_read(house: House) -> list[BookedEntry]:
    fold_books(house)
    return booked(house)


def test_the_remainder_is_exact_and_no_part_of_it_is_rounded(here: House) -> None:
    """Domain §3.5: 105 at 19 to 20 is 99 3/4 and pays 100; 25 is 23 3/4 and pays 24."""
    table = Live(here.ledger, terms={"rounding": "up-to-unit"})
    table.coup(1, "P 2 4 / B 7 Q", "banker 105, banker 25")
    entry = fold_and_read(here)[-1]
    exact = {post.account.value: Fraction(post.parts, PARTS) + post.amount for post in entry.postings}
    assert exact == {
        "wagers-open": 130,
        "patrons": -130 - 124,
        "winnings": 123 + Fraction(1, 2),
        "remainder": Fraction(1, 2),
    }
    (balance,) = balanced(here)
    assert (balance.win, balance.remainder) == (-124, Fraction(1, 2))


def test_paying_less_than_the_odds_leaves_a_remainder_below_nothing(here: House) -> None:
    """The nearest payable unit, 5: 110 at 19 to 20 is 104 1/2 and pays 105; 102 is 96 9/10 and pays 95."""
    table = Live(here.ledger, terms={"rounding": "nearest", "unit": 5})
    table.coup(1, "P 2 4 / B 7 Q", "banker 110, banker 102")
    fold_books(here)
    assert [balance.remainder for balance in balanced(here)] == [Fraction(1, 2) - Fraction(19, 10)]


def test_the_parts_hold_what_is_due_at_any_odds() -> None:
    for profile in PROFILES.values():
        for kind, odds in profile.odds.items():
            assert Fraction(DUE_PARTS[profile.id][kind], PARTS) == odds.on(1)


@pytest.mark.parametrize("batch", [1, 100_000])
def test_cancelled_stakes_go_back_each_in_its_own_chips(here: House, batch: int) -> None:
    """Reg 2(2), whether the coup opened in an earlier batch or in this one."""
    table = Live(here.ledger)
    table.step("open-coup", 1)
    staked = [
        {"id": "w1", "kind": "player", "stake": 100},
        {"id": "w2", "kind": "player", "stake": 30},
        {"id": "w3", "kind": "player", "stake": 7, "tender": "promotional"},
        {"id": "w4", "kind": "player", "stake": 1, "tender": "promotional"},
    ]
    table.step("place-wagers", 1, wagers=staked)
    table.step("cancel-wagers", 1, wagers=["w3", "w2", "w1"])
    fold_books(here, batch)
    cancelled = [entry for entry in booked(here) if entry.entry == "wagers-cancelled"]
    assert [(entry.tender, moves(entry)) for entry in cancelled] == [
        ("promotional", {"patrons": -7, "wagers-open": 7}),
        ("value", {"patrons": -130, "wagers-open": 130}),
    ]


@pytest.mark.parametrize("batch", [1, 100_000])
def test_a_coup_ruled_void_before_it_settled_hands_every_stake_back(here: House, batch: int) -> None:
    """It was held: its third card breaks the tableau. What was cancelled before is not handed back again."""
    table = Live(here.ledger)
    table.step("open-coup", 1)
    staked = [
        {"id": "w1", "kind": "player", "stake": 100},
        {"id": "w2", "kind": "tie", "stake": 5, "tender": "promotional"},
        {"id": "w3", "kind": "tie", "stake": 11},
    ]
    table.step("place-wagers", 1, wagers=staked)
    table.step("cancel-wagers", 1, wagers=["w3"])
    table.step("close-wagers", 1)
    table.step("deal-hands", 1, hands={"player": "K 2 8", "banker": "A 2 5"})
    fold_books(here, batch)
    assert sums(booked(here))["wagers-open"] == -105
    assert table.step("void-coup", 1, **RULING).applied
    fold_books(here, batch)
    voided = [entry for entry in booked(here) if entry.entry == "coup-voided"]
    assert [(entry.tender, moves(entry)) for entry in voided] == [
        ("promotional", {"patrons": -5, "wagers-open": 5}),
        ("value", {"patrons": -100, "wagers-open": 100}),
    ]


def test_a_coup_of_an_earlier_batch_may_take_cancel_and_hand_back_stakes_in_one(here: House) -> None:
    """None of them was ever in a batch of its own, and of the coup this batch saw no opening."""
    table = Live(here.ledger)
    table.step("open-coup", 1)
    table.step("place-wagers", 1, wagers=[{"id": "w1", "kind": "player", "stake": 100}])
    fold_books(here)
    table.step("place-wagers", 1, wagers=[{"id": f"w{n}", "kind": "tie", "stake": n} for n in (2, 3)])
    table.step("cancel-wagers", 1, wagers=["w2"])
    table.step("void-coup", 1, **RULING)
    assert told(here)[2:] == [
        ("wagers-placed", "T1/S1/1", {"patrons": 5, "wagers-open": -5}),
        ("wagers-cancelled", "T1/S1/1", {"patrons": -2, "wagers-open": 2}),
        ("coup-voided", "T1/S1/1", {"patrons": -103, "wagers-open": 103}),
    ]
    assert sums(balanced(here)) == sums(booked(here)) == {"cage": -1_000_000, "float": 1_000_000}


def test_a_correction_takes_the_settlement_back_and_settles_anew(here: House) -> None:
    """8 to 7 pays player 100; the camera shows 6 to 7, so it was lost: the house wins 100, not -100."""
    table = Live(here.ledger)
    table.coup(1, "P 8 K / B 7 Q", "player 100")
    hands = {"player": "6 K", "banker": "7 Q"}
    assert table.step("correct-coup", 1, hands=hands, **RULING).applied
    assert told(here)[-2:] == [
        ("settlement-reversed", "T1/S1/1", {"patrons": 200, "wagers-open": -100, "winnings": -100}),
        ("coup-corrected", "T1/S1/1", {"wagers-open": 100, "winnings": -100}),
    ]
    assert [entry.leg for entry in booked(here)[-2:]] == [1, 2]
    assert [balance.win for balance in balanced(here)] == [100]


def test_a_settled_coup_ruled_void_leaves_nothing_behind(here: House) -> None:
    """Whatever it had paid, with a remainder in it."""
    table = Live(here.ledger, terms={"rounding": "up-to-unit"})
    before = sums(fold_and_read(here))
    table.coup(1, "P 2 4 / B 7 Q", "banker 105, player 30, tie 7")
    table.step("void-coup", 1, **RULING)
    fold_books(here)
    assert sums(booked(here)) == before
    assert [(balance.win, balance.remainder) for balance in balanced(here)] == [(0, Fraction(0))]


# --- A player's bank -------------------------------------------------------------------------------------


def test_a_players_bank_moves_between_the_bank_and_the_patrons_alone(here: House) -> None:
    """6(6): p-1 puts up 1000, wins 600, and p-2 takes over with 500, loses 500; the house wins nothing."""
    table = Live(here.ledger, "chemin-de-fer")
    table.say("take-bank", holder="p-1", sum=1000)
    table.coup(1, "P 2 4 / B 7 Q", "player 600")
    table.say("pass-bank", holder="p-2", sum=500)
    table.coup(2, "P 2 7 / B 7 Q", "player 500")
    table.say("close-table", closer=CLOSER)
    assert told(here)[1:] == [
        ("bank-taken", "p-1", {"patrons": 1000, "bank": -1000}),
        ("wagers-placed", "T1/S1/1", {"patrons": 600, "wagers-open": -600}),
        ("coup-settled", "T1/S1/1", {"wagers-open": 600, "bank": -600}),
        ("bank-passed", "p-1", {"patrons": -1600, "bank": 1600}),
        ("bank-taken", "p-2", {"patrons": 500, "bank": -500}),
        ("wagers-placed", "T1/S1/2", {"patrons": 500, "wagers-open": -500}),
        ("coup-settled", "T1/S1/2", {"patrons": -1000, "wagers-open": 500, "bank": 500}),
        ("table-closed", None, {"cage": 1_000_000, "float": -1_000_000}),
    ]
    assert sums(booked(here)) == {}


def test_what_a_ruling_moves_stays_on_a_bank_that_has_gone(here: House) -> None:
    """Later coups are never replayed: p-1, who retired with 1600, owes the 1200 that the stake had won."""
    table = Live(here.ledger, "chemin-de-fer")
    table.say("take-bank", holder="p-1", sum=1000)
    table.coup(1, "P 2 4 / B 7 Q", "player 600")
    table.say("retire-bank")
    table.step("correct-coup", 1, hands={"player": "2 7", "banker": "7 Q"}, **RULING)
    fold_books(here)
    left = sums(booked(here))
    assert (left["bank"], left["patrons"]) == (1200, -1200)
    assert "winnings" not in left


# --- The day ---------------------------------------------------------------------------------------------


def test_a_count_that_agrees_leaves_nothing_on_the_float_and_one_that_does_not_a_variance(
    here: House,
) -> None:
    """Wagers won 150, charges are 300; the count: a drop of 700 less 260 that the float lost, so 10 miss."""
    table = Live(here.ledger)
    table.coup(1, "P 9 K / B 7 Q", "player 100, banker 200, tie 50")
    table.say("take-charge", amount=300)
    table.say("count-drop", amount=700)
    table.say("close-table", closer={"chips": {"2500": 399, "20": 112}})
    fold_books(here)
    assert sums(booked(here))["float"] == -440
    figures = {"win_by_wagers": 150, "charges": 300, "win_by_inventory": 440, "variance": 10}
    table.ledger.run(closes(table, {"table": "T1", **figures}))
    assert told(here)[-1] == ("day-reconciled", None, {"float": 440, "patrons": -450, "variance": 10})
    assert booked(here)[-1].shift == "close"
    left = sums(booked(here))
    assert left == {"cage": -260, "drop": 700, "winnings": -150, "charges": -300, "variance": 10}


def closes(table: Live, *figures: dict[str, Any]) -> Command:
    line = table.night.closes_day(position=table.ledger.record.last_sequence(), tables=list(figures))
    return command(line)


# Events by hand: what they say needs no ledger that came to say it.
COMMON: dict[str, Any] = {"version": 1, "occurred_at": NOON, "recorded_at": NOON, "actor": "a", "cause": "c"}


@pytest.fixture
def tables() -> Iterator[SQLiteReadTables]:
    opened = SQLiteReadTables(":memory:")
    yield opened
    opened.close()


def fold(tables: SQLiteReadTables, *batches: list[LedgerEvent]) -> list[BookedEntry]:
    """Fold batches of events, numbered from 1, and read the entries."""
    names = {table.name: table.name for table in Postings.tables}
    sequence = 0
    with tables.transaction() as statements:
        for table in Postings.tables:
            statements.execute(table.create(table.name))
        for batch in batches:
            folding = Postings().batch()
            for event in batch:
                sequence += 1
                folding.take(sequence, event)
            folding.write(NamedTables(statements, names))
        return list(entries(statements, PnlFilter()))


def adjustment(account: Figure, amount: int) -> AdjustmentBooked:
    return AdjustmentBooked(
        stream="day/main/2026-11-29",
        premises="main",
        gaming_day=date(2026, 11, 29),
        adjusts=date(2026, 11, 27),
        table="T1",
        currency="GBP",
        account=account,
        amount=amount,
        reason="=found in the box",
        approvers=("accounts-1", "cage-1"),
        **COMMON,
    )


@pytest.mark.parametrize(
    ("account", "moved"),
    [
        (Figure.DROP, {"drop": 5, "variance": -5}),
        (Figure.CLOSER, {"cage": 5, "variance": -5}),
        (Figure.CREDITS, {"cage": 5, "variance": -5}),
        (Figure.OPENER, {"cage": -5, "variance": 5}),
        (Figure.FILLS, {"cage": -5, "variance": 5}),
        (Figure.CHARGES, {"charges": -5, "variance": 5}),
        (Figure.VARIANCE, {"float": -5, "variance": 5}),
    ],
)
def test_an_adjustment_changes_its_figure_and_the_variance_of_a_sealed_day(
    tables: SQLiteReadTables, account: Figure, moved: dict[str, int]
) -> None:
    """Domain §4.1: variance is win by wagers + charges - drop - closer - credits + opener + fills."""
    turned = {name: -amount for name, amount in moved.items()}
    found = fold(tables, [adjustment(account, 5), adjustment(account, -5)])
    assert [moves(entry) for entry in found] == [moved, turned]


def test_an_adjustment_is_booked_on_the_open_day_and_names_the_sealed_one(tables: SQLiteReadTables) -> None:
    (entry,) = fold(tables, [adjustment(Figure.DROP, -700)])
    assert (entry.gaming_day, entry.shift, entry.adjusts) == ("2026-11-29", "adjustment", "2026-11-27")
    assert (entry.entry, entry.about) == ("adjustment-drop", "=found in the box")


def opened(table: str, currency: str) -> TableOpened:
    return TableOpened(
        stream=f"table/main/{table}/2026-11-27",
        premises="main",
        table=table,
        gaming_day=date(2026, 11, 27),
        shift="1",
        format="punto-banco",
        profile="si-1994-2899",
        authority="house-rules",
        terms=Terms(),
        currency=currency,
        limits={},
        opener={},
        signed_by=(),
        **COMMON,
    )


@pytest.mark.parametrize("in_one_batch", [True, False])
def test_each_table_of_a_reconciled_day_has_an_entry_in_its_currency(
    tables: SQLiteReadTables, in_one_batch: bool
) -> None:
    reconciled = DayReconciled(
        stream="day/main/2026-11-27",
        premises="main",
        gaming_day=date(2026, 11, 27),
        position=2,
        tables=tuple(
            ReconciledTable(table=table, win_by_wagers=7, win_by_inventory=7, variance=0)
            for table in ("T1", "T2")
        ),
        **COMMON,
    )
    night: list[LedgerEvent] = [opened("T1", "GBP"), opened("T2", "EUR")]
    found = fold(tables, *([[*night, reconciled]] if in_one_batch else [night, [reconciled]]))
    assert [(entry.table, entry.leg, entry.currency, moves(entry)) for entry in found] == [
        ("T1", 1, "GBP", {"float": 7, "patrons": -7}),
        ("T2", 2, "EUR", {"float": 7, "patrons": -7}),
    ]


def test_a_ruling_on_a_sealed_day_is_booked_on_the_open_one(tables: SQLiteReadTables) -> None:
    """So a sealed day's figures never change; the entry names that day."""
    lost = Total(kind=Kind.TIE, tender=Tender.VALUE, outcome=Outcome.LOST, wagers=1, stakes=10, winnings=0)
    pinned = Conditions(
        gaming_day=date(2026, 11, 27),
        shift="1",
        format="punto-banco",
        profile="si-1994-2899",
        terms=Terms(),
        currency="GBP",
        decks=8,
        banked_by=BankedBy.HOUSE,
    )
    ruling = CoupCorrected(
        stream="coup/main/T1/S1/1",
        premises="main",
        table="T1",
        shoe="S1",
        number=1,
        conditions=pinned,
        supersedes=6,
        hands={},
        results={},
        reason="camera 4",
        approvers=("pit-1", "pit-2"),
        evidence="clip 17",
        reversed_totals=(lost,),
        totals=(lost.model_copy(update={"outcome": Outcome.WON, "winnings": 80}),),
        booked_on=date(2026, 12, 1),
        **{**COMMON, "version": 9, "occurred_at": datetime(2026, 12, 1, tzinfo=UTC)},
    )
    found = fold(tables, [ruling])
    assert {(entry.gaming_day, entry.shift, entry.adjusts) for entry in found} == {
        ("2026-12-01", "adjustment", GAMING_DAY)
    }
    assert [moves(entry) for entry in found] == [
        {"wagers-open": -10, "winnings": 10},
        {"patrons": -90, "wagers-open": 10, "winnings": 80},
    ]


# --- Which entries ---------------------------------------------------------------------------------------


@pytest.fixture
def several(here: House) -> House:
    """Two premises, whose names are not in the order of their days; two tables at one of them."""
    for premises, day in (("main", "2026-11-26"), ("annex", "2026-11-27")):
        night = Night(table="PB1", prefix=f"{premises}-{day}-", shoe=day)
        night.opens(gaming_day=day, occurred_at=f"{day}T21:00:00Z")
        night.say("close-table", closer=CLOSER)
        if day == "2026-11-26":
            night.table = "PB2"
            night.opens(gaming_day=day)
        take(here, [{**line, "premises": premises} for line in night.lines])
    fold_books(here)
    return here


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (PnlFilter(), [("2026-11-26", "main"), ("2026-11-27", "annex")]),
        (PnlFilter(premises="annex"), [("2026-11-27", "annex")]),
        (PnlFilter(first_day=date(2026, 11, 27)), [("2026-11-27", "annex")]),
        (PnlFilter(last_day=date(2026, 11, 26)), [("2026-11-26", "main")]),
        (PnlFilter(first_day=date(2026, 11, 28)), []),
        (PnlFilter(premises="nowhere"), []),
    ],
)
def test_days_come_in_order_and_only_those_wanted(
    several: House, wanted: PnlFilter, expected: list[tuple[str, str]]
) -> None:
    with several.tables.snapshot() as statements:
        assert days(statements, wanted) == expected
    assert sorted({(entry.gaming_day, entry.premises) for entry in booked(several, wanted)}) == expected


def test_a_day_is_listed_in_the_order_of_the_record_also_in_small_pages(several: House) -> None:
    one_by_one, at_once = booked(several, page_rows=1), booked(several, page_rows=1000)
    assert one_by_one == at_once
    of_main = [entry.sequence for entry in at_once if entry.premises == "main"]
    assert of_main == sorted(of_main)
    assert len(of_main) == 3


def test_one_tables_entries_are_only_its_own(several: House) -> None:
    assert {entry.table for entry in booked(several, PnlFilter(table="PB2"))} == {"PB2"}
