"""Chips and counts: what moves between a table and the cage, and what is counted of it."""

from __future__ import annotations

from ledger import errors
from ledger.aggregates.draft import Draft
from ledger.aggregates.table import Table, check_open, check_shift_known, name_of
from ledger.commands import (
    CountDrop,
    CountFloat,
    CreditChips,
    FillChips,
    VoidSlip,
)
from ledger.events import table as events
from ledger.terms.house import value_of


def move_chips(table: Draft[Table], command: FillChips | CreditChips) -> None:
    """Chips come from the cage or go to it. Raises: TableNotOpen, SlipNumberUsed."""
    check_open(table)
    if command.slip in table.state.slips:
        raise errors.SlipNumberUsed(command.slip)
    table.record(
        events.ChipsFilled if isinstance(command, FillChips) else events.ChipsCredited,
        slip=command.slip,
        shift=table.state.shift,
        chips=command.chips,
        amount=value_of(command.chips),
        signed_by=command.signed_by,
    )


def void_slip(table: Draft[Table], command: VoidSlip) -> None:
    """A slip does not count: what it moved is back, or its number is spoiled. Also after the table closed.

    Raises:
        TableNotOpen: it never opened; SlipVoidAlready.
    """
    if table.state.opened is None:
        raise errors.TableNotOpen(name_of(table))
    slip = table.state.slips.get(command.slip)
    if slip is None and command.slip in table.state.slips:
        raise errors.SlipVoidAlready(command.slip)
    table.record(
        events.SlipVoided,
        slip=command.slip,
        shift=slip.shift if slip else table.state.shift,  # what is void never was, also not where it stood
        voids=slip.moved if slip else None,
        amount=slip.amount if slip else 0,
        reason=command.reason,
        signed_by=command.signed_by,
    )


def count_float(table: Draft[Table], command: CountFloat) -> None:
    """The float is counted while the table stays open. Raises: TableNotOpen."""
    check_open(table)
    table.record(
        events.FloatCounted,
        shift=table.state.shift,
        chips=command.count.chips,
        amount=value_of(command.count.chips),
        signed_by=command.count.signed_by,
    )


def count_drop(table: Draft[Table], command: CountDrop) -> None:
    """The cash box of a shift was counted, also after the table closed.

    Raises: TableNotOpen: it never opened; ShiftUnknown.
    """
    if table.state.opened is None:
        raise errors.TableNotOpen(name_of(table))
    if command.shift is not None:
        check_shift_known(table.state, command.shift)
    night = table.state.night
    table.record(
        events.DropCounted,
        premises=night.premises,
        table=night.table,
        gaming_day=night.gaming_day,
        shift=command.shift or table.state.shift,
        currency=night.currency,
        format=night.format,
        amount=command.amount,
        signed_by=command.signed_by,
    )
