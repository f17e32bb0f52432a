"""What is decided of a table's gaming day: it opens and closes, shoes come and go, players sit down."""

from __future__ import annotations

from datetime import timedelta

from ledger import errors
from ledger.aggregates.draft import Draft, Folded
from ledger.aggregates.table import Bank, Table, check_open, check_shift
from ledger.commands import (
    ChangeOffer,
    ChangeShift,
    CloseTable,
    OpenTable,
    SeatPlayer,
    StartShoe,
    TakeCharge,
    UnseatPlayer,
)
from ledger.events import table as events
from ledger.regulation.availability import kind_barred_from_offer, kinds_allowed
from ledger.regulation.bank import capacities_allowed
from ledger.regulation.profiles import profile_named
from ledger.terms.cards import CARDS_IN_A_DECK, cards
from ledger.terms.formats import format_named
from ledger.terms.house import BankedBy, Capacity, Conditions, value_of
from ledger.terms.plain import plain

_PlainConditions = plain(Conditions)


def open_table(table: Draft[Table], last: Folded[Table] | None, command: OpenTable) -> None:
    """Open for a gaming day. `last` is the latest day this table opened for before, if it ever did.

    Raises:
        TableStillOpen, GamingDayOver, GamingDayImplausible, ProfileNotInForce, UnknownFormat,
        UnknownProfile, ProfileNotImplemented, ShiftNameReserved.
    """
    check_shift(command.shift)
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
    """The next shift takes over. Raises: TableNotOpen, ShiftNameReserved."""
    check_open(table)
    check_shift(command.shift)
    table.record(events.ShiftChanged, shift=command.shift)


def start_shoe(table: Draft[Table], command: StartShoe) -> None:
    """A shoe comes into use. Raises: TableNotOpen, ShoeInUse, BadCard, ShoeTooSmall."""
    check_open(table)
    if table.state.shoe is not None:
        raise errors.ShoeInUse(table.state.shoe.shoe)
    burnt = cards(command.burned or "")
    gone = len(burnt) + (command.burned_face_down or 0) + (command.cut_card or 0)
    if gone > command.decks * CARDS_IN_A_DECK:
        raise errors.ShoeTooSmall(gone, command.decks)
    table.record(
        events.ShoeStarted,
        shoe=command.shoe,
        decks=command.decks,
        burned=" ".join(map(str, burnt)) or None,
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
    return _PlainConditions(
        gaming_day=night.gaming_day,
        shift=table.state.shift,
        format=night.format,
        profile=night.profile,
        terms=table.state.terms,
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
    """What is on offer from the next coup on, beside what 6(8) would have on offer.

    Raises:
        TableNotOpen; KindNotAvailable: the law bars a kind from this table (6(4), 6(7)).
    """
    check_open(table)
    format = table.state.format
    side = BankedBy.PLAYER if Capacity.PLAYER in capacities_allowed(format) else BankedBy.HOUSE
    for kind in command.kinds:
        if paragraph := kind_barred_from_offer(kind, format, side):
            raise errors.KindNotAvailable(kind.value, format.name, paragraph)
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
