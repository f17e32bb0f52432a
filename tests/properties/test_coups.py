"""Every coup: the oracle's settlement, step by step or at once, and not a penny lost between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from hypothesis import given, settings

from ledger.application import Ledger
from ledger.events.base import LedgerEvent
from ledger.events.coup import CoupSettled, WagerRefused, WagersCancelled, WagersPlaced
from ledger.events.table import BankSettled
from ledger.terms.wagers import Outcome
from tests.oracle.cards import results_of
from tests.oracle.regulation6 import BANQUE, CHEMIN_DE_FER, settle
from tests.properties.against import oracle_coup, oracle_lines, recorded_lines, settled, settlement_lines
from tests.properties.strategies import CoupNight, coup_nights
from tests.tabletalk import all_events, command, events_of, open_ledger, play, step_by_step

COUP = "coup/main/T1/S1/1"
many = settings(max_examples=40, deadline=None)


@contextmanager
def in_memory() -> Iterator[Ledger]:
    """An empty ledger; hypothesis wants one for each example."""
    ledger = open_ledger(":memory:")
    yield ledger
    ledger.close()


def streams(ledger: Ledger) -> dict[str, list[dict[str, Any]]]:
    """What each stream says happened, without who reported it when, and by which command."""
    said: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in all_events(ledger):
        if not event.stream.startswith("command/"):
            facts = event.model_dump(exclude={"occurred_at", "recorded_at", "actor", "cause"})
            said[event.stream].append({"topic": event.TOPIC, **facts})
    return dict(said)


def of_type(events: list[LedgerEvent], kind: type[LedgerEvent]) -> list[Any]:
    """Those of one type."""
    return [event for event in events if isinstance(event, kind)]


@many
@given(night=coup_nights())
def test_step_by_step_gives_the_events_of_the_whole_coup_at_once(night: CoupNight) -> None:
    """Per stream, in order and to the last field; refused wagers, held coups and claims among them."""
    with in_memory() as at_once, in_memory() as stepped:
        assert all(answer.applied for answer in play(at_once, night.lines))
        assert all(answer.applied for answer in play(stepped, night.opening))
        *steps, last = play(stepped, step_by_step(night.coup))
        assert all(answer.applied for answer in steps)
        assert last.applied or last.code == "coup-held"
        assert streams(stepped) == streams(at_once)


@many
@given(night=coup_nights())
def test_every_coup_settles_as_the_oracle_says(night: CoupNight) -> None:
    """Paragraphs 6(3), 6(4), 6(7): each accepted wager's end, odds, money, remainder and paragraph."""
    with in_memory() as ledger:
        answer = play(ledger, night.lines)[-1]
        assert answer.stage == oracle_coup(night.lines, 1).state
        assert recorded_lines(ledger, COUP) == oracle_lines(night.lines, 1)


@many
@given(night=coup_nights(irregular=False))
def test_every_refused_wager_is_refused_for_the_oracles_reason(night: CoupNight) -> None:
    """Reason and paragraph of each refusal, and of each part of a stake that the bank did not cover.

    Limits are the table's own, so the oracle, which settles without them, is asked only where none bites;
    at banque it is asked where both hands are dealt, since a wager is offered before that is known. It knows
    of no seats but those that wagers name. A short bank refuses in the order of seats.
    """
    format = night.opening[0]["format"]
    if format == BANQUE and len(night.coup["hands"]) < 3:
        return
    if night.opening[0]["limits"]:
        return
    if any(line["command"] == "seat-player" for line in night.opening):
        return
    taken = night.opening[-1]
    bank = {"bank": taken["sum"], "bankers_seat": taken.get("seat")} if format == CHEMIN_DE_FER else {}
    said = settle({**night.opening[0], **night.coup, **bank})
    expected = [
        (line["wager"], line.get("excess", line["returned"]), line["reason"], line["paragraph"])
        for line in (
            {**line, "reason": "bank-exceeded", "paragraph": "6(3)"} if "excess" in line else line
            for line in said["lines"]
        )
        if "reason" in line
    ]
    with in_memory() as ledger:
        play(ledger, night.lines)
        refused = of_type(events_of(ledger, COUP), WagerRefused)
        assert sorted((one.wager.id, one.stake, one.reason, one.paragraph) for one in refused) == sorted(
            expected
        )


