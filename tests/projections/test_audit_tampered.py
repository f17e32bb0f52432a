"""What is altered behind the record's back is found by its cause, to the penny."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from projections.audit.audit import Audit
from projections.audit.due import Change
from tests.projections.tampered import (
    RULING,
    Fields,
    Found,
    add_again,
    alter,
    audited,
    findings,
    remove,
    spoil,
    stream,
    swap,
    tell,
)
from tests.tabletalk import Live, Night, hands, open_ledger, play


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


# --- What should have been refused, though lines and totals agree ------------------------------------------


def _pinned(**changed: Any) -> Callable[[Fields], object]:
    """Other limits or kinds on offer than the coup was opened under."""
    return lambda event: event.update(changed)


@pytest.mark.parametrize(
    ("opened", "expected", "why"),
    [
        # Coup 2: the banker's 2500 won 2375, the player's 100 was lost. Each goes back whole instead.
        (
            {"limits": {"banker": {"min": 0, "max": 2499}}},
            ("outside-the-limits", "w1", 2375),
            "the stake was over the largest that the table takes (terms.limits)",
        ),
        (
            {"limits": {"player": {"min": 101, "max": 500}}},
            ("outside-the-limits", "w2", -100),
            "the stake was under the smallest that the table takes (terms.limits)",
        ),
        ({"limits": {"player": {"min": 100, "max": 100}, "banker": {"min": 2500, "max": 2500}}}, None, ""),
        (
            {"offer": ["player", "tie"]},
            ("not-on-offer", "w1", 2375),
            "this kind of wager was not on offer at this table (terms.offer)",
        ),
        (
            {"offer": ["banker"]},
            ("not-on-offer", "w2", -100),
            "this kind of wager was not on offer at this table (terms.offer)",
        ),
        ({"offer": ["banker", "player"]}, None, ""),
    ],
)
def test_limits_and_offer_are_those_pinned_when_the_coup_opened(
    db: Path, opened: Fields, expected: tuple[str, str, int] | None, why: str
) -> None:
    """The money of such a wager stands apart: it should never have been at stake."""
    alter(db, stream(2), "coup-opened", _pinned(**opened))
    found, summary = audited(db)
    assert found == ([expected] if expected else [])
    assert [finding.detail for finding in findings(db)] == ([why] if expected else [])
    assert summary.net() == {"GBP": 0}
    (table,) = summary.tables.values()
    stakes = {"w1": 2500, "w2": 100, None: 0}[expected[1] if expected else None]
    assert (table.refused.stakes, table.refused.difference) == (stakes, expected[2] if expected else 0)


def test_a_refused_wager_names_the_paragraph_it_should_have_been_refused_under(db: Path) -> None:
    alter(db, stream(2), "coup-opened", _pinned(offer=["banker"]))
    (finding,) = findings(db)
    assert finding.due is not None
    assert (finding.due["outcome"], finding.due["paragraph"]) == ("refused", "terms.offer")


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """p-1's bank of 1000 loses to an eight: p-2's 600 and p-3's 400 each won as much again."""
    path = tmp_path / "bank.db"
    with closing(open_ledger(path)) as ledger:
        live = Live(ledger, "chemin-de-fer")
        live.say("take-bank", holder="p-1", capacity="player", sum=1000)
        assert live.coup(1, "P 8 K / B 7 Q", "player 600 p-2, player 400 p-3").stage == "settled"
    assert audited(path)[0] == []
    return path


def _bank_of(amount: int) -> Callable[[Fields], object]:
    return lambda event: event["conditions"].update(bank=amount)


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        # First come, first covered: 999 leaves p-3's last penny; it was paid and should have gone back.
        (999, [("over-the-bank", "w2", 1)]),
        (600, [("over-the-bank", "w2", 400)]),
        (500, [("over-the-bank", "w1", 100), ("over-the-bank", "w2", 400)]),
        (0, [("over-the-bank", "w1", 600), ("over-the-bank", "w2", 400)]),
    ],
)
def test_stakes_accepted_beyond_the_bank_are_found(bank: Path, amount: int, expected: Found) -> None:
    """6(3), 6(6): accepted stakes never exceed the bank that was pinned when the coup opened."""
    for topic in ("coup-opened", "coup-settled"):
        alter(bank, stream(1), topic, _bank_of(amount))
    found, summary = audited(bank)
    assert found == expected
    over = sum(difference for *_, difference in expected)
    assert summary.net() == {"GBP": 0}, "it stands apart"
    (table,) = summary.tables.values()
    # Every penny of it won a penny: of 2000 paid, 1000 less `over` was rightly at stake, and won as much.
    assert (table.refused.stakes, table.refused.difference) == (over, over)
    assert table.paid_on_accepted == 2 * (1000 - over)
    first = findings(bank)[0]
    assert first.due is not None
    assert first.due["paragraph"] == "6(3)"
    assert first.detail == "the bank did not cover it (6(3))"


