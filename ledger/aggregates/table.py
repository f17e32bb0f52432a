"""A table's gaming day: open or closed, its terms, the shoe in use, the bank, the slips."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta

from ledger import errors
from ledger.aggregates.draft import Draft, Fold, Folded
from ledger.commands import (
    ChangeShift,
    CloseTable,
    CountDrop,
    CreditChips,
    FillChips,
    OpenTable,
    PassBank,
    RetireBank,
    StartShoe,
    TakeBank,
)
from ledger.events import table as events
from ledger.regulation.bank import capacities_allowed, check_may_hold
from ledger.regulation.profiles import profile_named
from ledger.terms.cards import cards
from ledger.terms.formats import Format, format_named
from ledger.terms.house import BankedBy, Capacity, Conditions, value_of


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank held by a player: who covers the wagers, and with what sum (minor units)."""

    holder: str
    capacity: Capacity
    sum: int
    must_pass: bool = False
    committed_to: str | None = None
    """The coup it stands for, while that coup is open."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table, one gaming day. `opened` is None before it opens."""

    opened: events.TableOpened | None = None
    closed: bool = False
    shift: str = ""
    shoe: events.ShoeStarted | None = None
    bank: Bank | None = None
    slips: frozenset[str] = field(default_factory=frozenset)

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
    return replace(table, bank=Bank(event.holder, event.capacity, event.sum))


def _bank_of(table: Table) -> Bank:
    if table.bank is None:
        msg = "an event about a bank that nobody holds"
        raise AssertionError(msg)
    return table.bank


def _bank_committed(table: Table, event: events.BankCommitted) -> Table:
    return replace(table, bank=replace(_bank_of(table), committed_to=event.coup))


def _bank_settled(table: Table, event: events.BankSettled) -> Table:
    bank = replace(_bank_of(table), committed_to=None, sum=event.sum, must_pass=event.must_pass)
    return replace(table, bank=bank)


def _slip_used(table: Table, event: events.ChipsFilled | events.ChipsCredited) -> Table:
    return replace(table, slips=table.slips | {event.slip})


FOLD: Fold = {
    events.TableOpened: lambda table, event: replace(table, opened=event, shift=event.shift),
    events.ShiftChanged: lambda table, event: replace(table, shift=event.shift),
    events.ShoeStarted: lambda table, event: replace(table, shoe=event),
    events.ShoeEnded: lambda table, _: replace(table, shoe=None),
    events.BankTaken: _bank_taken,
    events.BankPassed: _bank_taken,
    events.BankRetired: lambda table, _: replace(table, bank=None),
    events.BankCommitted: _bank_committed,
    events.BankSettled: _bank_settled,
    events.ChipsFilled: _slip_used,
    events.ChipsCredited: _slip_used,
    events.DropCounted: lambda table, _: table,
    events.TableClosed: lambda table, _: replace(table, closed=True, shoe=None, bank=None),
}


def check_open(table: Draft[Table]) -> None:
    """That the table has opened and not closed.

    Raises:
        TableNotOpen: otherwise.
    """
    if table.state.opened is None or table.state.closed:
        raise errors.TableNotOpen(table.stream)


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
    table.record(events.ShoeStarted, shoe=command.shoe, decks=command.decks, burned=burned)


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


def _free_bank(table: Draft[Table]) -> Bank:
    """The bank, when no coup stands on it. Raises: TableNotOpen, NoBank, BankCommitted."""
    check_open(table)
    bank = table.state.bank
    if bank is None:
        raise errors.NoBank(table.state.night.table)
    if bank.committed_to is not None:
        raise errors.BankCommitted(bank.committed_to)
    return bank


def take_bank(table: Draft[Table], command: TakeBank) -> None:
    """A player takes a bank that nobody holds. Raises: TableNotOpen, BankMayNotStand, BankTakenAlready."""
    check_open(table)
    check_may_hold(table.state.format, command.capacity)
    if table.state.bank is not None:
        raise errors.BankTakenAlready(table.state.bank.holder)
    table.record(
        events.BankTaken,
        holder=command.holder,
        capacity=command.capacity,
        seat=command.seat,
        sum=command.sum,
    )


def pass_bank(table: Draft[Table], command: PassBank) -> None:
    """The bank goes to its next holder, who is another.

    Raises:
        TableNotOpen, BankMayNotStand, NoBank, BankCommitted, BankTakenAlready.
    """
    bank = _free_bank(table)
    check_may_hold(table.state.format, command.capacity)
    if command.holder == bank.holder:
        raise errors.BankTakenAlready(bank.holder)
    table.record(
        events.BankPassed,
        from_holder=bank.holder,
        holder=command.holder,
        capacity=command.capacity,
        seat=command.seat,
        sum=command.sum,
    )


def retire_bank(table: Draft[Table], _command: RetireBank) -> None:
    """The holder gives the bank up. Raises: TableNotOpen, NoBank, BankCommitted."""
    bank = _free_bank(table)
    table.record(events.BankRetired, holder=bank.holder, sum=bank.sum)


def conditions(table: Draft[Table], shoe: events.ShoeStarted) -> Conditions:
    """What a coup that opens now is played under. The bank must be able to stand.

    Raises:
        NoBank, BankMustPass, BankCommitted: at a player-banked table.
    """
    night, bank = table.state.night, None
    if Capacity.PLAYER in capacities_allowed(table.state.format):
        bank = _free_bank(table)
        if bank.must_pass:
            raise errors.BankMustPass(bank.holder)
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


def commit_bank(table: Draft[Table], coup: str) -> None:
    """A player's bank stands for this coup; at a house-banked table nothing happens."""
    if table.state.bank is not None:
        table.record(events.BankCommitted, coup=coup, sum=table.state.bank.sum)


def settle_bank(table: Draft[Table], coup: str, *, banker_win: int, opposing_hand_won: bool) -> None:
    """The coup that the bank stood for has ended with this result for the banker (minor units).

    When the opposing hand won the game the bank must pass before another coup opens, whatever was staked
    (6(5), 6(6)); after a draw, or a coup that does not count, nothing moves.
    """
    bank = table.state.bank
    if bank is None or bank.committed_to != coup:
        return
    table.record(
        events.BankSettled,
        coup=coup,
        banker_win=banker_win,
        sum=bank.sum + banker_win,
        must_pass=opposing_hand_won,
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
    """The cash box was counted, also after the table closed. Raises: TableNotOpen when it never opened."""
    if table.state.opened is None:
        raise errors.TableNotOpen(table.stream)
    night = table.state.night
    table.record(
        events.DropCounted,
        premises=night.premises,
        table=night.table,
        gaming_day=night.gaming_day,
        shift=table.state.shift,
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
    table.record(
        events.TableClosed,
        closer=command.closer.chips,
        amount=value_of(command.closer.chips),
        signed_by=command.closer.signed_by,
    )
