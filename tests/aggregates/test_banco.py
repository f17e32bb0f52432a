"""Banco, suivi, half with the table: who covers the bank before anybody stakes (domain §2.2)."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.events.coup import BancoCalled, WagerRefused, WagersCancelled
from ledger.events.table import BankSettled
from tests.tabletalk import Live, hands, topics_of, wagers

BANKER_WINS = "P 2 4 / B 10 7"
PLAYER_WINS = "P 9 K / B 10 7"
DRAW = "P K 6 / B J 6"


def table_with_a_bank(ledger: Ledger, bank: int = 1000, **opening: Any) -> Live:
    """A bank in the hands of p-4, and a first coup open on it."""
    live = Live(ledger, "chemin-de-fer", **opening)
    assert live.say("take-bank", holder="p-4", sum=bank, seat=4).applied
    assert live.step("open-coup", 1).applied
    return live


@pytest.fixture
def live(ledger: Ledger) -> Live:
    """A bank of a thousand, held in seat four, and a coup open on it."""
    return table_with_a_bank(ledger)


def call(live: Live, patron: str, seat: int, kind: str = "banco", number: int = 1) -> Answer:
    """A call whose wager bears the caller's name and the kind."""
    return live.step("call-banco", number, call=kind, patron=patron, seat=seat, wager=f"{kind}-{patron}")


def finish(live: Live, number: int, dealt: str) -> Answer:
    """The rest of an open coup."""
    live.step("close-wagers", number)
    live.step("deal-hands", number, hands=hands(dealt))
    return live.step("settle-coup", number)


def standing(live: Live, number: int = 1) -> list[tuple[str, int]]:
    """The wagers that stand on a coup, and their stakes."""
    found: dict[str, int] = {}
    for event in live.coup_events(number):
        for wager in getattr(event, "wagers", ()) if event.TOPIC == "wagers-placed.v1" else ():
            found[wager.id] = wager.stake
        if isinstance(event, WagersCancelled):
            for gone in event.wagers:
                del found[gone]
    return list(found.items())


def test_banco_covers_the_whole_bank(live: Live) -> None:
    assert call(live, "p-5", 5).applied
    assert standing(live) == [("banco-p-5", 1000)]
    (called,) = (event for event in live.coup_events(1) if isinstance(event, BancoCalled))
    assert (called.call, called.patron, called.seat, called.wager, called.stake) == (
        "banco",
        "p-5",
        5,
        "banco-p-5",
        1000,
    )
    assert finish(live, 1, PLAYER_WINS).stage == "settled"
    (moved,) = (event for event in live.table_events() if isinstance(event, BankSettled))
    assert (moved.banker_win, moved.sum, moved.must_pass) == (-1000, 0, True)


@pytest.mark.parametrize(
    ("order", "first"),
    [
        ([5, 9], 5),
        ([9, 5], 5),
        ([3, 1], 1),
        ([1, 3], 1),
        ([3, 9], 9),  # nine comes before three on the way round from four
        ([9, 3], 9),
        ([3, 1, 9, 5], 5),
        ([5, 9, 1, 3], 5),
        ([0, 99], 99),
    ],
)
def test_first_refusal_goes_round_from_the_bankers_right(live: Live, order: list[int], first: int) -> None:
    """The next seat after the banker's, then the others in the order in which the shoe travels."""
    answers = {seat: call(live, f"p-{seat}0", seat) for seat in order}
    assert standing(live) == [(f"banco-p-{first}0", 1000)]
    assert answers[first].applied
    assert {answer.code for answer in answers.values()} <= {None, "banco-stands"}


