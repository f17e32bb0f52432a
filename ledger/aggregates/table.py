"""A table's gaming day: open or closed, its terms, the shoe in use, the bank, the slips."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple, TypeVar

from ledger import errors
from ledger.aggregates.draft import NOTHING, Draft, Fold, Folded
from ledger.commands import (
    ChangeOffer,
    ChangeShift,
    CloseTable,
    CountDrop,
    CreditChips,
    FillChips,
    OpenTable,
    SeatPlayer,
    StartShoe,
    TakeCharge,
    UnseatPlayer,
)
from ledger.events import table as events
from ledger.regulation.availability import kinds_allowed
from ledger.regulation.bank import capacities_allowed
from ledger.regulation.profiles import profile_named
from ledger.terms.cards import cards
from ledger.terms.formats import Format, format_named
from ledger.terms.house import BankedBy, Capacity, Conditions, value_of
from ledger.terms.wagers import Kind

_Held = TypeVar("_Held")


class Bank(NamedTuple):
    """Who has taken the bank: who covers the wagers, and with what sum (minor units)."""

    holder: str
    capacity: Capacity
    sum: int
    must_pass: bool = False
    seat: int | None = None
    committed_to: str | None = None
    """The coup it stands for, while that coup is open."""


class Table(NamedTuple):
    """One table, one gaming day. `opened` is None before it opens."""

    opened: events.TableOpened | None = None
    closed: bool = False
    shift: str = ""
    shoe: events.ShoeStarted | None = None
    bank: Bank | None = None
    slips: frozenset[str] = frozenset()
    interests: Mapping[str, Capacity] = NOTHING
    """Declared shares or interests in the bank: person to capacity."""
    seats: Mapping[str, int] = NOTHING
    """Players to their seats."""
    seats_reported: bool = False
    """Whether the table reports who sits at it."""
    offer: tuple[Kind, ...] | None = None
    """The kinds on offer, where the table has said so."""
    banco_lost_by: str | None = None
    bank_lost_by: str | None = None
    """Who lost the bank last: it is not theirs again until somebody else has held it (6(6))."""

    @property
    def format(self) -> Format:
        """The version of baccarat dealt here."""
        return format_named(self.night.format)

    @property
    def night(self) -> events.TableOpened:
        """The opening, with everything fixed for the gaming day."""
        if self.opened is None:
            msg = "a table that never opened has no night"
            raise AssertionError(msg)
        return self.opened


NEW_TABLE = Table()


def _bank_taken(table: Table, event: events.BankTaken | events.BankPassed) -> Table:
    bank = Bank(event.holder, event.capacity, event.sum, seat=event.seat)
    # An interest is in a bank, and a suivi against it: another player's bank begins without either.
    interests = NOTHING if table.format.loser_gives_up_bank else table.interests
    return table._replace(bank=bank, bank_lost_by=None, banco_lost_by=None, interests=interests)


def _bank_of(table: Table) -> Bank:
    if table.bank is None:
        msg = "an event about a bank that nobody holds"
        raise AssertionError(msg)
    return table.bank


def _bank_committed(table: Table, event: events.BankCommitted) -> Table:
    return table._replace(bank=_bank_of(table)._replace(committed_to=event.coup))


def _bank_settled(table: Table, event: events.BankSettled) -> Table:
    bank = _bank_of(table)._replace(committed_to=None, sum=event.sum, must_pass=event.must_pass)
    lost_by = bank.holder if event.must_pass else None
    return table._replace(bank=bank, bank_lost_by=lost_by, banco_lost_by=event.banco_lost_by)


def _without(members: Mapping[str, _Held], gone: str) -> dict[str, _Held]:
    return {name: held for name, held in members.items() if name != gone}


def _slip_used(table: Table, event: events.ChipsFilled | events.ChipsCredited) -> Table:
    return table._replace(slips=table.slips | {event.slip})


def _interested(table: Table, event: events.InterestDeclared) -> Table:
    return table._replace(interests={**table.interests, event.person: event.capacity})


def _seated(table: Table, event: events.PlayerSeated) -> Table:
    return table._replace(seats={**table.seats, event.patron: event.seat}, seats_reported=True)


FOLD: Fold = {
    events.TableOpened: lambda table, event: table._replace(opened=event, shift=event.shift),
    events.ShiftChanged: lambda table, event: table._replace(shift=event.shift),
    events.ShoeStarted: lambda table, event: table._replace(shoe=event),
    events.ShoeEnded: lambda table, _: table._replace(shoe=None),
    events.BankTaken: _bank_taken,
    events.BankPassed: _bank_taken,
    events.BankRetired: lambda table, _: table._replace(bank=None),
    events.BankCommitted: _bank_committed,
    events.BankSettled: _bank_settled,
    events.InterestDeclared: _interested,
    events.InterestWithdrawn: lambda table, event: table._replace(
        interests=_without(table.interests, event.person)
    ),
    events.PlayerSeated: _seated,
    events.PlayerLeft: lambda table, event: table._replace(seats=_without(table.seats, event.patron)),
    events.OfferChanged: lambda table, event: table._replace(offer=event.kinds),
    events.TableChargeTaken: lambda table, _: table,
    events.ChipsFilled: _slip_used,
    events.ChipsCredited: _slip_used,
    events.DropCounted: lambda table, _: table,
    events.TableClosed: lambda table, _: table._replace(closed=True, shoe=None, bank=None),
}


def name_of(table: Draft[Table]) -> str:
    """What the table is called."""
    return table.stream.split("/")[2]


def check_open(table: Draft[Table]) -> None:
    """That the table has opened and not closed.

    Raises:
        TableNotOpen: otherwise.
    """
    if table.state.opened is None or table.state.closed:
        raise errors.TableNotOpen(name_of(table))


def open_table(table: Draft[Table], last: Folded[Table] | None, command: OpenTable) -> None:
    """Open for a gaming day. `last` is the latest day this table opened for before, if it ever did.

    Raises:
        TableStillOpen, GamingDayOver, GamingDayImplausible, ProfileNotInForce, UnknownFormat,
        UnknownProfile, ProfileNotImplemented.
    """
    day = command.gaming_day
    if last is not None and last.state.opened is not None:
        if not last.state.closed:
            raise errors.TableStillOpen(command.table, last.state.opened.gaming_day.isoformat())
        if day <= last.state.opened.gaming_day:
            raise errors.GamingDayOver(
                command.table, day.isoformat(), last.state.opened.gaming_day.isoformat()
            )
    # A gaming day is a day, but the offset and the cut-off are the premises' own: a day either way is theirs.
    if abs(day - command.occurred_at.date()) > timedelta(days=1):
        raise errors.GamingDayImplausible(day.isoformat(), command.occurred_at.isoformat())
    format = format_named(command.format)
    authority = profile_named(command.profile).authority_on(day)
    if authority is None:
        raise errors.ProfileNotInForce(command.profile, day.isoformat())
    table.record(
        events.TableOpened,
        premises=command.premises,
        table=command.table,
        gaming_day=day,
        shift=command.shift,
        format=format.name,
        profile=command.profile,
        authority=authority.value,
        terms=command.terms,
        currency=command.currency,
        limits=command.limits,
        opener=command.opener.chips,
        signed_by=command.opener.signed_by,
        may_approve=command.may_approve or None,
    )


def change_shift(table: Draft[Table], command: ChangeShift) -> None:
    """The next shift takes over. Raises: TableNotOpen."""
    check_open(table)
    table.record(events.ShiftChanged, shift=command.shift)


def start_shoe(table: Draft[Table], command: StartShoe) -> None:
    """A shoe comes into use. Raises: TableNotOpen, ShoeInUse, BadCard."""
    check_open(table)
    if table.state.shoe is not None:
        raise errors.ShoeInUse(table.state.shoe.shoe)
    burned = " ".join(map(str, cards(command.burned))) if command.burned else None
    table.record(
        events.ShoeStarted,
        shoe=command.shoe,
        decks=command.decks,
        burned=burned,
        burned_face_down=command.burned_face_down,
        cut_card=command.cut_card,
    )


def shoe_in_use(table: Draft[Table], shoe: str) -> events.ShoeStarted:
    """The shoe in use, which must be the one named. Raises: TableNotOpen, ShoeNotInUse."""
    check_open(table)
    in_use = table.state.shoe
    if in_use is None or in_use.shoe != shoe:
        raise errors.ShoeNotInUse(shoe, in_use.shoe if in_use else "none")
    return in_use


def end_shoe(table: Draft[Table], shoe: str) -> None:
    """The shoe goes out of use. Raises: TableNotOpen, ShoeNotInUse."""
    shoe_in_use(table, shoe)
    table.record(events.ShoeEnded, shoe=shoe)


def conditions(table: Draft[Table], shoe: events.ShoeStarted, bank: Bank | None) -> Conditions:
    """What a coup that opens now is played under; `bank` is the player's that stands for it, if one does."""
    night = table.state.night
    return Conditions(
        gaming_day=night.gaming_day,
        shift=table.state.shift,
        format=night.format,
        profile=night.profile,
        terms=night.terms,
        currency=night.currency,
        decks=shoe.decks,
        banked_by=BankedBy.of(bank.capacity) if bank else BankedBy.HOUSE,
        banker=bank.holder if bank else None,
        bank=bank.sum if bank else None,
    )


