"""Compliance: design §6's findings, each with its paragraph, its evidence and whom it concerns."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from ledger.events.day import DaySealed
from ledger.events.table import BankTaken, SlipVoided
from ledger.terms.house import Capacity
from ops.wiring import House
from projections.compliance.finding_filter import FindingFilter
from projections.compliance.findings import Severity
from tests.oracle.truth_tables import AVAILABILITY
from tests.projections.findings import codes, found, of_code, record
from tests.projections.houses import house_in_memory
from tests.tabletalk import GAMING_DAY, NOON, Live, hands, wagers

RULING = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"]}
FLOAT = {"chips": {"2500": 400}, "signed_by": ["dealer-1", "inspector-1"]}
NINE_TO_SEVEN = "P 9 K / B 7 Q"
DEALT = {
    "punto-banco": NINE_TO_SEVEN,
    "chemin-de-fer": NINE_TO_SEVEN,
    "baccarat-banque": "1 9 K / 2 9 Q / B 7 Q",
}
TABLE = f"table/main/T1/{GAMING_DAY}"


@pytest.fixture
def house() -> Iterator[House]:
    with house_in_memory() as opened:
        yield opened


def banked(house: House, **opening: Any) -> Live:
    """A chemin de fer table with a player's bank."""
    table = Live(house.ledger, "chemin-de-fer", **opening)
    assert table.say("take-bank", holder="p-9", sum=1000).applied
    return table


# --- The bank: 6(5), 6(6) ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "capacity", "paragraph"),
    [
        ("chemin-de-fer", "licence-holder", "6(6)"),
        ("chemin-de-fer", "employee", "6(6)"),
        ("punto-banco", "player", "6(5)(a)"),
        ("baccarat-banque", "player", "6(5)(a)"),
    ],
)
def test_who_asks_for_a_bank_that_they_may_not_hold_is_found(
    house: House, format: str, capacity: str, paragraph: str
) -> None:
    table = Live(house.ledger, format)
    table.say("take-bank", holder="p-9", capacity=capacity, sum=1000, actor="dealer-4")
    (finding,) = found(house)
    assert (finding.code, finding.reason, finding.paragraph) == (
        "command-refused",
        "bank-may-not-stand",
        paragraph,
    )
    assert finding.severity is Severity.WARNING
    assert (finding.gaming_day, finding.table, finding.stream) == (GAMING_DAY, "T1", "table/main/T1")
    assert finding.persons == {"actor": ["dealer-4"]}
    assert finding.evidence == (house.ledger.record.last_sequence(),)


@pytest.mark.parametrize(
    ("format", "capacity", "paragraph"),
    [
        ("chemin-de-fer", Capacity.EMPLOYEE, "6(6)"),
        ("chemin-de-fer", Capacity.LICENCE_HOLDER, "6(6)"),
        ("chemin-de-fer", Capacity.PLAYER, None),
        ("punto-banco", Capacity.PLAYER, "6(5)(a)"),
        ("punto-banco", Capacity.EMPLOYEE, None),
        ("baccarat-banque", Capacity.PLAYER, "6(5)(a)"),
        ("baccarat-banque", Capacity.LICENCE_HOLDER, None),
        ("chemin-de-fer-kept-bank", Capacity.PLAYER, "6(5)(a)"),
    ],
)
def test_a_bank_held_against_the_law_is_a_breach_however_it_came_on_the_record(
    house: House, format: str, capacity: Capacity, paragraph: str | None
) -> None:
    Live(house.ledger, format)
    sequence = record(house, BankTaken, TABLE, 90, holder="p-9", capacity=capacity, sum=1000)
    held = of_code(house, "bank-held-against-the-law")
    assert [(one.paragraph, one.severity, one.evidence) for one in held] == (
        [(paragraph, Severity.BREACH, (sequence,))] if paragraph else []
    )
    for one in held:
        assert one.persons == {"actor": ["dealer-1"], "holder": ["p-9"]}
        assert "p-9" not in one.sentence


INTERESTS = [
    ("punto-banco", "player", "6(5)(b)"),
    ("punto-banco", "employee", "6(5)(b)"),
    ("punto-banco", "licence-holder", None),
    ("chemin-de-fer", "player", None),
    ("chemin-de-fer", "employee", "6(6)"),
    ("chemin-de-fer", "licence-holder", "6(6)"),
]


