"""What compliance takes down of the events of a table, of a gaming day and of commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ledger.errors import BankMayNotStand, InterestNotAllowed
from ledger.events import day, table
from ledger.events.command import CommandOutcome, CommandRecorded
from ledger.regulation.bank import check_interests, check_may_hold
from ledger.terms.formats import FORMATS, Format, format_named
from ledger.terms.house import Capacity
from projections.compliance import tables
from projections.compliance.page import Handler, Page
from projections.nights import night_of
from projections.patrons.thresholds import Purpose, in_force


def _table_opened(page: Page, sequence: int, event: table.TableOpened) -> None:
    night = night_of(event.stream)
    gives_up = int(format_named(event.format).loser_gives_up_bank)
    page.now(tables.NIGHTS.put, *night, sequence, gives_up, event.currency, None)
    page.now(tables.SHIFT_BEGUN, *night, event.shift, sequence)


def _shift_changed(page: Page, sequence: int, event: table.ShiftChanged) -> None:
    page.now(tables.SHIFT_BEGUN, *night_of(event.stream), event.shift, sequence)


def _shoe_started(page: Page, sequence: int, event: table.ShoeStarted) -> None:
    night = night_of(event.stream)
    page.now(tables.SHOES.put, night.premises, night.table, event.shoe, night.gaming_day, sequence)


Barred = Mapping[Capacity, Mapping[bool, str]]
"""Capacities, each with where it is barred (by whether a losing banker gives up the bank there) and by which
paragraph."""


def _barred(check: Callable[[Format, Capacity], object]) -> Barred:
    """What the regulation bars, asked of it once."""
    barred: dict[Capacity, dict[bool, str]] = {capacity: {} for capacity in Capacity}
    for format in FORMATS.values():
        for capacity in Capacity:
            try:
                check(format, capacity)
            except (BankMayNotStand, InterestNotAllowed) as refusal:
                barred[capacity][format.loser_gives_up_bank] = refusal.paragraph or ""
    return barred


_MAY_NOT_HOLD = _barred(check_may_hold)
_MAY_HAVE_NO_INTEREST = _barred(lambda format, capacity: check_interests(format, {"somebody": capacity}))


def _bank_taken(page: Page, sequence: int, event: table.BankTaken | table.BankPassed) -> None:
    facts, persons = {"capacity": event.capacity}, {"holder": event.holder}
    for given_up, paragraph in _MAY_NOT_HOLD[event.capacity].items():
        page.found_on_bank(
            sequence,
            event,
            "bank-held-against-the-law",
            facts,
            paragraph,
            loser_gives_up=given_up,
            persons=persons,
        )


def _interest(page: Page, sequence: int, event: table.InterestDeclared) -> None:
    facts, persons = {"capacity": event.capacity}, {"holder": event.person}
    night = night_of(event.stream)
    at_hand = tables.FOUND_ON_COUPS_OF_BANK
    for given_up, paragraph in _MAY_HAVE_NO_INTEREST[event.capacity].items():
        page.found_on_bank(
            sequence,
            event,
            "interest-in-bank",
            facts,
            paragraph,
            loser_gives_up=given_up,
            persons=persons,
        )
        page.found_on_coups(
            sequence,
            "interest-during-coup",
            at_hand,
            night.premises,
            night.gaming_day,
            night.table,
            int(given_up),
            facts=facts,
            paragraph=paragraph,
        )


def _offer(page: Page, sequence: int, event: table.OfferChanged) -> None:
    if event.missing:
        where = (*night_of(event.stream), None, None)
        page.found(sequence, event, "kinds-not-on-offer", {"missing": event.missing}, where)


def _slip_voided(page: Page, sequence: int, event: table.SlipVoided) -> None:
    # A voided slip is signed by the cage and by somebody independent (domain §4.2).
    code = "slip-voided" if len(set(event.signed_by)) > 1 else "slip-voided-by-one"
    facts = {"slip": event.slip, "amount": event.amount, "signed_by": event.signed_by, "why": event.reason}
    page.found_on_night(
        sequence, event, code, facts, shift=event.shift, persons={"signatory": event.signed_by}
    )


def _charge(page: Page, sequence: int, event: table.TableChargeTaken) -> None:
    cap = in_force(Purpose.CHARGE, event.gaming_day)
    if cap is not None and event.currency == cap.currency and event.amount > cap.amount:
        facts = {"amount": event.amount, "cap": cap.amount, "source": cap.source, "doubt": cap.doubt}
        page.found_on_bank(
            sequence, event, "charge-over-cap", facts, None, loser_gives_up=True, shift=event.shift
        )


def _dropped(page: Page, sequence: int, event: table.DropCounted) -> None:
    page.now(tables.SHIFT_DROPPED, *night_of(event.stream), event.shift, sequence)


def _closed(page: Page, sequence: int, event: table.TableClosed) -> None:
    night = night_of(event.stream)
    page.later(tables.CLOSED, sequence, *night)
    page.person(sequence, "actor", event.actor)
    at_hand = tables.FOUND_ON_COUPS_OF_TABLE
    page.found_on_coups(sequence, "closed-over-coup", at_hand, night.premises, night.gaming_day, night.table)


def _counted(page: Page, sequence: int, event: day.CountRecorded) -> None:
    night = (event.premises, event.table, event.gaming_day.isoformat())
    page.now(tables.SHIFT_COUNTED, *night, event.counted.shift, sequence)


def _sealed(page: Page, sequence: int, event: day.DaySealed) -> None:
    sealed = (event.premises, event.gaming_day.isoformat())
    page.now(tables.SEALED.put, *sealed, sequence)
    page.concerns(sequence, event, {"signatory": event.signed_by})
    page.found_on_coups(sequence, "sealed-over-coup", tables.FOUND_ON_COUPS, *sealed)


def _adjusted(page: Page, sequence: int, event: day.AdjustmentBooked) -> None:
    where = (event.premises, event.table, event.gaming_day.isoformat(), None, event.currency)
    facts = {
        "amount": event.amount,
        "account": event.account,
        "adjusts": event.adjusts.isoformat(),
        "approvers": event.approvers,
        "why": event.reason,
    }
    page.found(sequence, event, "adjustment-booked", facts, where, persons={"approver": event.approvers})


def _command(page: Page, sequence: int, event: CommandRecorded) -> None:
    if event.outcome == CommandOutcome.REFUSED:
        facts = {"id": event.cause, "command": event.command, "detail": event.detail}
        page.found_on_subject(sequence, event, facts)


FOLD: Mapping[str, Handler] = {
    table.TableOpened.TOPIC: _table_opened,
    table.ShiftChanged.TOPIC: _shift_changed,
    table.ShoeStarted.TOPIC: _shoe_started,
    table.BankTaken.TOPIC: _bank_taken,
    table.BankPassed.TOPIC: _bank_taken,
    table.InterestDeclared.TOPIC: _interest,
    table.OfferChanged.TOPIC: _offer,
    table.SlipVoided.TOPIC: _slip_voided,
    table.TableChargeTaken.TOPIC: _charge,
    table.DropCounted.TOPIC: _dropped,
    table.TableClosed.TOPIC: _closed,
    day.CountRecorded.TOPIC: _counted,
    day.DaySealed.TOPIC: _sealed,
    day.AdjustmentBooked.TOPIC: _adjusted,
    CommandRecorded.TOPIC: _command,
}

ASK_WHAT_IS_AT_HAND = frozenset({table.InterestDeclared.TOPIC, table.TableClosed.TOPIC, day.DaySealed.TOPIC})
"""Events about all the coups that are at hand when they happen."""
