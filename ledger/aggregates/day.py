"""The premises' gaming day: which tables played on it, what the cage counted, whether it is closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from ledger import errors
from ledger.aggregates.draft import NOTHING, Draft, Fold, Folded, StreamState
from ledger.aggregates.table import Table, check_shift_known
from ledger.commands import BookAdjustment, CloseDay, RecordCount
from ledger.events import day as events
from ledger.terms.books import CountedShift
from ledger.terms.plain import made_plain


class Day(StreamState, frozen=True):
    """One gaming day of the premises, all tables together."""

    tables: Mapping[str, events.TableListed] = NOTHING
    """The tables that opened for it, by name."""
    counts: Mapping[str, Mapping[str, CountedShift]] = NOTHING
    """What the cage counted, by table and by shift: the latest."""
    counted_by: frozenset[str] = frozenset()
    """Who signed for a count, or recorded one."""
    sealed: bool = False


NEW_DAY = Day()


def _counted(day: Day, event: events.CountRecorded) -> Day:
    of_table = {**day.counts.get(event.table, NOTHING), event.counted.shift: event.counted}
    return day.but(
        counts={**day.counts, event.table: of_table},
        counted_by=day.counted_by | {event.actor, *event.signed_by},
    )


FOLD: Fold = {
    events.TableListed: lambda day, event: day.but(tables={**day.tables, event.table: event}),
    events.CountRecorded: _counted,
    events.DayReconciled: lambda day, _: day,
    events.DaySealed: lambda day, _: day.but(sealed=True),
    events.AdjustmentBooked: lambda day, _: day,
}


def day_of(day: Draft[Day]) -> str:
    """The gaming day, YYYY-MM-DD."""
    return day.stream.rpartition("/")[2]


def check_unsealed(day: Draft[Day]) -> None:
    """That something may still be booked on this day. Raises: DayIsSealed."""
    if day.state.sealed:
        raise errors.DayIsSealed(day_of(day))


def check_sealed(day: Draft[Day]) -> None:
    """That nothing can be booked on this day any more. Raises: DayNotSealed."""
    if not day.state.sealed:
        raise errors.DayNotSealed(day_of(day))


def list_table(day: Draft[Day], table: Table) -> None:
    """A table has opened for this day. Raises: DayIsSealed."""
    check_unsealed(day)
    night = table.night
    day.record(
        events.TableListed,
        premises=night.premises,
        gaming_day=night.gaming_day,
        table=night.table,
        currency=night.currency,
        format=night.format,
    )


def _listed(day: Draft[Day], table: str) -> events.TableListed:
    listed = day.state.tables.get(table)
    if listed is None:
        raise errors.TableNotOnDay(table, day_of(day))
    return listed


def record_count(day: Draft[Day], night: Folded[Table], command: RecordCount) -> None:
    """The cage's count of one table and shift. The same count again changes nothing.

    Raises:
        DayIsSealed; TableNotOnDay; ShiftUnknown.
    """
    check_unsealed(day)
    listed = _listed(day, command.table)
    check_shift_known(night.state, command.counted.shift)
    counted = made_plain(command.counted)  # as the state has it: a model is no equal of its plain value
    if day.state.counts.get(command.table, NOTHING).get(counted.shift) == counted:
        return
    day.record(
        events.CountRecorded,
        premises=command.premises,
        gaming_day=command.gaming_day,
        table=command.table,
        currency=listed.currency,
        counted=counted,
        signed_by=command.signed_by,
    )


def close_day(day: Draft[Day], nights: Iterable[Folded[Table]], command: CloseDay) -> None:
    """What the tables came to is signed off, and the day sealed.

    Args:
        nights: the gaming day of every table listed.

    Raises:
        DayIsSealed; NoTablesOnDay; TableStillOpen; CoupsUnfinished; FiguresIncomplete: they are not of just
        the tables listed; SignOffNotIndependent: who signs had to do with pit or cage that day.
    """
    check_unsealed(day)
    if not day.state.tables:
        raise errors.NoTablesOnDay(day_of(day))
    involved = set(day.state.counted_by)
    for night in nights:
        if not night.state.closed:
            raise errors.TableStillOpen(night.state.night.table, day_of(day))
        involved |= night.state.signatories
    if command.unfinished:
        raise errors.CoupsUnfinished(day_of(day), ", ".join(command.unfinished[:5]), len(command.unfinished))
    figured = [table.table for table in command.tables]
    if sorted(figured) != sorted(day.state.tables):
        raise errors.FiguresIncomplete(
            day_of(day), ", ".join(sorted(day.state.tables)), ", ".join(sorted(figured))
        )
    _check_independent(command.signed_by, involved)
    day.record(
        events.DayReconciled,
        premises=command.premises,
        gaming_day=command.gaming_day,
        position=command.position,
        tables=command.tables,
    )
    day.record(
        events.DaySealed,
        premises=command.premises,
        gaming_day=command.gaming_day,
        signed_by=command.signed_by,
    )


def _check_independent(signed_by: Sequence[str], involved: Iterable[str]) -> None:
    """Somebody independent of pit and cage signs off (domain §4.3, step 10)."""
    known = {person.casefold() for person in involved}
    for signer in signed_by:
        if signer.casefold() in known:
            raise errors.SignOffNotIndependent(signer)


def book_adjustment(adjusted: Draft[Day], open_day: Draft[Day], command: BookAdjustment) -> None:
    """A fact about a sealed day goes on an open one, and names it.

    Raises:
        DayNotSealed: it can still be booked as what it is; TableNotOnDay; AdjustmentNotApproved: two persons
        approve, distinct, neither of them who reports it.
    """
    check_sealed(adjusted)
    listed = _listed(adjusted, command.table)
    persons = {approver.casefold() for approver in command.approvers}
    if len(persons) != len(command.approvers) or len(persons) < 2 or command.actor.casefold() in persons:
        raise errors.AdjustmentNotApproved(", ".join(command.approvers), command.actor)
    open_day.record(
        events.AdjustmentBooked,
        premises=command.premises,
        gaming_day=date.fromisoformat(day_of(open_day)),
        adjusts=command.adjusts,
        table=command.table,
        currency=listed.currency,
        account=command.account,
        amount=command.amount,
        reason=command.reason,
        approvers=command.approvers,
        evidence=command.evidence,
        format=listed.format,
    )