@pytest.mark.parametrize("seats_reported", [False, True])
def test_whoever_stands_behind_the_banker_comes_last(ledger: Ledger, seats_reported: bool) -> None:
    """The shoe reaches the banker's own seat last of all, wherever his seat is written down."""
    live = Live(ledger, "chemin-de-fer")
    if seats_reported:
        for seat in (3, 4, 5):
            live.say("seat-player", patron=f"p-{seat}", seat=seat)
    live.say("take-bank", holder="p-4", sum=1000, **({} if seats_reported else {"seat": 4}))
    live.step("open-coup", 1)
    assert call(live, "p-3", 3).applied
    assert call(live, "p-5", 5).applied
    again = live.step("call-banco", 1, call="banco", patron="p-3", seat=3, wager="again")
    assert again.code == "banco-stands"
    assert standing(live) == [("banco-p-5", 1000)]


def test_a_seat_is_where_the_table_seated_a_player_and_not_where_the_call_says(ledger: Ledger) -> None:
    """Or whoever sits far round would come first by saying so."""
    live = Live(ledger, "chemin-de-fer")
    for patron, seat in (("ana", 1), ("ben", 2), ("dan", 4)):
        live.say("seat-player", patron=patron, seat=seat)
    live.say("take-bank", holder="ana", sum=1000, seat=9)
    live.step("open-coup", 1)
    assert call(live, "zoe", 2).code == "not-at-table"
    assert call(live, "dan", 2).applied
    assert call(live, "ben", 2).applied
    assert standing(live) == [("banco-ben", 1000)]


def test_a_suivi_is_against_the_bank_that_won_it(ledger: Ledger) -> None:
    """Another player's bank begins without it (domain §2.2 gives it to the loser of the last banco)."""
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-1", sum=1000, seat=1)
    live.step("open-coup", 1)
    assert call(live, "p-5", 5).applied
    live.step("close-wagers", 1)
    live.step("deal-hands", 1, hands=hands("P 4 3 / B 9 K"))
    live.step("settle-coup", 1)
    live.say("retire-bank")
    live.say("take-bank", holder="p-2", sum=1000, seat=2)
    live.step("open-coup", 2)
    assert live.step("call-banco", 2, call="suivi", patron="p-5", seat=5, wager="s").code == "no-banco"


def test_among_equals_the_earlier_call_stands(live: Live) -> None:
    assert call(live, "p-5", 5).applied
    refused = call(live, "p-6", 5)
    assert (refused.outcome, refused.code) == ("refused", "banco-stands")
    assert standing(live) == [("banco-p-5", 1000)]


def test_half_with_the_table_gives_way_to_a_whole_banco_from_any_seat(live: Live) -> None:
    assert call(live, "p-5", 5, "with-the-table").applied
    assert call(live, "p-3", 3).applied
    assert call(live, "p-6", 6, "with-the-table").code == "banco-stands"
    assert standing(live) == [("banco-p-3", 1000)]


def test_the_loser_of_the_last_banco_comes_before_them_all(live: Live) -> None:
    """Suivi: and it is his alone."""
    call(live, "p-3", 3)
    finish(live, 1, BANKER_WINS)
    live.step("open-coup", 2)
    assert call(live, "p-5", 5, number=2).applied
    refused = call(live, "p-6", 6, "suivi", number=2)
    assert (refused.outcome, refused.code) == ("refused", "no-banco")
    assert call(live, "p-3", 3, "suivi", number=2).applied
    assert call(live, "p-5b", 5, number=2).code == "banco-stands"
    assert standing(live, 2) == [("suivi-p-3", 2000)]


@pytest.mark.parametrize(
    ("between", "still"),
    [
        (DRAW, True),  # nothing moved
        (BANKER_WINS, False),  # it was not followed
    ],
)
def test_the_suivi_lapses_when_the_bank_next_moves(live: Live, between: str, still: bool) -> None:
    call(live, "p-3", 3)
    finish(live, 1, BANKER_WINS)
    live.coup(2, between, "player 10")
    live.step("open-coup", 3)
    assert call(live, "p-3", 3, "suivi", number=3).applied is still


