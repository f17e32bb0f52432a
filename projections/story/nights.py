"""A table's night told from its own stream: who held the bank and in what capacity, and what the cage moved.

The stream is bounded: it begins with the table's opening and ends with its close. Amounts in minor units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ledger.errors import InterestNotAllowed
from ledger.events import table as events
from ledger.events.catalogue import decode
from ledger.regulation.bank import capacities_allowed, check_interests
from ledger.store.port import Row
from ledger.terms.formats import Format, format_named
from ledger.terms.house import Capacity, value_of


@dataclass(slots=True)
class Tenure:
    """One holder's time with the bank.

    Attributes:
        put_up, taken_away: sums of the bank; None while not known. The house's bank has no sum.
        coups: those that it has stood for and that have ended.
        won: what it has won by them, less than 0 where it lost.
        must_pass: a coup was lost, so the bank must pass before the next (6(6)).
        ending: `passed`, `retired`, `table closed`, or None: it is held still.
        paragraph: under which somebody in this capacity may hold it.
    """

    since: datetime
    holder: str
    capacity: str
    paragraph: str
    seat: int | None = None
    put_up: int | None = None
    coups: int = 0
    won: int = 0
    must_pass: bool = False
    until: datetime | None = None
    taken_away: int | None = None
    ending: str | None = None


@dataclass(slots=True)
class Interest:
    """A share or interest in the bank that somebody declared.

    Attributes:
        paragraph: which says that the bank may not stand with it; None: it may.
    """

    declared: datetime
    person: str
    capacity: str
    detail: str | None
    paragraph: str | None
    withdrawn: datetime | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """What the cage sees of the table: chips, slips, counts, boxes, charges.

    Attributes:
        what: `opener`, `fill`, `credit`, `slip void`, `count`, `drop`, `charge` or `closer`.
        signed_by: names, with commas between.
    """

    sequence: int
    at: datetime
    what: str
    slip: str | None
    shift: str
    amount: int
    signed_by: str
    note: str = ""


@dataclass(slots=True)
class NightStory:
    """A table's gaming day."""

    opened: events.TableOpened | None = None
    closed_at: datetime | None = None
    shift: str = ""
    shifts: list[tuple[datetime, str]] = field(default_factory=list)
    shoes: list[str] = field(default_factory=list)
    """In the order in which they came into use."""
    tenures: list[Tenure] = field(default_factory=list)
    interests: list[Interest] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    @property
    def format(self) -> Format:
        """What is dealt."""
        assert self.opened is not None, "a table's stream begins with its opening"
        return format_named(self.opened.format)

    @property
    def players_hold(self) -> bool:
        """Whether players hold the bank of this format."""
        return Capacity.PLAYER in capacities_allowed(self.format)


def tell_night(rows: Iterable[Row]) -> NightStory:
    """The story that these stored events tell: one table's gaming day, in order.

    Raises:
        UnknownTopic, EventUnreadable: one cannot be read.
    """
    story = NightStory()
    for row in rows:
        event = decode(row.topic, row.state, row.stream, row.version)
        if told := _TELL.get(type(event)):
            told(story, event, row.sequence)
    return story


def _move(story: NightStory, event: Any, sequence: int, what: str, amount: int, **more: Any) -> None:
    signed = ", ".join(getattr(event, "signed_by", ()))
    shift = getattr(event, "shift", story.shift)
    slip = getattr(event, "slip", None)
    story.moves.append(Move(sequence, event.occurred_at, what, slip, shift, amount, signed, **more))


def _opened(story: NightStory, event: events.TableOpened, sequence: int) -> None:
    story.opened = event
    story.shift = event.shift
    story.shifts.append((event.occurred_at, event.shift))
    _move(story, event, sequence, "opener", value_of(event.opener))
    if not story.players_hold:
        holder = "the house"
        story.tenures.append(Tenure(event.occurred_at, holder, Capacity.LICENCE_HOLDER.value, "6(5)(a)"))


def _closed(story: NightStory, event: events.TableClosed, sequence: int) -> None:
    story.closed_at = event.occurred_at
    _move(story, event, sequence, "closer", event.amount)
    _end(story, event.occurred_at, "table closed", None)


def _shift_changed(story: NightStory, event: events.ShiftChanged, _: int) -> None:
    story.shift = event.shift
    story.shifts.append((event.occurred_at, event.shift))


def _shoe(story: NightStory, event: events.ShoeStarted, _: int) -> None:
    story.shoes.append(event.shoe)


def _begin(story: NightStory, event: events.BankTaken | events.BankPassed) -> None:
    paragraph = "6(6)" if story.players_hold else "6(5)(a)"
    story.tenures.append(
        Tenure(event.occurred_at, event.holder, event.capacity.value, paragraph, event.seat, event.sum)
    )


def _end(story: NightStory, at: datetime, ending: str, taken_away: int | None) -> None:
    if story.tenures and story.tenures[-1].until is None:
        last = story.tenures[-1]
        last.until, last.ending, last.taken_away = at, ending, taken_away


def _taken(story: NightStory, event: events.BankTaken, _: int) -> None:
    _begin(story, event)


def _passed(story: NightStory, event: events.BankPassed, _: int) -> None:
    _end(story, event.occurred_at, "passed", event.from_sum)
    _begin(story, event)


def _retired(story: NightStory, event: events.BankRetired, _: int) -> None:
    _end(story, event.occurred_at, "retired", event.sum)


def _stood(story: NightStory, event: events.BankSettled, _: int) -> None:
    bank = story.tenures[-1]
    bank.coups += 1
    bank.won += event.banker_win
    bank.must_pass = event.must_pass


def _declared(story: NightStory, event: events.InterestDeclared, _: int) -> None:
    try:
        check_interests(story.format, {event.person: event.capacity})
        barred = None
    except InterestNotAllowed as refusal:
        barred = refusal.paragraph
    story.interests.append(
        Interest(event.occurred_at, event.person, event.capacity.value, event.detail, barred)
    )


def _withdrawn(story: NightStory, event: events.InterestWithdrawn, _: int) -> None:
    for interest in story.interests:
        if interest.person == event.person and interest.withdrawn is None:
            interest.withdrawn = event.occurred_at


def _voided(story: NightStory, event: events.SlipVoided, sequence: int) -> None:
    _move(story, event, sequence, "slip void", event.amount, note=event.reason)


def _amount(what: str) -> Callable[[NightStory, Any, int], None]:
    return lambda story, event, sequence: _move(story, event, sequence, what, event.amount)


_TELL: Mapping[type, Callable[[NightStory, Any, int], None]] = {
    events.TableOpened: _opened,
    events.TableClosed: _closed,
    events.ShiftChanged: _shift_changed,
    events.ShoeStarted: _shoe,
    events.BankTaken: _taken,
    events.BankPassed: _passed,
    events.BankRetired: _retired,
    events.BankSettled: _stood,
    events.InterestDeclared: _declared,
    events.InterestWithdrawn: _withdrawn,
    events.ChipsFilled: _amount("fill"),
    events.ChipsCredited: _amount("credit"),
    events.SlipVoided: _voided,
    events.FloatCounted: _amount("count"),
    events.DropCounted: _amount("drop"),
    events.TableChargeTaken: _amount("charge"),
}
"""What else a table's stream holds (seats, offers, commitments) is not told here."""