@pytest.mark.parametrize(
    ("dealt", "difference"), [("P 4 2 / B 7 Q", -400), ("P 8 K / B 7 Q", 400), ("P 7 K / B 7 Q", 0)]
)
def test_what_is_over_the_bank_should_have_gone_back_however_the_coup_ended(
    tmp_path: Path, dealt: str, difference: int
) -> None:
    """Lost, it was kept; won, it was paid; in a draw it went back anyway. The part covered is due."""
    path = tmp_path / "ledger.db"
    with closing(open_ledger(path)) as ledger:
        live = Live(ledger, "chemin-de-fer")
        live.say("take-bank", holder="p-1", capacity="player", sum=1000)
        live.coup(1, dealt, "player 1000 p-2")
    for topic in ("coup-opened", "coup-settled"):
        alter(path, stream(1), topic, _bank_of(600))
    found, summary = audited(path)
    assert found == [("over-the-bank", "w1", difference)]
    (table,) = summary.tables.values()
    assert (table.refused.stakes, table.refused.difference) == (400, difference)
    assert table.paid_on_accepted == {-400: 0, 400: 1200, 0: 600}[difference]


def test_the_bank_covers_what_it_could_pay_in_whole_units(tmp_path: Path) -> None:
    """Up to fifties a stake of 60 is paid 100: a bank of 120 covers 60 and no more; of 99 it covers 50."""
    path = tmp_path / "ledger.db"
    with closing(open_ledger(path)) as ledger:
        live = Live(ledger, "chemin-de-fer", terms={"rounding": "up-to-unit", "unit": 50})
        live.say("take-bank", holder="p-1", capacity="player", sum=120)
        live.coup(1, "P 8 K / B 7 Q", "player 60 p-2")
    assert audited(path)[0] == []
    for topic in ("coup-opened", "coup-settled"):
        alter(path, stream(1), topic, _bank_of(99))
    # Paid 100 and the 60; due 50, the 50 covered, and the 10 over it.
    assert audited(path)[0] == [("over-the-bank", "w1", 50)]


def test_a_wager_by_whoever_holds_the_bank_is_found(bank: Path) -> None:
    """6(3): a wager is made with the banker. It takes nothing of the bank, and no other is over it."""
    for topic in ("coup-opened", "coup-settled"):
        alter(bank, stream(1), topic, lambda event: event["conditions"].update(banker="p-3", bank=600))
    assert audited(bank)[0] == [("wager-by-the-banker", "w2", 400)]
    (finding,) = findings(bank)
    assert finding.detail == "whoever holds the bank makes no wager against it (6(3))"


def test_over_the_bank_goes_with_the_settlement_that_a_ruling_takes_back(bank: Path) -> None:
    """400 too much at first; the correction pays nobody, and keeps 400 that were never at risk."""
    with closing(open_ledger(bank)) as ledger:
        late = Night("chemin-de-fer", prefix="late-")
        late.step("correct-coup", 1, hands=hands("P 4 2 / B 7 Q"), **RULING)
        assert play(ledger, late)[0].applied
    for topic in ("coup-opened", "coup-settled", "coup-corrected"):
        alter(bank, stream(1), topic, _bank_of(600))
    assert audited(bank)[0] == [
        ("over-the-bank", "w2", 400),
        ("over-the-bank", "w2", -400),
        ("over-the-bank", "w2", -400),
    ]


def test_a_wager_placed_when_the_cards_were_out_is_found(db: Path) -> None:
    """2(2): wagers had closed. The events of coup 2 are put in another order."""
    swap(db, stream(2), "wagers-placed", "hands-dealt")
    assert audited(db)[0] == [("after-the-cards", "w1", 2375), ("after-the-cards", "w2", -100)]
    assert {finding.detail for finding in findings(db)} == {"wagers had closed (2(2))"}


def test_a_part_that_the_bank_covered_is_held_to_no_limit(tmp_path: Path) -> None:
    """The limits are for what was offered: 60 is at least 50, and 30 of it were covered. 40 is not."""
    path = tmp_path / "ledger.db"
    with closing(open_ledger(path)) as ledger:
        live = Live(ledger, "chemin-de-fer", limits={"player": {"min": 50, "max": 500}})
        live.say("take-bank", holder="p-1", capacity="player", sum=130)
        live.coup(1, "P 8 K / B 7 Q", "player 100 p-2, player 60 p-3")
    assert audited(path)[0] == []
    alter(path, stream(1), "coup-opened", _pinned(limits={"player": {"min": 61, "max": 500}}))
    assert audited(path)[0] == [("outside-the-limits", "w2", 30)]


@pytest.mark.parametrize("change", [Change(terms={"unit": 100}), Change("si-2000-597-7a")])
def test_a_counterfactual_keeps_the_cover_of_that_night(bank: Path, change: Change) -> None:
    """A bank covers what it covered: only the plain audit asks whether that was too much."""
    for topic in ("coup-opened", "coup-settled"):
        alter(bank, stream(1), topic, _bank_of(500))
    with closing(open_ledger(bank)) as ledger:
        found = [it.finding.cause.value for it in Audit(ledger.record, change=change).differences()]
    assert found == []


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