@pytest.mark.parametrize("call_lost", ["banco", "with-the-table"])
def test_a_banco_that_won_or_was_void_leaves_no_suivi(live: Live, call_lost: str) -> None:
    """Domain §2.2: it is the loser's; half with the table is a banco too."""
    call(live, "p-3", 3, call_lost)
    finish(live, 1, DRAW)
    live.step("open-coup", 2)
    assert call(live, "p-3", 3, "suivi", number=2).code == "no-banco"
    call(live, "p-3", 3, call_lost, number=2)
    finish(live, 2, PLAYER_WINS)
    live.say("pass-bank", holder="p-1", sum=500, seat=1)
    live.step("open-coup", 3)
    assert call(live, "p-3", 3, "suivi", number=3).code == "no-banco"
    call(live, "p-3", 3, call_lost, number=3)
    finish(live, 3, BANKER_WINS)
    live.step("open-coup", 4)
    assert call(live, "p-3", 3, "suivi", number=4).applied


def test_giving_way_returns_the_stake_before_the_first_card(live: Live) -> None:
    """2(2): the wager is cancelled, whole, in the same step that takes the better call."""
    call(live, "p-3", 3)
    assert call(live, "p-5", 5).applied
    assert topics_of(live.ledger, "coup/main/T1/S1/1") == [
        "coup-opened",
        "banco-called",
        "wagers-placed",
        "wagers-cancelled",
        "banco-called",
        "wagers-placed",
    ]
    (gone,) = (event for event in live.coup_events(1) if isinstance(event, WagersCancelled))
    assert (gone.wagers, gone.stakes, gone.reason, gone.paragraph) == (
        ("banco-p-3",),
        1000,
        "banco-gives-way",
        "2(2)",
    )


@pytest.mark.parametrize(("kind", "left"), [("banco", 0), ("with-the-table", 500)])
def test_a_call_leaves_the_table_the_rest_and_no_more(live: Live, kind: str, left: int) -> None:
    """6(3): accepted stakes never exceed the bank."""
    call(live, "p-5", 5, kind)
    live.step("place-wagers", 1, wagers=wagers("player 300, player 300"))
    assert sum(stake for _, stake in standing(live)) == 1000 - left + min(left, 600)
    refused = [event.stake for event in live.coup_events(1) if isinstance(event, WagerRefused)]
    assert sum(refused) == 600 - min(left, 600)


@pytest.mark.parametrize(
    ("bank", "unit", "called"),
    [
        (1000, 1, ("with-the-table", 500)),
        (1001, 1, ("with-the-table", 501)),
        (1, 1, ("with-the-table", 1)),
        (105, 5, ("with-the-table", 55)),
        (120, 50, ("with-the-table", 50)),
        (120, 50, ("banco", 100)),
        (1005, 50, ("banco", 1000)),
        (1005, 50, ("with-the-table", 500)),
    ],
)
@pytest.mark.parametrize("rounding", ["exact-only", "up-to-unit", "nearest"])
def test_a_call_is_for_units_that_can_be_paid(
    ledger: Ledger, rounding: str, bank: int, unit: int, called: tuple[str, int]
) -> None:
    """6(3): 1 to 1 on what is taken; of a half, the odd unit is the caller's."""
    live = table_with_a_bank(ledger, bank, terms={"rounding": rounding, "unit": unit})
    kind, stake = called
    assert call(live, "p-5", 5, kind).applied
    assert standing(live) == [(f"{kind}-p-5", stake)]
    assert [event for event in live.coup_events(1) if isinstance(event, WagerRefused)] == []


# --- No banco ------------------------------------------------------------------------------------------


def refused_as_no_banco(live: Live, answer: Answer, number: int = 1) -> None:
    assert (answer.outcome, answer.code) == ("refused", "no-banco")
    assert not [event for event in live.coup_events(number) if isinstance(event, BancoCalled)]


def test_there_is_no_banco_once_somebody_has_staked(live: Live) -> None:
    live.step("place-wagers", 1, wagers=wagers("player 1"))
    refused_as_no_banco(live, call(live, "p-5", 5))


