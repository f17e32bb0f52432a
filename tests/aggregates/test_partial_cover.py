"""A bank too small for the wagers offered at once: by seats in order, from the banker's right (domain §2.2).

Every bank here is held by p-4 in seat 4, so seat 5 is on his right. Amounts worked by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from ledger.application import Ledger
from ledger.events.coup import WagerRefused
from tests.properties.against import settlement_lines
from tests.tabletalk import Live, hands, topics_of

COUP = "coup/main/T1/S1/1"
PLAYER_WINS = "P 9 K / B 10 7"


def offered(text: str) -> list[dict[str, Any]]:
    """Wagers w1, w2, ... from `stake@seat`; `stake` alone has no seat, `stake@seat:patron` whose it is."""
    wagers = []
    for number, part in enumerate(text.split(), start=1):
        stake, _, where = part.partition("@")
        seat, _, patron = where.partition(":")
        wagers.append({"id": f"w{number}", "kind": "player", "stake": int(stake)})
        wagers[-1] |= ({"seat": int(seat)} if seat else {}) | ({"patron": patron} if patron else {})
    return wagers


def bank_of(ledger: Ledger, bank: int, seat: int | None = 4, **opening: Any) -> Live:
    """A bank that p-4 holds."""
    live = Live(ledger, "chemin-de-fer", **opening)
    where = {} if seat is None else {"seat": seat}
    assert live.say("take-bank", holder="p-4", sum=bank, **where).applied
    return live


def record(live: Live, staked: str | list[dict[str, Any]], at_once: bool = True) -> None:
    """A whole coup that the player's hand wins, in one command or step by step."""
    wagers = offered(staked) if isinstance(staked, str) else staked
    if at_once:
        assert live.coup(1, PLAYER_WINS, wagers=wagers).stage == "settled"
        return
    live.step("open-coup", 1)
    live.step("place-wagers", 1, wagers=wagers)
    live.step("close-wagers", 1)
    live.step("deal-hands", 1, hands=hands(PLAYER_WINS))
    assert live.step("settle-coup", 1).stage == "settled"


def accepted(live: Live) -> list[tuple[str, int]]:
    """The wagers accepted, in order of acceptance, each with what is covered of it."""
    return [
        (wager.id, wager.stake)
        for event in live.coup_events(1)
        if event.TOPIC == "wagers-placed.v1"
        for wager in getattr(event, "wagers", ())
    ]


def handed_back(live: Live) -> list[tuple[str, int, str, str]]:
    """What was not taken."""
    return [
        (event.wager.id, event.stake, event.reason, event.paragraph)
        for event in live.coup_events(1)
        if isinstance(event, WagerRefused)
    ]


@pytest.mark.parametrize("at_once", [True, False], ids=["record-coup", "steps"])
@pytest.mark.parametrize(
    ("bank", "staked", "told"),
    [
        # All covered, to the last penny: the order offered stands.
        (300, "100@6 100@3 100@5", "w1 100, w2 100, w3 100 / "),
        # 100 short: seat 5 first, then 6; nothing is left for seat 3, which is the last one round.
        (200, "100@6 100@3 100@5", "w3 100, w1 100 / w2 100"),
        # In part: 5 has 100, 6 has 100, 3 has the 50 that are left.
        (250, "100@6 100@3 100@5", "w3 100, w1 100, w2 50 / w2 50"),
        # Whoever offered first has no more right for that.
        (100, "100@3 100@2 100@1 60@5", "w4 60, w3 40 / w3 60, w2 100, w1 100"),
        # Round the end of the numbers: 99 comes before 0, and 0 before 3.
        (150, "100@3 100@0 100@99", "w3 100, w2 50 / w2 50, w1 100"),
        # Whoever shares the banker's place comes last, and who is nowhere comes after him.
        (250, "100 100@4 100@3", "w3 100, w2 100, w1 50 / w1 50"),
        # At one seat, and at none: as offered.
        (150, "100@5 100@5 10 10", "w1 100, w2 50 / w2 50, w3 10, w4 10"),
        (205, "100@5 10 10 100@5", "w1 100, w4 100, w2 5 / w2 5, w3 10"),
        # A penny for the first, and nothing for the other.
        (1, "10@3 10@5", "w2 1 / w2 9, w1 10"),
    ],
)
def test_a_short_bank_covers_by_seats_from_the_bankers_right(
    ledger: Ledger, bank: int, staked: str, told: str, at_once: bool
) -> None:
    """Domain §2.2: the player on the banker's right first, then round in order; the excess under 6(3).

    Told as what is covered, in order of acceptance, and what goes back.
    """
    covered, excess = told.split(" / ")
    live = bank_of(ledger, bank)
    record(live, staked, at_once)
    assert ", ".join(f"{wager} {stake}" for wager, stake in accepted(live)) == covered
    assert ", ".join(f"{wager} {stake}" for wager, stake, *_ in handed_back(live)) == excess
    assert {(reason, paragraph) for _, _, reason, paragraph in handed_back(live)} <= {
        ("bank-exceeded", "6(3)")
    }


