"""The entries of one batch of events, gathered in memory before they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import add
from typing import Any, NamedTuple

from ledger.events.coup import CoupOpened
from ledger.terms.wagers import Tender, Wager
from projections.at_hand import AtHand, CoupAtHand
from projections.nights import Night
from projections.postings.chart import Amounts
from projections.read_table import ReadTable

VALUE = Tender.VALUE.value


class Where(NamedTuple):
    """Where an entry is booked, as read tables hold it."""

    premises: str
    gaming_day: str
    table: str
    shift: str
    currency: str


class Entry(NamedTuple):
    """What an event moved. `leg` counts the entries of one event from 1."""

    sequence: int
    leg: int
    entry: str
    about: str | None
    moved: Amounts
    tender: str = VALUE


class Placed(NamedTuple):
    """An entry of which an earlier batch's row, found under `key`, says where it is booked.

    `shift` is where this batch knows it; the row's, if None.
    """

    key: tuple[str, ...]
    shift: str | None
    made: Entry

    @property
    def entry_row(self) -> tuple[Any, ...]:
        """Parameters that insert it."""
        sequence, leg, entry, about, moved, tender = self.made
        return (sequence, leg, tender, self.shift, entry, about, *moved, *self.key)

    @property
    def balance_row(self) -> tuple[Any, ...]:
        """Parameters that add it to its balance."""
        return (self.shift, self.made.tender, *self.made.moved, *self.key)


class Cancelled(NamedTuple):
    """A wager that goes back, of a coup that an earlier batch opened."""

    sequence: int
    entry: str
    about: str
    coup: str
    wager: str


class Voided(NamedTuple):
    """A coup ruled void before it settled, that an earlier batch opened."""

    where: Where
    sequence: int
    entry: str
    about: str
    adjusts: str | None
    coup: str

    @property
    def entry_row(self) -> tuple[Any, ...]:
        """Parameters that insert its entry."""
        premises, gaming_day, table, shift, currency = self.where
        return (
            *(premises, gaming_day, self.sequence, table, shift, currency),
            *(self.entry, self.about, self.adjusts, self.coup),
        )

    @property
    def balance_row(self) -> tuple[Any, ...]:
        """Parameters that add it to its balance."""
        return (*self.where, self.coup)


class Batch:
    """What a batch of events comes to.

    Attributes:
        rows: of `postings`, of which everything is known.
        sums: what `rows` add to the balances, by their key.
        of_coups, of_nights: entries whose place an earlier batch wrote down.
        at_hand: the coups at hand.
        cancelled_before, voided_before: what befell coups that earlier batches opened.
    """

    def __init__(self, at_hand: ReadTable) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.sums: dict[tuple[str, ...], Sequence[int]] = {}
        self.of_coups: list[Placed] = []
        self.of_nights: list[Placed] = []
        self.at_hand = AtHand(at_hand)
        self.cancelled_before: list[Cancelled] = []
        self.voided_before: list[Voided] = []
        self._wagers: dict[str, list[tuple[Wager, ...]]] = {}
        self._cancelled: dict[str, set[str]] = {}
        self._ended: dict[str, None] = {}
        self._currencies: dict[Night, str] = {}
        self._shifts: dict[Night, str] = {}

    def book(self, where: Where, made: Entry, adjusts: str | None = None) -> None:
        """Book an entry whose place is known. One that moves nothing is none."""
        sequence, leg, entry, about, moved, tender = made
        if not any(moved):
            return
        premises, gaming_day, table, shift, currency = where
        self.rows.append(
            (
                *(premises, gaming_day, sequence, leg, tender, table, shift, currency, entry, about, adjusts),
                *moved,
            )
        )
        key = (premises, gaming_day, table, shift, currency, tender)
        sums = self.sums.get(key)
        self.sums[key] = moved if sums is None else tuple(map(add, sums, moved))

    # --- Nights ------------------------------------------------------------------------------------------

    def open_night(self, night: Night, shift: str, currency: str) -> None:
        """A table opened for a gaming day."""
        self._currencies[night], self._shifts[night] = currency, shift

    def change_shift(self, night: Night, shift: str) -> None:
        """Another shift is in force."""
        self._shifts[night] = shift

    def book_at_night(self, night: Night, made: Entry, shift: str | None = None) -> None:
        """Book an entry at a table's night, in a shift or in the one that is in force."""
        shift = shift or self._shifts.get(night)
        currency = self._currencies.get(night)
        premises, table, gaming_day = night
        if currency is not None and shift is not None:
            self.book(Where(premises, gaming_day, table, shift, currency), made)
        elif any(made.moved):
            self.of_nights.append(Placed((premises, gaming_day, table), shift, made))

    def nights_opened(self) -> list[tuple[str, ...]]:
        """Rows of the nights that began, with the shift now in force."""
        return [
            (night.premises, night.gaming_day, night.table, self._shifts[night], currency)
            for night, currency in self._currencies.items()
        ]

    def shifts_changed(self) -> list[tuple[str, ...]]:
        """Shifts now in force in nights that began before."""
        return [
            (shift, night.premises, night.gaming_day, night.table)
            for night, shift in self._shifts.items()
            if night not in self._currencies
        ]

    # --- Coups -------------------------------------------------------------------------------------------

    def open_coup(self, sequence: int, event: CoupOpened) -> None:
        """A coup opened."""
        self.at_hand.opened(sequence, event)

    def end_coup(self, event: Any) -> None:
        """A coup settled, or was ruled void: of one that this batch opened nothing is kept."""
        coup = event.stream
        self.at_hand.ended(event)
        self._ended[coup] = None
        if self.at_hand.get(coup) is not None:
            self._wagers.pop(coup, None)

    def place(self, coup: str, wagers: tuple[Wager, ...]) -> None:
        """Wagers were placed."""
        self._wagers.setdefault(coup, []).append(wagers)

    def cancel(self, coup: str, ids: Sequence[str]) -> list[Wager]:
        """Wagers go back; gives those of a coup opened in this batch."""
        gone = set(ids)
        found = [wager for wager in self.standing(coup) if wager.id in gone]
        self._cancelled.setdefault(coup, set()).update(gone)
        return found

    def standing(self, coup: str) -> Iterator[Wager]:
        """The wagers placed in this batch that still stand."""
        gone = self._cancelled.get(coup, ())
        for wagers in self._wagers.get(coup, ()):
            yield from (wager for wager in wagers if wager.id not in gone)

    def wagers_at_hand(self) -> list[tuple[Any, ...]]:
        """Rows of the wagers that may still be cancelled or go back, by whatever comes later."""
        return [
            (coup, wager.id, wager.tender.value, wager.stake)
            for coup, placed in self._wagers.items()
            if self.at_hand.get(coup) is None or coup not in self._ended
            for wager in self._to_keep(coup, placed)
        ]

    def _to_keep(self, coup: str, placed: Sequence[tuple[Wager, ...]]) -> Iterator[Wager]:
        if self.at_hand.get(coup) is not None:
            return self.standing(coup)
        return (
            wager for wagers in placed for wager in wagers
        )  # cancelled in SQL, with those of earlier batches

    def ended_before(self) -> list[str]:
        """Coups of earlier batches that ended."""
        return [coup for coup in self._ended if self.at_hand.get(coup) is None]


def place_of(coup: CoupAtHand) -> Where:
    """Where the entries of a coup at hand are booked."""
    return Where(coup.premises, coup.gaming_day, coup.table_name, coup.shift, coup.currency)