def test_a_stake_that_was_refused_is_no_stake(live: Live) -> None:
    live.step("place-wagers", 1, wagers=wagers("banker 100"))
    assert call(live, "p-5", 5).applied


def test_a_stake_that_was_cancelled_is_no_stake(live: Live) -> None:
    live.step("place-wagers", 1, wagers=wagers("player 100"))
    live.step("cancel-wagers", 1, wagers=["w1"])
    assert call(live, "p-5", 5).applied


def test_a_banco_that_was_cancelled_is_none(live: Live) -> None:
    """2(2): somebody else may call then, from any seat; and whoever cancelled has lost nothing."""
    call(live, "p-5", 5)
    live.step("cancel-wagers", 1, wagers=["banco-p-5"])
    assert call(live, "p-3", 3).applied
    live.step("cancel-wagers", 1, wagers=["banco-p-3"])
    live.step("place-wagers", 1, wagers=wagers("player 100"))
    finish(live, 1, BANKER_WINS)
    live.step("open-coup", 2)
    for patron, seat in (("p-5", 5), ("p-3", 3)):
        assert call(live, patron, seat, "suivi", number=2).code == "no-banco"


@pytest.mark.parametrize("format", ["punto-banco", "baccarat-banque", "chemin-de-fer-kept-bank"])
def test_a_house_bank_is_not_called(ledger: Ledger, format: str) -> None:
    live = Live(ledger, format)
    live.step("open-coup", 1)
    refused_as_no_banco(live, call(live, "p-5", 5))


def test_nobody_covers_a_bank_of_their_own(live: Live) -> None:
    refused_as_no_banco(live, call(live, "p-4", 4))


def test_a_bank_that_cannot_pay_a_unit_is_not_called(ledger: Ledger) -> None:
    live = table_with_a_bank(ledger, 40, terms={"unit": 50})
    refused_as_no_banco(live, call(live, "p-5", 5))


@pytest.mark.parametrize("limit", [{"max": 999}, {"min": 1001, "max": 5000}])
def test_a_table_whose_limits_take_no_such_stake_takes_no_banco(
    ledger: Ledger, limit: dict[str, int]
) -> None:
    live = table_with_a_bank(ledger, limits={"player": limit})
    refused_as_no_banco(live, call(live, "p-5", 5))


def test_a_table_that_offers_no_such_wager_takes_no_banco(ledger: Ledger) -> None:
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-4", sum=1000, seat=4)
    live.say("change-offer", kinds=[])
    live.step("open-coup", 1)
    refused_as_no_banco(live, call(live, "p-5", 5))


def test_a_call_that_is_refused_leaves_the_one_that_stands(ledger: Ledger) -> None:
    """Half the bank is within the limit and the whole is not: the better right takes nothing away."""
    live = table_with_a_bank(ledger, limits={"player": {"max": 600}})
    assert call(live, "p-5", 5, "with-the-table").applied
    before = live.coup_events(1)
    assert call(live, "p-6", 6).code == "no-banco"
    assert live.coup_events(1) == before
    assert standing(live) == [("with-the-table-p-5", 500)]


def test_a_wager_id_is_used_once_by_a_call_too(live: Live) -> None:
    live.step("call-banco", 1, patron="p-3", seat=3, wager="b1")
    again = live.step("call-banco", 1, patron="p-5", seat=5, wager="b1")
    assert (again.outcome, again.code) == ("refused", "no-banco")
    assert standing(live) == [("b1", 1000)]


@pytest.mark.parametrize("step", ["close-wagers", "deal-hands", "settle-coup"])
def test_nobody_calls_after_the_close(live: Live, step: str) -> None:
    facts: dict[str, dict[str, Any]] = {
        "close-wagers": {},
        "deal-hands": {"hands": hands(DRAW)},
        "settle-coup": {},
    }
    for name, more in facts.items():
        live.step(name, 1, **more)
        if name == step:
            break
    refused = call(live, "p-5", 5)
    assert (refused.outcome, refused.code) == ("refused", "coup-not-ready")
