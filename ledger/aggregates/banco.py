"""Banco: a player asks to cover the whole bank, or half of it, before anybody has staked (domain §2.2).

First refusal belongs to the player on the banker's right, then round in order; the loser of the last
banco comes before them all (suivi); half with the table comes after every whole one. Seats are numbered in
the order in which the shoe travels, so the player on the banker's right has the next one.
"""

from __future__ import annotations

from ledger import errors
from ledger.aggregates.coup import Coup, Stage
from ledger.aggregates.draft import Draft
from ledger.aggregates.steps import cancel_wagers, check_stage, place_wagers
from ledger.aggregates.table import Table
from ledger.commands import CallBanco
from ledger.events import coup as events
from ledger.terms.wagers import Call, Kind, Wager

_ORDER = {Call.SUIVI: 0, Call.BANCO: 1, Call.WITH_THE_TABLE: 2}
_SEATS = 100
"""More than any table has; seats are counted round."""

Precedence = tuple[int, int]


def _bankers_seat(table: Table) -> int:
    """Where the banker sits; one before the first seat, where nobody has said."""
    bank = table.bank
    if bank is None:
        return -1
    return bank.seat if bank.seat is not None else table.seats.get(bank.holder, -1)


def _callers_seat(table: Table, command: CallBanco) -> int:
    """Where the caller sits: where the table has seated them; only else where the command says."""
    if not table.seats_reported:
        return command.seat
    if command.patron not in table.seats:
        raise errors.NotAtTable(command.patron)
    return table.seats[command.patron]


def _precedence(call: Call, seat: int, bankers_seat: int) -> Precedence:
    """What comes before what: the smaller first. The banker's own seat is the last one round."""
    return _ORDER[call], (seat - bankers_seat - 1) % _SEATS


def _stake(call: Call, bank: int, unit: int) -> int:
    """The whole bank; or half of it, the odd unit with the caller. In whole payable units (6(3))."""
    units = bank // unit
    return (units if call is not Call.WITH_THE_TABLE else -(-units // 2)) * unit


def call_banco(coup: Draft[Coup], table: Table, command: CallBanco) -> None:
    """Take the call, and the wager it makes; an earlier call with less right gives way.

    Raises:
        NoSuchCoup, CoupHeld, CoupNotReady: wagers are closed.
        NoBanco: no player holds the bank, it is the caller's own or cannot pay a unit, somebody has staked,
            the suivi is not theirs, or the table does not take such a stake.
        BancoStands: another has called and comes first.
        NotAtTable: the table reports its seats, and the caller has none.
    """
    check_stage(coup, (Stage.OPEN,), "call banco")
    state = coup.state
    bank = state.conditions.bank
    if not bank:
        raise errors.NoBanco("no player holds a bank here")
    if command.patron == state.conditions.banker:
        raise errors.NoBanco("nobody covers a bank of their own")
    stake = _stake(command.call, bank, state.conditions.terms.unit)
    if not stake:
        raise errors.NoBanco("the bank cannot pay a unit")
    if command.call is Call.SUIVI and table.banco_lost_by != command.patron:
        raise errors.NoBanco("the suivi belongs to whoever lost the last banco")
    standing = state.banco
    if [wager.id for wager in state.wagers] != ([standing.wager] if standing else []):
        raise errors.NoBanco("somebody has staked already")
    if command.wager in state.used_ids:
        raise errors.NoBanco(f"wager id {command.wager} has been used in this coup")
    seat, bankers_seat = _callers_seat(table, command), _bankers_seat(table)
    if standing is not None:
        asked = _precedence(command.call, seat, bankers_seat)
        if _precedence(standing.call, standing.seat, bankers_seat) <= asked:
            raise errors.BancoStands(standing.patron)
        cancel_wagers(coup, [standing.wager], "banco-gives-way")
    coup.record(
        events.BancoCalled,
        call=command.call,
        patron=command.patron,
        seat=seat,
        wager=command.wager,
        stake=stake,
    )
    wager = Wager(id=command.wager, kind=Kind.PLAYER, stake=stake, patron=command.patron, seat=seat)
    place_wagers(coup, (wager,))
    if wager not in coup.state.wagers:
        raise errors.NoBanco("the table does not take such a stake")