@pytest.mark.parametrize(("format", "capacity", "paragraph"), INTERESTS)
def test_an_interest_in_the_bank_is_found_where_nobody_may_have_one(
    house: House, format: str, capacity: str, paragraph: str | None
) -> None:
    table = Live(house.ledger, format)
    table.say("declare-interest", person="p-3", capacity=capacity)
    assert [(one.code, one.paragraph, one.severity) for one in found(house)] == (
        [("interest-in-bank", paragraph, Severity.WARNING)] if paragraph else []
    )


@pytest.mark.parametrize(("format", "capacity", "paragraph"), INTERESTS)
@pytest.mark.parametrize("folded_between", [False, True])
def test_an_interest_that_begins_while_a_coup_is_in_hand_is_a_breach_on_that_coup(
    house: House, format: str, capacity: str, paragraph: str | None, folded_between: bool
) -> None:
    """A coup that has ended is not concerned, nor one that opens later: that is refused."""
    table = banked(house) if format == "chemin-de-fer" else Live(house.ledger, format)
    table.coup(1, NINE_TO_SEVEN, "player 100")
    if format == "chemin-de-fer":
        table.say("pass-bank", holder="p-8", sum=1000)
    table.step("open-coup", 2)
    opened = house.ledger.record.last_sequence() - (2 if format == "chemin-de-fer" else 1)
    if folded_between:
        codes(house)
    table.say("declare-interest", person="p-3", capacity=capacity)
    declared = house.ledger.record.last_sequence() - 1
    table.step("close-wagers", 2)
    table.step("deal-hands", 2, hands=hands(NINE_TO_SEVEN))
    table.step("settle-coup", 2)
    during = of_code(house, "interest-during-coup")
    assert [(one.stream, one.paragraph, one.severity, one.evidence) for one in during] == (
        [("coup/main/T1/S1/2", paragraph, Severity.BREACH, (opened, declared))] if paragraph else []
    )


def test_a_coup_refused_for_an_interest_or_a_bank_that_must_pass_is_found(house: House) -> None:
    table = banked(house)
    table.coup(1, NINE_TO_SEVEN, "player 100")
    table.coup(2, NINE_TO_SEVEN, "player 100")
    table.say("declare-interest", person="h-1", capacity="licence-holder")
    table.coup(2, NINE_TO_SEVEN, "player 100")
    refused = of_code(house, "command-refused")
    assert [(one.reason, one.paragraph) for one in refused] == [
        ("bank-must-pass", "6(6)"),
        ("interest-not-allowed", "6(6)"),
    ]


# --- Wagers: 6(3), 6(4), 6(7); and 6(8) --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "kind", "paragraph"),
    [
        (format, kind, paragraph)
        for format, hands_in_play, kind, allowed, paragraph, _ in AVAILABILITY
        if not allowed and hands_in_play == (2 if format == "baccarat-banque" else 1)
    ],
)
def test_a_kind_that_the_law_bars_is_a_doubt_with_its_paragraph(
    house: House, format: str, kind: str, paragraph: str
) -> None:
    table = banked(house) if format == "chemin-de-fer" else Live(house.ledger, format)
    table.coup(1, DEALT[format], f"{kind} 20 p-7")
    (refused,) = found(house)
    assert (refused.code, refused.reason, refused.paragraph) == (
        "wager-refused",
        "kind-not-available",
        paragraph,
    )
    assert (refused.severity, refused.stream, refused.shift, refused.currency) == (
        Severity.WARNING,
        "coup/main/T1/S1/1",
        "1",
        "GBP",
    )
    assert "p-7" not in str(refused.as_json())


@pytest.mark.parametrize("step_by_step", [False, True])
def test_a_wager_refused_by_the_terms_or_for_cover_is_no_breach(house: House, step_by_step: bool) -> None:
    """Also in live play, when the coup was folded long before."""
    table = banked(house, limits={"player": {"min": 50, "max": 2000}})
    staked = "player 40, player 700, player 700"
    if step_by_step:
        table.step("open-coup", 1)
        assert codes(house) == []
        table.step("place-wagers", 1, wagers=wagers(staked))
    else:
        table.coup(1, NINE_TO_SEVEN, staked)
    refused = found(house)
    assert [(one.reason, one.paragraph, one.severity, one.shift) for one in refused] == [
        ("under-minimum", "terms.limits", Severity.INFO, "1"),
        ("bank-exceeded", "6(3)", Severity.INFO, "1"),
    ]
    assert "£4.00 of £7.00" in refused[1].sentence


