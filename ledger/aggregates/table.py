"""A table's gaming day: open or closed, its terms, the shoe in use, the bank, the slips."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from ledger import errors
from ledger.aggregates.draft import NOTHING, Draft, Fold, StreamState
from ledger.events import table as events
from ledger.terms.books import ADJUSTMENT
from ledger.terms.formats import Format, format_named
from ledger.terms.house import Capacity, Terms
from ledger.terms.plain import made_plain
from ledger.terms.wagers import Kind

_Held = TypeVar("_Held")


class Bank(StreamState, frozen=True):
    """Who has taken the bank: who covers the wagers, and with what sum (minor units)."""

    holder: str
    capacity: Capacity
    sum: int
    must_pass: bool = False
    seat: int | None = None
    committed_to: str | None = None
    """The coup it stands for, while that coup is open."""


class Slip(NamedTuple):
    """What a slip moved between table and cage, minor units."""

    moved: Literal["fill", "credit"]
    amount: int
    shift: str
    """In which it moved it."""


class Table(StreamState, frozen=True):
    """One table, one gaming day. `opened` is None before it opens."""

    opened: events.TableOpened | None = None
    terms: Terms = made_plain(Terms())
    """Those it opened with, plain: every coup repeats them."""
    closed: bool = False
    shift: str = ""
    shifts: tuple[str, ...] = ()
    """Those that the night has had, in order, the one in force last."""
    shoe: events.ShoeStarted | None = None
    bank: Bank | None = None
    slips: Mapping[str, Slip | None] = NOTHING
    """The numbers used, each with what the slip moved; None where it moved nothing, or is void."""
    signatories: frozenset[str] = frozenset()
    """Who signed for chips or counts, or reported them: none of them may sign the day off."""
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
    return table.but(bank=bank, bank_lost_by=None, banco_lost_by=None, interests=interests)


def _bank_of(table: Table) -> Bank:
    if table.bank is None:
        msg = "an event about a bank that nobody holds"
        raise AssertionError(msg)
    return table.bank


def _bank_committed(table: Table, event: events.BankCommitted) -> Table:
    return table.but(bank=_bank_of(table).but(committed_to=event.coup))


def _bank_settled(table: Table, event: events.BankSettled) -> Table:
    bank = _bank_of(table).but(committed_to=None, sum=event.sum, must_pass=event.must_pass)
    lost_by = bank.holder if event.must_pass else None
    return table.but(bank=bank, bank_lost_by=lost_by, banco_lost_by=event.banco_lost_by)


def _without(members: Mapping[str, _Held], gone: str) -> dict[str, _Held]:
    return {name: held for name, held in members.items() if name != gone}


_Step = Callable[[Table, Any], Table]


def _signed(step: _Step) -> _Step:
    """The fold of an event that persons signed for, beside whoever reported it."""

    def fold(table: Table, event: Any) -> Table:
        signatories = table.signatories.union(event.signed_by, (event.actor,))
        return step(table, event).but(signatories=signatories)

    return fold


def _filled(table: Table, event: events.ChipsFilled) -> Table:
    return table.but(slips={**table.slips, event.slip: Slip("fill", event.amount, event.shift)})


def _credited(table: Table, event: events.ChipsCredited) -> Table:
    return table.but(slips={**table.slips, event.slip: Slip("credit", event.amount, event.shift)})


def _opened(table: Table, event: events.TableOpened) -> Table:
    return table.but(opened=event, terms=made_plain(event.terms), shift=event.shift, shifts=(event.shift,))


def _as_it_was(table: Table, _event: Any) -> Table:
    return table


def _interested(table: Table, event: events.InterestDeclared) -> Table:
    return table.but(interests={**table.interests, event.person: event.capacity})


def _seated(table: Table, event: events.PlayerSeated) -> Table:
    return table.but(seats={**table.seats, event.patron: event.seat}, seats_reported=True)


FOLD: Fold = {
    events.TableOpened: _signed(_opened),
    events.ShiftChanged: lambda table, event: table.but(
        shift=event.shift, shifts=(*table.shifts, event.shift)
    ),
    events.ShoeStarted: lambda table, event: table.but(shoe=event),
    events.ShoeEnded: lambda table, _: table.but(shoe=None),
    events.BankTaken: _bank_taken,
    events.BankPassed: _bank_taken,
    events.BankRetired: lambda table, _: table.but(bank=None),
    events.BankCommitted: _bank_committed,
    events.BankSettled: _bank_settled,
    events.InterestDeclared: _interested,
    events.InterestWithdrawn: lambda table, event: table.but(
        interests=_without(table.interests, event.person)
    ),
    events.PlayerSeated: _seated,
    events.PlayerLeft: lambda table, event: table.but(seats=_without(table.seats, event.patron)),
    events.OfferChanged: lambda table, event: table.but(offer=event.kinds),
    events.TableChargeTaken: lambda table, _: table,
    events.ChipsFilled: _signed(_filled),
    events.ChipsCredited: _signed(_credited),
    events.SlipVoided: _signed(lambda table, event: table.but(slips={**table.slips, event.slip: None})),
    events.FloatCounted: _signed(_as_it_was),
    events.DropCounted: _signed(_as_it_was),
    events.TableClosed: _signed(lambda table, _: table.but(closed=True, shoe=None, bank=None)),
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


def check_shift(shift: str | None) -> None:
    """That this may be the name of a shift. Raises: ShiftNameReserved."""
    if shift == ADJUSTMENT:
        raise errors.ShiftNameReserved(shift)


def check_shift_known(table: Table, shift: str) -> None:
    """That the night had such a shift. Raises: ShiftUnknown."""
    if shift not in table.shifts:
        raise errors.ShiftUnknown(shift, ", ".join(table.shifts))
