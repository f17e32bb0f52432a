"""What the ledger recorded of a coup and what the oracle makes of the same tape, in the same words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ledger.application import Ledger
from ledger.events.coup import CoupSettled, WagersSettled
from ledger.terms.wagers import SettlementLine
from tests.oracle import play
from tests.oracle.notebook import Coup
from tests.tabletalk import events_of

Line = tuple[str, str, int, str, str, int, int, str, str]
"""Wager, kind, stake, outcome, odds, winnings, returned, remainder, paragraph."""


def oracle_coup(lines: Iterable[dict[str, Any]], number: int) -> Coup:
    """The coup as the oracle leaves it after the whole tape."""
    night = play.Night()
    for line in lines:
        night.obey(line)
    return next(coup for key, coup in night.coups.items() if key[-1] == number)


def oracle_lines(lines: Iterable[dict[str, Any]], number: int) -> list[Line]:
    """The oracle's settlement lines; what went back because the bank did not cover it is left out."""
    return [
        (
            line["wager"],
            line["kind"],
            line["covered"],
            line["outcome"],
            line["odds"],
            line["winnings"],
            line["returned"] - line.get("excess", 0),
            line["remainder"],
            line["paragraph"],
        )
        for line in oracle_coup(lines, number).lines
    ]


def settlement_lines(ledger: Ledger, stream: str) -> list[SettlementLine]:
    """All lines of a settled coup, in order."""
    return [
        line
        for event in events_of(ledger, stream)
        if isinstance(event, WagersSettled)
        for line in event.lines
    ]


def recorded_lines(ledger: Ledger, stream: str) -> list[Line]:
    """The ledger's settlement lines."""
    return [
        (
            line.wager,
            line.kind.value,
            line.stake,
            line.outcome.value,
            line.odds,
            line.winnings,
            line.returned,
            line.remainder,
            line.paragraph,
        )
        for line in settlement_lines(ledger, stream)
    ]


def settled(ledger: Ledger, stream: str) -> CoupSettled:
    """The end of a settled coup."""
    (event,) = (event for event in events_of(ledger, stream) if isinstance(event, CoupSettled))
    return event