def test_kinds_not_on_offer_are_found_with_6_8(house: House) -> None:
    table = Live(house.ledger)
    table.say("change-offer", kinds=["player", "banker", "tie"])
    assert codes(house) == []
    table.say("change-offer", kinds=["player"])
    (finding,) = found(house)
    assert (finding.code, finding.paragraph, finding.severity) == (
        "kinds-not-on-offer",
        "6(8)",
        Severity.WARNING,
    )
    assert finding.facts == {"missing": ["banker", "tie"]}


# --- Coups -------------------------------------------------------------------------------------------------


def test_an_irregular_coup_and_each_ruling_are_found_with_who_approved(house: House) -> None:
    table = Live(house.ledger)
    table.coup(1, "P K 2 8 / B A 2 5", "player 100")
    table.step("correct-hands", 1, hands=hands("P K 2 8 / B A 2"), **RULING)
    table.step("correct-coup", 1, hands=hands("P 6 K / B 7 Q"), evidence="clip 17", actor="clerk-1", **RULING)
    table.step("void-coup", 1, **{**RULING, "approvers": ["pit-2", "pit-3"]})
    assert codes(house) == ["irregular-coup", "hands-corrected", "coup-corrected", "coup-voided"]
    assert {one.stream for one in found(house)} == {"coup/main/T1/S1/1"}
    corrected = found(house, FindingFilter(person="clerk-1"))
    assert [one.code for one in corrected] == ["coup-corrected"]
    assert corrected[0].persons == {"actor": ["clerk-1"], "approver": ["pit-1", "pit-2"]}
    assert [one.code for one in found(house, FindingFilter(person="pit-3"))] == ["coup-voided"]
    assert len(found(house, FindingFilter(person="pit-2"))) == 3
    assert "£1.00 went back: camera 4." in of_code(house, "coup-voided")[0].sentence


@pytest.mark.parametrize(("claimed", "contradicts"), [("player", False), ("banker", True), ("tie", True)])
def test_a_claim_that_contradicts_the_cards_is_found(house: House, claimed: str, contradicts: bool) -> None:
    table = Live(house.ledger)
    table.coup(1, NINE_TO_SEVEN, "player 100", claimed=claimed)
    table.coup(2, NINE_TO_SEVEN, "player 100")
    assert [(one.code, one.stream) for one in found(house)] == (
        [("claim-contradicts-cards", "coup/main/T1/S1/1")] if contradicts else []
    )


@pytest.mark.parametrize(
    ("days", "code", "severity"),
    [
        (55, "dispute-open", Severity.INFO),
        (56, "dispute-overdue", Severity.BREACH),
        (57, "dispute-overdue", Severity.BREACH),
    ],
)
def test_a_dispute_is_overdue_eight_weeks_after_it_was_received(
    house: House, days: int, code: str, severity: Severity
) -> None:
    """SR 6.1.1, as of the moment of asking; the gaming day is the coup's, whenever it was raised."""
    table = Live(house.ledger)
    table.coup(1, NINE_TO_SEVEN, "player 100 p-7")
    received = NOON - timedelta(hours=16)
    table.step(
        "raise-dispute", 1, dispute="D-1", patron="p-7", statement="a six", received_at=received.isoformat()
    )
    (finding,) = found(house, now=received + timedelta(days=days))
    assert (finding.code, finding.severity, finding.gaming_day) == (code, severity, GAMING_DAY)
    assert (finding.stream, finding.paragraph) == ("coup/main/T1/S1/1", "SR 6.1.1")
    assert "p-7" not in str(finding.as_json())


def test_a_dispute_resolved_in_time_is_nothing_and_one_resolved_late_stays_found(house: House) -> None:
    table = Live(house.ledger)
    table.coup(1, NINE_TO_SEVEN, "player 100")
    long_ago = (NOON - timedelta(weeks=9)).isoformat()
    for dispute, received in (("D-1", "2026-11-27T20:00:00Z"), ("D-2", long_ago)):
        table.step("raise-dispute", 1, dispute=dispute, statement="a six", received_at=received)
        table.step("resolve-dispute", 1, dispute=dispute, decision="not upheld")
    (finding,) = found(house, now=NOON + timedelta(weeks=100))
    assert (finding.code, finding.facts["dispute"]) == ("dispute-resolved-late", "D-2")
    assert finding.severity is Severity.WARNING
    assert len(finding.evidence) == 2


