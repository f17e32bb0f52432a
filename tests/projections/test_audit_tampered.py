"""What is altered behind the record's back is found by its cause, to the penny."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.projections.tampered import (
    Fields,
    Found,
    add_again,
    alter,
    audited,
    remove,
    spoil,
    stream,
    tell,
)
from tests.tabletalk import Live, open_ledger


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("told") / "ledger.db"
    tell(path)
    return path


@pytest.fixture
def db(told: Path, tmp_path: Path) -> Path:
    """The ledger worked by hand, to do with as one likes."""
    return Path(shutil.copy(told, tmp_path / "ledger.db"))


# --- Altered behind its back -----------------------------------------------------------------------------


def _line(number: int, **changed: Any) -> Callable[[Fields], object]:
    """Changes the fields of one line, counted from 1."""
    return lambda event: event["lines"][number - 1].update(changed)


def _set(**changed: Any) -> Callable[[Fields], object]:
    return lambda event: event.update(changed)


def _drop_line(number: int) -> Callable[[Fields], object]:
    return lambda event: event["lines"].pop(number - 1)


def _double_line(number: int) -> Callable[[Fields], object]:
    return lambda event: event["lines"].append(event["lines"][number - 1])


def _total(number: int, **changed: Any) -> Callable[[Fields], object]:
    return lambda event: event["totals"][number - 1].update(changed)


def _condition(**changed: Any) -> Callable[[Fields], object]:
    return lambda event: event["conditions"].update(changed)


LINES = "wagers-settled"


@pytest.mark.parametrize(
    ("coup", "topic", "change", "expected"),
    [
        # A sum that nothing explains, evens on the banker's hand, 8 to 1 on it.
        (2, LINES, _line(1, winnings=2400), [("totals", None, -25), ("winnings", "w1", 25)]),
        (2, LINES, _line(1, winnings=2500), [("totals", None, -125), ("odds", "w1", 125)]),
        (2, LINES, _line(1, odds="1/1"), [("odds", "w1", 0)]),
        (2, LINES, _line(2, winnings=100), [("totals", None, -100), ("winnings", "w2", 100)]),
        # The stake of a winner kept in part; a loser's given back; a void wager's kept.
        (2, LINES, _line(1, returned=2400), [("stake-handed-back", "w1", -100)]),
        (2, LINES, _line(2, returned=100), [("stake-handed-back", "w2", 100)]),
        (3, LINES, _line(1, returned=0), [("stake-handed-back", "w1", -100)]),
        # A stand-off taken for lost; a void wager called stood off.
        (
            3,
            LINES,
            _line(2, outcome="lost", returned=0),
            [("totals", None, 200), ("outcome", "w2", -200)],
        ),
        (3, LINES, _line(1, outcome="stand-off"), [("totals", None, 0), ("outcome", "w1", 0)]),
        # Words only.
        (2, LINES, _line(1, paragraph="6(7)(ii)"), [("paragraph-only", "w1", 0)]),
        (2, LINES, _line(1, remainder="1/2"), [("remainder-only", "w1", 0)]),
        # Another wager than was accepted.
        (2, LINES, _line(2, patron="p-9"), [("wager-misstated", "w2", 0)]),
        (2, LINES, _line(1, stake=2000), [("totals", None, 500), ("wager-misstated", "w1", 0)]),
        (2, LINES, _line(2, tender="promotional"), [("totals", None, 0), ("wager-misstated", "w2", 0)]),
        # Lines too few and too many.
        (2, LINES, _drop_line(1), [("totals", None, 4875), ("line-missing", "w1", -4875)]),
        (2, LINES, _drop_line(2), [("totals", None, 0), ("line-missing", "w2", 0)]),
        (2, LINES, _double_line(1), [("totals", None, -4875), ("line-for-nothing", "w1", 4875)]),
        (2, LINES, _line(2, wager="w9"), [("line-for-nothing", "w9", 0), ("line-missing", "w2", 0)]),
        # The player's six made an eight: the player's 100 should have won, the banker's 2500 lost.
        (
            2,
            "hands-dealt",
            _set(hands={"player": "4 4", "banker": "7 Q"}),
            [
                ("result-contradicts-cards", None, 0),
                ("result-contradicts-cards", "w1", 4875),
                ("result-contradicts-cards", "w2", -200),
            ],
        ),
        (2, "hands-dealt", _set(results={"player": "W"}), [("result-contradicts-cards", None, 0)]),
        (2, "coup-settled", _set(results={"player": "W"}), [("result-contradicts-cards", None, 0)]),
        # Six stands (domain 2.1), whatever the third card; its total stays six.
        (
            2,
            "hands-dealt",
            _set(hands={"player": "2 4 K", "banker": "7 Q"}),
            [("irregular-yet-settled", None, 0)],
        ),
        (6, "hands-dealt", _set(hands={"player": "2 3 4", "banker": "7 Q"}), [("regular-yet-held", None, 0)]),
        # Figures.
        (2, "coup-settled", _total(1, winnings=2376), [("totals", None, 1)]),
        (2, "coup-settled", _total(2, stakes=90), [("totals", None, 0)]),
        (2, "coup-settled", _total(2, wagers=2), [("totals", None, 0)]),
        (2, "coup-settled", _set(banker_win=5), [("totals", None, 5)]),
        (5, "coup-voided", _set(stakes=200), [("totals", None, -100)]),
        (5, "coup-voided", _set(wagers=1), [("totals", None, 0)]),
        # What the settlement says of the coup.
        (2, "coup-settled", _condition(gaming_day="2026-11-28"), [("other-conditions", None, 0)]),
        (2, "coup-settled", _condition(banked_by="player"), [("other-conditions", None, 0)]),
        (2, "coup-settled", _set(table="T2"), [("other-conditions", None, 0)]),
        (2, "coup-settled", _set(ruled=True), [("other-conditions", None, 0)]),
        (5, "coup-voided", _set(was_held=True), [("other-conditions", None, 0)]),
    ],
)
def test_an_altered_event_is_found_with_its_cause_and_amount(
    db: Path, coup: int, topic: str, change: Callable[[Fields], object], expected: Found
) -> None:
    """The tape's figures are in `tell`; a difference is recorded less due."""
    alter(db, stream(coup), topic, change)
    found, summary = audited(db)
    assert found == expected
    in_lines = sum(amount for cause, _, amount in expected if cause != "totals")
    assert summary.net() == {"GBP": in_lines}
    assert summary.differences == len(expected)


