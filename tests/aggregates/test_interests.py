"""Who may have a share or interest in the bank, and who may hold it: paragraphs 6(5) and 6(6)."""

from __future__ import annotations

import pytest

from ledger.application import Ledger
from ledger.events.command import CommandOutcome, CommandRecorded
from ledger.events.table import InterestDeclared, InterestWithdrawn
from tests.tabletalk import GAMING_DAY, Live, all_events, hands, topics_of, wagers

NINE_TO_SEVEN = "P 9 K / B 10 7"
SIX_TO_SEVEN = "P 2 4 / B 10 7"
NINES_TO_SEVEN = "1 9 K / 2 9 K / B 10 7"

HOUSE_BANKED = ("punto-banco", "baccarat-banque", "chemin-de-fer-kept-bank", "single-hand-with-option")
MAY_HAVE_A_SHARE = [
    # 6(5)(b): no person other than the holder of the licence, whoever holds the bank for him.
    *((format, "licence-holder", None) for format in HOUSE_BANKED),
    *((format, "employee", "6(5)(b)") for format in HOUSE_BANKED),
    *((format, "player", "6(5)(b)") for format in HOUSE_BANKED),
    # 6(6): neither the holder of the licence nor any person acting on his behalf; players may share.
    ("chemin-de-fer", "licence-holder", "6(6)"),
    ("chemin-de-fer", "employee", "6(6)"),
    ("chemin-de-fer", "player", None),
]
MAY_HOLD = [
    # 6(5)(a): the holder of the licence, or a person acting for him under a contract of service.
    *((format, "licence-holder", None) for format in HOUSE_BANKED),
    *((format, "employee", None) for format in HOUSE_BANKED),
    *((format, "player", "6(5)(a)") for format in HOUSE_BANKED),
    ("chemin-de-fer", "licence-holder", "6(6)"),
    ("chemin-de-fer", "employee", "6(6)"),
    ("chemin-de-fer", "player", None),
]


def live_with_a_bank(ledger: Ledger, format: str) -> Live:
    """A table of this format, at which a coup could open now."""
    live = Live(ledger, format)
    if format == "chemin-de-fer":
        assert live.say("take-bank", holder="p-1", sum=1000, seat=1).applied
    return live


def dealt_at(format: str) -> str:
    return NINES_TO_SEVEN if format == "baccarat-banque" else NINE_TO_SEVEN


@pytest.mark.parametrize(("format", "capacity", "paragraph"), MAY_HOLD)
@pytest.mark.parametrize("command", ["take-bank", "pass-bank"])
def test_who_may_hold_the_bank(
    ledger: Ledger, format: str, capacity: str, paragraph: str | None, command: str
) -> None:
    """6(5)(a), 6(6), for every format and capacity, whether it is taken or passed on."""
    live = Live(ledger, format)
    first = "player" if format == "chemin-de-fer" else "licence-holder"
    if command == "pass-bank":
        assert live.say("take-bank", holder="first", capacity=first, sum=500).applied
    before = live.table_events()
    answer = live.say(command, holder="x-1", capacity=capacity, sum=1000)
    assert answer.paragraph == paragraph
    assert answer.code == (None if paragraph is None else "bank-may-not-stand")
    assert (len(live.table_events()) - len(before)) == (1 if paragraph is None else 0)


@pytest.mark.parametrize(("format", "capacity", "paragraph"), MAY_HAVE_A_SHARE)
def test_who_may_have_a_share_in_the_bank(
    ledger: Ledger, format: str, capacity: str, paragraph: str | None
) -> None:
    """6(5)(b), 6(6): the bank may not stand with a share that is not allowed; withdrawn, it may again.

    The share is a fact whether it is lawful or not, and the refusal of the next coup is another.
    """
    live = live_with_a_bank(ledger, format)
    assert live.say("declare-interest", person="x-1", capacity=capacity, detail="a tenth").applied
    before = ledger.record.last_sequence()
    answer = live.coup(1, dealt_at(format))
    if paragraph is None:
        assert answer.stage == "settled"
        return
    assert (answer.outcome, answer.code, answer.paragraph) == ("refused", "interest-not-allowed", paragraph)
    (record,) = all_events(ledger)[before:]
    assert isinstance(record, CommandRecorded)
    assert (record.outcome, record.code, record.paragraph) == (
        CommandOutcome.REFUSED,
        "interest-not-allowed",
        paragraph,
    )
    assert capacity in (record.detail or "")
    assert live.step("open-coup", 1).paragraph == paragraph
    assert live.say("withdraw-interest", person="x-1").applied
    assert live.coup(1, dealt_at(format)).stage == "settled"


def test_a_share_is_recorded_with_whose_it_is_and_when_it_ends(ledger: Ledger) -> None:
    live = live_with_a_bank(ledger, "chemin-de-fer")
    live.say("declare-interest", person="employee-3", capacity="employee", detail="a tenth")
    live.say("withdraw-interest", person="employee-3")
    *_, declared, withdrawn = live.table_events()
    assert isinstance(declared, InterestDeclared)
    assert isinstance(withdrawn, InterestWithdrawn)
    assert (declared.person, declared.capacity, declared.detail) == ("employee-3", "employee", "a tenth")
    assert withdrawn.person == "employee-3"