# --- Slips, charges, counts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signed_by", "code"),
    [
        (("cashier-1", "security-2"), "slip-voided"),
        (("cashier-1", "cashier-1"), "slip-voided-by-one"),
        (("cashier-1",), "slip-voided-by-one"),
        ((), "slip-voided-by-one"),
    ],
)
def test_a_void_slip_takes_two_signatures(house: House, signed_by: tuple[str, ...], code: str) -> None:
    """Domain §4.2: both parties sign, one of them independent."""
    Live(house.ledger)
    facts = {"slip": "17", "shift": "1", "voids": "fill", "amount": 5000, "reason": "torn"}
    record(house, SlipVoided, TABLE, 90, signed_by=signed_by, **facts)
    (finding,) = found(house)
    assert (finding.code, finding.shift, finding.currency) == (code, "1", "GBP")
    assert finding.persons.get("signatory", []) == sorted(set(signed_by))
    assert "£50.00" in finding.sentence


@pytest.mark.parametrize(
    ("format", "amount", "is_found"),
    [("chemin-de-fer", 301, True), ("chemin-de-fer", 300, False), ("punto-banco", 301, False)],
)
def test_a_charge_over_three_pounds_is_found_at_chemin_de_fer(
    house: House, format: str, amount: int, is_found: bool
) -> None:
    """SI 2007/1945: at most £3 per person and day."""
    table = Live(house.ledger, format)
    table.say("take-charge", amount=amount, patron="p-7")
    charged = found(house)
    assert [one.code for one in charged] == (["charge-over-cap"] if is_found else [])
    assert all("p-7" not in str(one.as_json()) for one in charged)


def test_a_drop_never_counted_is_found_two_days_later_shift_by_shift(house: House) -> None:
    table = Live(house.ledger)
    table.say("change-shift", shift="2")
    table.say("change-shift", shift="3")
    table.say("count-drop", amount=0, shift="2")
    table.say("close-table", closer=FLOAT)
    assert codes(house, NOON) == []
    late = found(house, now=NOON + timedelta(days=1))
    assert [(one.code, one.shift, one.severity) for one in late] == [
        ("drop-missing", "1", Severity.WARNING),
        ("drop-missing", "3", Severity.WARNING),
    ]
    table.say("count-drop", amount=10, shift="1")
    table.say("count-drop", amount=10, shift="3")
    assert codes(house, NOON + timedelta(days=1)) == []


def test_a_shift_that_comes_again_began_when_it_first_did(house: House) -> None:
    table = Live(house.ledger)
    (opened,) = (
        row.sequence for row in house.ledger.record.select_rows(0, 10) if row.topic == "table-opened.v1"
    )
    for shift in ("2", "1"):
        table.say("change-shift", shift=shift)
    table.say("count-drop", amount=0, shift="2")
    table.say("close-table", closer=FLOAT)
    (missing,) = found(house, now=NOON + timedelta(days=1))
    assert (missing.shift, missing.evidence[0]) == ("1", opened)


def test_a_table_that_is_open_owes_no_count(house: House) -> None:
    Live(house.ledger)
    assert codes(house, NOON + timedelta(days=30)) == []


def test_a_day_sealed_without_counts_or_drops_is_found_at_once(house: House) -> None:
    table = Live(house.ledger)
    table.say("close-table", closer=FLOAT)
    sealed = record(
        house,
        DaySealed,
        f"day/main/{GAMING_DAY}",
        90,
        premises="main",
        gaming_day=GAMING_DAY,
        signed_by=("accounts-1",),
    )
    assert codes(house) == ["drop-missing", "count-missing"]
    assert of_code(house, "count-missing")[0].evidence[-1] == sealed