def seat_player(table: Draft[Table], command: SeatPlayer) -> None:
    """A player sits down, or moves. Raises: TableNotOpen, SeatTaken."""
    check_open(table)
    for patron, seat in table.state.seats.items():
        if seat == command.seat and patron != command.patron:
            raise errors.SeatTaken(seat, patron)
    table.record(events.PlayerSeated, patron=command.patron, seat=command.seat)


def unseat_player(table: Draft[Table], command: UnseatPlayer) -> None:
    """A player leaves, and a bank of theirs is retired. Raises: TableNotOpen, NotAtTable, BankCommitted."""
    check_open(table)
    if command.patron not in table.state.seats:
        raise errors.NotAtTable(command.patron)
    bank = table.state.bank
    if bank is not None and bank.holder == command.patron:
        if bank.committed_to is not None:
            raise errors.BankCommitted(bank.committed_to)
        table.record(events.BankRetired, holder=bank.holder, sum=bank.sum)
    table.record(events.PlayerLeft, patron=command.patron)


def change_offer(table: Draft[Table], command: ChangeOffer) -> None:
    """What is on offer from the next coup on, beside what 6(8) would have on offer. Raises: TableNotOpen."""
    check_open(table)
    format = table.state.format
    side = BankedBy.PLAYER if Capacity.PLAYER in capacities_allowed(format) else BankedBy.HOUSE
    missing = tuple(kind for kind in kinds_allowed(format, side) if kind not in command.kinds)
    table.record(events.OfferChanged, kinds=command.kinds, missing=missing)