@many
@given(night=coup_nights())
def test_no_stake_is_lost_between_the_offer_and_the_end(night: CoupNight) -> None:
    """Offered = refused + cancelled + settled; and each settled stake is returned or lost, never both."""
    with in_memory() as ledger:
        stage = play(ledger, night.lines)[-1].stage
        events = events_of(ledger, COUP)
        offered = sum(wager["stake"] for wager in night.coup["wagers"])
        refused = sum(event.stake for event in of_type(events, WagerRefused))
        accepted = sum(wager.stake for event in of_type(events, WagersPlaced) for wager in event.wagers)
        cancelled = sum(event.stakes for event in of_type(events, WagersCancelled))
        assert offered == refused + accepted
        lines = settlement_lines(ledger, COUP)
        if stage == "settled":
            assert accepted == cancelled + sum(line.stake for line in lines)
        else:
            assert lines == []
        for line in lines:
            lost = line.stake if line.outcome is Outcome.LOST else 0
            assert line.stake == line.returned + lost
            assert line.winnings == 0 or line.outcome is Outcome.WON
            winnings, stake = line.odds.split("/")
            due = Fraction(line.stake * int(winnings), int(stake)) if line.outcome is Outcome.WON else 0
            assert line.winnings == due + Fraction(line.remainder)


@many
@given(night=coup_nights(irregular=False))
def test_the_totals_of_a_coup_are_its_lines_added_up(night: CoupNight) -> None:
    """By kind, tender and outcome, nothing twice; an accounting system needs that event alone."""
    with in_memory() as ledger:
        play(ledger, night.lines)
        added: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        for line in settlement_lines(ledger, COUP):
            entry = added[line.kind, line.tender, line.outcome]
            entry[0] += 1
            entry[1] += line.stake
            entry[2] += line.winnings
        totals = settled(ledger, COUP).totals
        assert len({(total.kind, total.tender, total.outcome) for total in totals}) == len(totals)
        assert added == {
            (total.kind, total.tender, total.outcome): [total.wagers, total.stakes, total.winnings]
            for total in totals
        }


@many
@given(night=coup_nights(CHEMIN_DE_FER))
def test_what_the_banker_wins_is_what_the_wagers_lose(night: CoupNight) -> None:
    """6(6): the bank moves by exactly that, never below nothing, and passes when an opposing hand won."""
    bank = night.opening[-1]["sum"]
    with in_memory() as ledger:
        play(ledger, night.lines)
        end = settled(ledger, COUP)
        lines = settlement_lines(ledger, COUP)
        lost = sum(line.stake for line in lines if line.outcome is Outcome.LOST)
        assert end.banker_win == lost - sum(line.winnings for line in lines)
        (moved,) = of_type(events_of(ledger, f"table/main/T1/{night.opening[0]['gaming_day']}"), BankSettled)
        assert moved.banker_win == end.banker_win
        assert moved.sum == bank + end.banker_win >= 0
        assert moved.must_pass is (results_of(night.coup["hands"])["player"] == "W")


@many
@given(night=coup_nights(CHEMIN_DE_FER, bank_units=(5, 50)))
def test_no_bank_pays_more_than_it_holds(night: CoupNight) -> None:
    """6(3): however the terms round, a coup is answered for and its bank is never below nothing."""
    with in_memory() as ledger:
        assert play(ledger, night.lines)[-1].stage == "settled"
        events = events_of(ledger, f"table/main/T1/{night.opening[0]['gaming_day']}")
        assert [moved.sum >= 0 for moved in of_type(events, BankSettled)] == [True]


@many
@given(night=coup_nights("punto-banco"))
def test_the_house_has_no_bankers_result_of_its_own(night: CoupNight) -> None:
    """A result is named the banker's only where a player holds the bank."""
    with in_memory() as ledger:
        play(ledger, night.lines)
        assert [end.banker_win for end in of_type(events_of(ledger, COUP), CoupSettled)] in ([None], [])


@many
@given(night=coup_nights())
def test_a_coup_sent_twice_is_one_coup(night: CoupNight) -> None:
    """At once, again, and in a batch with itself."""
    with in_memory() as ledger:
        first = play(ledger, night.lines)[-1]
        before = ledger.record.last_sequence()
        answers = ledger.run_many([command(line) for line in [night.coup, *night.lines, night.coup]])
        assert all(answer.repeat for answer in answers)
        assert (answers[-1].outcome, answers[-1].stage) == (first.outcome, first.stage)
        assert ledger.record.last_sequence() == before