def test_a_stake_that_the_terms_refuse_is_found_though_line_and_totals_agree(db: Path) -> None:
    """19 to 20 on 2501 is no whole penny: the wager should have been refused and 2501 handed back."""
    alter(db, stream(2), "wagers-placed", lambda event: event["wagers"][0].update(stake=2501))
    alter(db, stream(2), LINES, _line(1, stake=2501, winnings=2376, returned=2501))
    alter(db, stream(2), "coup-settled", _total(1, stakes=2501, winnings=2376))
    found, summary = audited(db)
    assert found == [("not-to-be-accepted", "w1", 2376)]
    assert summary.net() == {"GBP": 0}, "such wagers stand apart"
    (table,) = summary.tables.values()
    assert (table.refused.stakes, table.refused.difference) == (2501, 2376)


def test_a_kind_that_the_law_bars_is_found(db: Path) -> None:
    """6(4): there is no second hand at punto banco."""
    alter(db, stream(2), "wagers-placed", lambda event: event["wagers"][1].update(kind="hand-2"))
    alter(db, stream(2), LINES, _line(2, kind="hand-2"))
    alter(db, stream(2), "coup-settled", _total(2, kind="hand-2"))
    assert audited(db)[0] == [("not-to-be-accepted", "w2", -100)]


def test_another_rounding_is_told_from_another_sum(tmp_path: Path) -> None:
    """19 to 20 on 2750 is 2612.50, up to the next 25p 2625; 2600 is the same rounded down."""
    path = tmp_path / "ledger.db"
    with closing(open_ledger(path)) as ledger:
        Live(ledger, terms={"rounding": "up-to-unit", "unit": 25}).coup(1, "P 2 4 / B 7 Q", "banker 2750")
    assert audited(path)[0] == []
    alter(path, stream(1), LINES, _line(1, winnings=2600))
    assert audited(path)[0] == [("totals", None, 25), ("rounding", "w1", -25)]
    alter(path, stream(1), LINES, _line(1, winnings=2575))
    assert audited(path)[0] == [("totals", None, 50), ("winnings", "w1", -50)]