def take_charge(table: Draft[Table], command: TakeCharge) -> None:
    """A charge for taking part, apart from every wager. Raises: TableNotOpen."""
    check_open(table)
    night = table.state.night
    table.record(
        events.TableChargeTaken,
        premises=night.premises,
        table=night.table,
        gaming_day=night.gaming_day,
        shift=table.state.shift,
        currency=night.currency,
        amount=command.amount,
        patron=command.patron,
        seat=command.seat,
    )


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


def count_drop(table: Draft[Table], command: CountDrop) -> None:
    """The cash box of a shift was counted, also after the table closed.

    Raises: TableNotOpen: it never opened.
    """
    if table.state.opened is None:
        raise errors.TableNotOpen(name_of(table))
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


def close_table(table: Draft[Table], command: CloseTable) -> None:
    """The float is counted and the day is over at this table. Raises: TableNotOpen, BankCommitted."""
    check_open(table)
    bank = table.state.bank
    if bank is not None and bank.committed_to is not None:
        raise errors.BankCommitted(bank.committed_to)
    if bank is not None:
        table.record(events.BankRetired, holder=bank.holder, sum=bank.sum)
    table.record(
        events.TableClosed,
        closer=command.closer.chips,
        amount=value_of(command.closer.chips),
        signed_by=command.closer.signed_by,
    )