def test_settlement_lines_follow_the_order_of_acceptance(ledger: Ledger) -> None:
    """The order in which the bank met the wagers; 1 to 1 on what it covered."""
    live = bank_of(ledger, 250)
    record(live, "100@6 100@3 100@5")
    lines = settlement_lines(ledger, COUP)
    assert [(line.wager, line.stake, line.winnings, line.seat) for line in lines] == [
        ("w3", 100, 100, 5),
        ("w1", 100, 100, 6),
        ("w2", 50, 50, 3),
    ]


def test_where_nobody_has_said_where_the_banker_sits_the_order_offered_stands(ledger: Ledger) -> None:
    """Nobody can say who is on his right."""
    live = bank_of(ledger, 150, seat=None)
    record(live, "100@9 100@5 100@1")
    assert accepted(live) == [("w1", 100), ("w2", 50)]


def test_players_sit_where_the_table_has_seated_them(ledger: Ledger) -> None:
    """p-4 banks from seat 7, so p-8 in seat 8 comes before p-5 in seat 5, whatever their wagers say."""
    live = Live(ledger, "chemin-de-fer")
    for patron, seat in (("p-4", 7), ("p-5", 5), ("p-8", 8)):
        live.say("seat-player", patron=patron, seat=seat)
    live.say("take-bank", holder="p-4", sum=150)
    record(live, "100@8:p-5 100@6:p-8")
    assert accepted(live) == [("w2", 100), ("w1", 50)]


def test_earlier_commands_keep_what_they_have(ledger: Ledger) -> None:
    """Between commands the order of acceptance holds: seat 3 came first, and its 100 are covered."""
    live = bank_of(ledger, 250)
    live.step("open-coup", 1)
    first, *then = offered("100@3 100@2 100@5")
    live.step("place-wagers", 1, wagers=[first])
    live.step("place-wagers", 1, wagers=then)
    assert accepted(live) == [("w1", 100), ("w3", 100), ("w2", 50)]


def test_half_with_the_table_leaves_the_other_half_to_the_seats_in_order(ledger: Ledger) -> None:
    """The caller's 500 stand; of the rest seat 5 has 400 and seat 6 the last 100."""
    live = bank_of(ledger, 1000)
    live.step("open-coup", 1)
    live.step("call-banco", 1, call="with-the-table", patron="p-2", seat=2, wager="half")
    live.step("place-wagers", 1, wagers=offered("300@3 400@6 400@5"))
    assert accepted(live) == [("half", 500), ("w3", 400), ("w2", 100)]


def test_a_wager_that_is_barred_neither_takes_of_the_bank_nor_makes_it_short(ledger: Ledger) -> None:
    """6(7)(a), the limits and 6(3): without the barred ones the bank covers all, in the order offered."""
    live = bank_of(ledger, 200, limits={"player": {"max": 150}})
    wagers = offered("100@6 160@5 50@5:p-4 100@5")
    wagers.append({"id": "w5", "kind": "tie", "stake": 50, "seat": 5})
    record(live, wagers)
    assert accepted(live) == [("w1", 100), ("w4", 100)]
    assert handed_back(live) == [
        ("w2", 160, "over-maximum", "terms.limits"),
        ("w3", 50, "wager-by-the-banker", "6(3)"),
        ("w5", 50, "kind-not-available", "6(7)(a)"),
    ]


def test_the_covered_part_is_in_whole_units(ledger: Ledger) -> None:
    """Up to fifties a stake of 60 is paid 100: seat 5 takes 100 of the bank of 170, seat 6 has 50 of 70."""
    live = bank_of(ledger, 170, terms={"rounding": "up-to-unit", "unit": 50})
    record(live, "60@6 60@5")
    assert accepted(live) == [("w2", 60), ("w1", 50)]
    assert [(line.wager, line.winnings) for line in settlement_lines(ledger, COUP)] == [
        ("w2", 100),
        ("w1", 50),
    ]


@pytest.mark.parametrize("format", ["punto-banco", "single-hand-with-option"])
def test_a_house_bank_has_no_order_of_seats(ledger: Ledger, format: str) -> None:
    """It covers everything, so the order offered is the order of acceptance."""
    live = Live(ledger, format)
    record(live, "100@6 100@3 100@5")
    assert accepted(live) == [("w1", 100), ("w2", 100), ("w3", 100)]
    assert topics_of(ledger, COUP).count("wagers-placed") == 1