def test_the_bankers_own_win_is_added_up_again(tmp_path: Path) -> None:
    """The bank of 1000 loses 600 to an eight."""
    path = tmp_path / "ledger.db"
    with closing(open_ledger(path)) as ledger:
        live = Live(ledger, "chemin-de-fer")
        live.say("take-bank", holder="p-1", capacity="player", sum=1000)
        live.coup(1, "P 8 K / B 7 Q", "player 600")
    assert audited(path)[0] == []
    alter(path, stream(1), "coup-settled", _set(banker_win=-500))
    assert audited(path)[0] == [("totals", None, 100)]


# --- Rulings ---------------------------------------------------------------------------------------------


def _reversed_total(number: int, **changed: Any) -> Callable[[Fields], object]:
    return lambda event: event["reversed_totals"][number - 1].update(changed)


@pytest.mark.parametrize(
    ("coup", "topic", "change", "expected"),
    [
        # 10 of the 100 that player wagers had won were left with the patron.
        (4, "wagers-reversed", _line(1, winnings=90), [("totals", None, 10), ("reversal", "w1", 10)]),
        (4, "wagers-reversed", _line(1, paragraph="6(4)"), [("reversal", "w1", 0)]),
        (5, "wagers-reversed", _drop_line(1), [("totals", None, 200), ("reversal", "w1", 200)]),
        (5, "wagers-reversed", _double_line(1), [("totals", None, -200), ("reversal", "w1", -200)]),
        (4, "coup-corrected", _set(supersedes=2), [("reversal", None, 0)]),
        (4, "coup-corrected", _reversed_total(2, winnings=99), [("totals", None, -1)]),
        (5, "coup-voided", _reversed_total(2, winnings=99), [("totals", None, -1)]),
        (4, "coup-corrected", _total(1, winnings=191), [("totals", None, 1)]),
        (4, "coup-corrected", _condition(shift="2"), [("other-conditions", None, 0)]),
        # The new settlement follows its own hands: here a draw, six and six.
        (
            4,
            "coup-corrected",
            _set(hands={"player": "6 K", "banker": "6 Q"}),
            [
                ("result-contradicts-cards", None, 0),
                ("result-contradicts-cards", "w1", -100),
                ("result-contradicts-cards", "w2", 190),
            ],
        ),
        (
            4,
            "coup-corrected",
            _set(hands={"player": "6 K K", "banker": "7 Q"}),
            [("irregular-yet-settled", None, 0)],
        ),
        # A ruling on a held coup: eight, not nine, wins just so; six loses.
        (7, "hands-corrected", _set(hands={"player": "2 3 3", "banker": "7 Q"}), []),
        (
            7,
            "hands-corrected",
            _set(hands={"player": "2 3 A", "banker": "7 Q"}),
            [("result-contradicts-cards", None, 0), ("result-contradicts-cards", "w1", 200)],
        ),
    ],
)
def test_rulings_are_audited_too(
    db: Path, coup: int, topic: str, change: Callable[[Fields], object], expected: Found
) -> None:
    """Lines taken back are those that stood; what settles anew is due by the hands as ruled."""
    alter(db, stream(coup), topic, change)
    assert audited(db)[0] == expected


