"""Banco: a player asks to cover the whole bank, or half of it, before anybody has staked (domain §2.2).

First refusal belongs to the player on the banker's right, then round in order; the loser of the last
banco comes before them all (suivi); half with the table comes after every whole one. How seats are numbered:
see `ledger.terms.wagers.Seat`.
"""

from __future__ import annotations

from ledger import errors
from ledger.aggregates.bank import bankers_seat
from ledger.aggregates.coup import Coup, Stage
from ledger.aggregates.draft import Draft
from ledger.aggregates.steps import cancel_wagers, check_stage, place_wagers
from ledger.aggregates.table import Table
from ledger.commands import CallBanco
from ledger.events import coup as events
from ledger.terms.plain import plain
from ledger.terms.wagers import Call, Kind, Wager, places_round

_PlainWager = plain(Wager)
_ORDER = {Call.SUIVI: 0, Call.BANCO: 1, Call.WITH_THE_TABLE: 2}
_BEFORE_ALL_SEATS = -1
"""Where nobody has said where the banker sits, the lowest seat comes first."""

Precedence = tuple[int, int]


def _callers_seat(table: Table, command: CallBanco) -> int:
    """Where the caller sits: where the table has seated them; only else where the command says."""
    if not table.seats_reported:
        return command.seat
    if command.patron not in table.seats:
        raise errors.NotAtTable(command.patron)
    return table.seats[command.patron]


def _precedence(call: Call, seat: int, from_seat: int) -> Precedence:
    """What comes before what: the smaller first."""
    return _ORDER[call], places_round(seat, from_seat)


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
    seat, bankers = _callers_seat(table, command), bankers_seat(table)
    if standing is not None:
        from_seat = _BEFORE_ALL_SEATS if bankers is None else bankers
        asked = _precedence(command.call, seat, from_seat)
        if _precedence(standing.call, standing.seat, from_seat) <= asked:
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
    wager = _PlainWager(id=command.wager, kind=Kind.PLAYER, stake=stake, patron=command.patron, seat=seat)
    place_wagers(coup, (wager,))
    if wager not in coup.state.wagers:
        raise errors.NoBanco("the table does not take such a stake")