@pytest.mark.parametrize("folded_between", [False, True])
def test_what_closes_over_a_coup_in_hand_is_found_on_each_such_coup(
    house: House, folded_between: bool
) -> None:
    """A table that closes, and a day that is sealed; coups that have ended are not concerned."""
    table = Live(house.ledger)
    table.coup(1, NINE_TO_SEVEN, "player 100")
    table.step("open-coup", 2)
    table.coup(3, "P K 2 8 / B A 2 5", "player 100")
    table.coup(4, "P K 2 8 / B A 2 5", "player 100")
    table.step("void-coup", 4, **RULING)
    if folded_between:
        codes(house)
    table.say("close-table", closer=FLOAT)
    table.step("void-coup", 2, **RULING)
    if folded_between:
        codes(house)
    record(
        house,
        DaySealed,
        f"day/main/{GAMING_DAY}",
        90,
        premises="main",
        gaming_day=GAMING_DAY,
        signed_by=("accounts-1",),
    )
    table.step("void-coup", 3, **RULING)
    closed = of_code(house, "closed-over-coup")
    assert [one.stream for one in closed] == ["coup/main/T1/S1/2", "coup/main/T1/S1/3"]
    assert {one.severity for one in closed} == {Severity.WARNING}
    sealed = of_code(house, "sealed-over-coup")
    assert [(one.stream, one.severity) for one in sealed] == [("coup/main/T1/S1/3", Severity.BREACH)]
    assert sealed[0].persons == {"actor": ["dealer-1"], "signatory": ["accounts-1"]}


# --- Commands and days -------------------------------------------------------------------------------------


def test_a_refused_command_belongs_to_the_night_it_was_about(house: House) -> None:
    """By its shoe, where it names one; else by the table's latest day; else by the clock."""
    table = Live(house.ledger)
    table.coup(1, NINE_TO_SEVEN, "player 100")
    table.say("close-table", closer=FLOAT)
    next_day = {"occurred_at": "2026-11-28T11:00:00Z"}
    table.say("open-table", gaming_day="2026-11-28", format="punto-banco", opener=FLOAT, **next_day)
    table.say("start-shoe", shoe="S2", decks=8, **next_day)
    table.coup(1, NINE_TO_SEVEN, "player 100", **next_day)  # from last night's shoe
    table.say("end-shoe", shoe="S1", **next_day)
    table.say("end-shoe", shoe="S1", table="T9", **next_day)
    refused = found(house)
    assert [(one.reason, one.table, one.gaming_day) for one in refused] == [
        ("shoe-not-in-use", "T1", GAMING_DAY),
        ("shoe-not-in-use", "T1", "2026-11-28"),
        ("table-not-open", "T9", "2026-11-28"),
    ]
    assert {one.severity for one in refused} == {Severity.INFO}


def test_what_comes_later_does_not_place_a_refused_command(house: House) -> None:
    """Folded in one batch with it, neither a night nor a shoe of the next day draws it there."""
    table = Live(house.ledger)
    table.say("close-table", closer=FLOAT)  # a page of findings ends here
    table.say("end-shoe", shoe="S9", table="T2")
    table.coup(1, NINE_TO_SEVEN, shoe="S9")
    next_day = {"occurred_at": "2026-11-28T11:00:00Z"}
    opening = {"gaming_day": "2026-11-28", "format": "punto-banco", "opener": FLOAT, **next_day}
    for name, shoe in (("T1", "S9"), ("T2", "S9")):
        assert table.say("open-table", table=name, **opening).applied
        assert table.say("start-shoe", table=name, shoe=shoe, decks=8, **next_day).applied
    assert [(one.reason, one.table, one.gaming_day) for one in found(house)] == [
        ("table-not-open", "T2", GAMING_DAY),
        ("table-not-open", "T1", GAMING_DAY),
    ]


def test_filters_select_by_day_table_severity_code_and_paragraph(house: House) -> None:
    table = Live(house.ledger)
    table.coup(1, NINE_TO_SEVEN, "hand-1 100, banker 40, banker 1")
    table.say("change-offer", kinds=["player"])

    def count(**wanted: Any) -> int:
        return len(found(house, FindingFilter(**wanted)))

    day = NOON.date() - timedelta(days=1)
    assert (count(), count(first_day=day), count(last_day=day)) == (3, 3, 3)
    assert (count(first_day=NOON.date()), count(last_day=day - timedelta(days=1))) == (0, 0)
    assert (count(table="T1"), count(table="T2"), count(premises="main"), count(premises="annex")) == (
        3,
        0,
        3,
        0,
    )
    assert (count(severity=Severity.INFO), count(severity=Severity.WARNING)) == (3, 2)
    assert count(severity=Severity.BREACH) == 0
    assert (count(code="wager-refused"), count(code="not-payable-exactly")) == (2, 1)
    assert (count(paragraph="6(4)"), count(paragraph="6"), count(paragraph="6(7)")) == (1, 2, 0)
    assert (count(person="dealer-1"), count(person="dealer-2")) == (3, 0)