def test_one_share_too_many_is_enough(ledger: Ledger) -> None:
    """6(6): the players' shares do not heal the employee's, nor does one of his two being withdrawn."""
    live = live_with_a_bank(ledger, "chemin-de-fer")
    live.say("declare-interest", person="p-2", capacity="player")
    live.say("declare-interest", person="employee-3", capacity="employee")
    live.say("declare-interest", person="house", capacity="licence-holder")
    assert live.coup(1, NINE_TO_SEVEN).code == "interest-not-allowed"
    live.say("withdraw-interest", person="employee-3")
    assert live.coup(1, NINE_TO_SEVEN).code == "interest-not-allowed"
    live.say("withdraw-interest", person="house")
    assert live.coup(1, NINE_TO_SEVEN).stage == "settled"


def test_a_share_declared_while_a_coup_is_on_lets_that_coup_end(ledger: Ledger) -> None:
    """The bank stood when the coup opened; it is the next one that is refused."""
    live = live_with_a_bank(ledger, "chemin-de-fer")
    live.step("open-coup", 1)
    live.say("declare-interest", person="employee-3", capacity="employee")
    assert live.step("place-wagers", 1, wagers=wagers("player 100")).applied
    assert live.step("close-wagers", 1).applied
    assert live.step("deal-hands", 1, hands=hands(SIX_TO_SEVEN)).applied
    assert live.step("settle-coup", 1).stage == "settled"
    assert live.step("open-coup", 2).code == "interest-not-allowed"
    assert topics_of(ledger, "coup/main/T1/S1/2") == []


def test_a_share_that_is_not_there_is_not_withdrawn(ledger: Ledger) -> None:
    live = live_with_a_bank(ledger, "chemin-de-fer")
    live.say("declare-interest", person="p-2", capacity="player")
    assert live.say("withdraw-interest", person="p-3").code == "interest-unknown"
    assert live.say("withdraw-interest", person="p-2").applied
    assert live.say("withdraw-interest", person="p-2").code == "interest-unknown"


# --- At the table --------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["take-bank", "pass-bank"])
def test_the_bank_goes_to_nobody_who_is_not_at_the_table(ledger: Ledger, command: str) -> None:
    """A clear refusal, and the bank is where it was."""
    live = Live(ledger, "chemin-de-fer")
    live.say("seat-player", patron="p-1", seat=1)
    if command == "pass-bank":
        assert live.say("take-bank", holder="p-1", sum=1000).applied
    before = live.table_events()
    refused = live.say(command, holder="p-2", sum=500)
    assert (refused.outcome, refused.code) == ("refused", "not-at-table")
    assert live.table_events() == before
    live.say("seat-player", patron="p-2", seat=2)
    assert live.say(command, holder="p-2", sum=500).applied


def test_who_has_left_is_not_at_the_table(ledger: Ledger) -> None:
    """Also when everybody has: the table reports its seats, and they are empty."""
    live = Live(ledger, "chemin-de-fer")
    live.say("seat-player", patron="p-1", seat=1)
    live.say("unseat-player", patron="p-1")
    for patron in ("p-1", "p-2"):
        assert live.say("take-bank", holder=patron, sum=500).code == "not-at-table"


def test_a_table_that_reports_no_seats_asks_for_none(ledger: Ledger) -> None:
    assert Live(ledger, "chemin-de-fer").say("take-bank", holder="p-2", sum=500).applied


def test_a_house_bank_needs_no_seat_at_the_table(ledger: Ledger) -> None:
    """6(5)(a): an employee holds it standing."""
    live = Live(ledger)
    live.say("seat-player", patron="p-1", seat=1)
    assert live.say("take-bank", holder="employee-3", capacity="employee", sum=500).applied


def test_a_seat_has_one_player_and_a_player_may_move(ledger: Ledger) -> None:
    live = Live(ledger)
    assert live.say("seat-player", patron="p-1", seat=1).applied
    assert live.say("seat-player", patron="p-2", seat=1).code == "seat-taken"
    assert live.say("seat-player", patron="p-1", seat=2).applied
    assert live.say("seat-player", patron="p-2", seat=1).applied
    assert live.say("unseat-player", patron="p-3").code == "not-at-table"
    assert live.say("unseat-player", patron="p-1").applied
    assert live.say("seat-player", patron="p-3", seat=2).applied


def test_an_interest_is_in_one_players_bank_and_not_in_the_next(ledger: Ledger) -> None:
    live = live_with_a_bank(ledger, "chemin-de-fer")
    live.say("declare-interest", person="x-1", capacity="employee")
    assert live.coup(1, NINE_TO_SEVEN, "player 100").code == "interest-not-allowed"
    assert live.say("pass-bank", holder="p-2", sum=1000, seat=2).applied
    assert live.coup(1, NINE_TO_SEVEN, "player 100").applied


def test_a_player_does_not_leave_with_the_bank(ledger: Ledger) -> None:
    """It is retired when they go; while a coup stands on it they stay."""
    live = Live(ledger, "chemin-de-fer")
    live.say("seat-player", patron="p-1", seat=1)
    live.say("take-bank", holder="p-1", sum=1000)
    live.step("open-coup", 1)
    assert live.say("unseat-player", patron="p-1").code == "bank-committed"
    for step in ("close-wagers", "deal-hands", "settle-coup"):
        facts = {"hands": hands("P 4 3 / B 9 K")} if step == "deal-hands" else {}
        assert live.step(step, 1, **facts).applied
    assert live.say("unseat-player", patron="p-1").applied
    assert topics_of(ledger, f"table/main/T1/{GAMING_DAY}")[-2:] == ["bank-retired", "player-left"]
    assert live.coup(2, NINE_TO_SEVEN, "player 100").code == "no-bank"