def test_the_lines_of_a_correction_are_its_own(db: Path) -> None:
    """190 was won on the banker's 200."""
    alter(db, stream(4), LINES, _line(2, winnings=200), which=1)
    assert audited(db)[0] == [("totals", None, -10), ("odds", "w2", 10)]


def test_the_difference_of_a_settlement_that_was_taken_back_goes_with_it(db: Path) -> None:
    """7p too much, taken back whole: what stands is right, and the record still tells of it."""
    for topic in (LINES, "wagers-reversed"):
        alter(db, stream(4), topic, _line(1, winnings=107))
    alter(db, stream(4), "coup-settled", _total(2, winnings=107))
    alter(db, stream(4), "coup-corrected", _reversed_total(2, winnings=107))
    found, summary = audited(db)
    assert found == [("winnings", "w1", 7), ("winnings", "w1", -7)]
    assert summary.net() == {"GBP": 0}
    ((cause, _),) = summary.by_cause()
    sums = summary.by_cause()[cause, "GBP"]
    assert (sums.found, sums.superseded, sums.difference) == (1, 1, 0)
    assert summary.differences == 1


# --- What is not there, or is there twice -----------------------------------------------------------------


def test_an_event_that_cannot_be_read_is_a_difference_and_the_rest_is_audited(db: Path) -> None:
    spoil(db, stream(2), "hands-dealt")
    alter(db, stream(3), LINES, _line(1, returned=0))
    assert audited(db)[0] == [("unreadable", None, 0), ("stake-handed-back", "w1", -100)]


@pytest.mark.parametrize("topic", ["wagers-placed", "wagers-settled", "coup-settled", "coup-opened"])
def test_of_a_coup_with_an_unreadable_event_nothing_more_is_said(db: Path, topic: str) -> None:
    spoil(db, stream(2), topic)
    assert audited(db)[0] == [("unreadable", None, 0)]


def test_a_ruling_on_a_coup_with_an_unreadable_event_is_not_judged(db: Path) -> None:
    spoil(db, stream(4), "hands-dealt")
    assert audited(db)[0] == [("unreadable", None, 0)]


@pytest.mark.parametrize(
    ("coup", "topic", "expected"),
    [
        (2, "hands-dealt", [("record-incomplete", None, 0)]),
        (2, "coup-opened", [("record-incomplete", None, 0)]),
        (2, "coup-settled", [("record-incomplete", None, 4875)]),
        (2, "wagers-placed", [("line-for-nothing", "w1", 4875), ("line-for-nothing", "w2", 0)]),
        (
            2,
            "wagers-settled",
            [("totals", None, 4875), ("line-missing", "w1", -4875), ("line-missing", "w2", 0)],
        ),
        (5, "wagers-reversed", [("totals", None, 200), ("reversal", "w1", 200), ("reversal", "w2", 0)]),
    ],
)
def test_a_missing_event_is_found_by_what_it_leaves(db: Path, coup: int, topic: str, expected: Found) -> None:
    remove(db, stream(coup), topic)
    assert audited(db)[0] == expected


def test_settling_twice_pays_for_nothing(db: Path) -> None:
    add_again(db, stream(2), LINES, "coup-settled")
    assert audited(db)[0] == [("line-for-nothing", "w1", 4875), ("line-for-nothing", "w2", 0)]


def test_lines_slipped_in_after_the_end_are_found(db: Path) -> None:
    add_again(db, stream(2), LINES)
    found, summary = audited(db)
    assert found == [("record-incomplete", None, 4875)]
    assert summary.net() == {"GBP": 4875}


def test_a_second_void_hands_stakes_back_twice(db: Path) -> None:
    """It is void already, so no stakes are left; nor is there a settlement to take back."""
    add_again(db, stream(5), "coup-voided")
    found, _ = audited(db)
    assert ("totals", None, 300) in found
    assert ("reversal", None, 0) in found
