"""What each event moves: one function an event, each entry balanced. Minor units; debits are more than 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ledger.events import coup as coups
from ledger.events import day as days
from ledger.events import table as tables
from ledger.terms.books import ADJUSTMENT
from ledger.terms.books import Account as Figure
from ledger.terms.house import BankedBy, Conditions, value_of
from ledger.terms.wagers import Outcome, Tender, Total
from projections.nights import Night, booked, night_of
from projections.postings.chart import DUE_PARTS, PARTS, Account, amounts
from projections.postings.entry_batch import Batch, Cancelled, Entry, Placed, Voided, Where, place_of

CLOSE: Final = "close"
"""Stands for the shift of what is booked on a whole gaming day when it is closed."""
_LOST, _WON = Outcome.LOST, Outcome.WON  # a member of an enum costs a look-up each time


def _from(giver: Account, taker: Account, amount: int) -> tuple[int, ...]:
    return amounts({giver: -amount, taker: amount})


# --- The table -----------------------------------------------------------------------------------------


def table_opened(batch: Batch, sequence: int, event: tables.TableOpened) -> None:
    """The float comes from the cage."""
    night = Night(event.premises, event.table, event.gaming_day.isoformat())
    batch.open_night(night, event.shift, event.currency)
    moved = _from(Account.CAGE, Account.FLOAT, value_of(event.opener))
    batch.book_at_night(night, Entry(sequence, 1, "table-opened", None, moved))


def shift_changed(batch: Batch, _: int, event: tables.ShiftChanged) -> None:
    """Nothing moves; what is booked from here on is the next shift's."""
    batch.change_shift(night_of(event.stream), event.shift)


def chips_filled(batch: Batch, sequence: int, event: tables.ChipsFilled) -> None:
    """Chips from the cage."""
    moved = _from(Account.CAGE, Account.FLOAT, event.amount)
    batch.book_at_night(night_of(event.stream), Entry(sequence, 1, "fill", event.slip, moved), event.shift)


def chips_credited(batch: Batch, sequence: int, event: tables.ChipsCredited) -> None:
    """Chips to the cage."""
    moved = _from(Account.FLOAT, Account.CAGE, event.amount)
    batch.book_at_night(night_of(event.stream), Entry(sequence, 1, "credit", event.slip, moved), event.shift)


def slip_voided(batch: Batch, sequence: int, event: tables.SlipVoided) -> None:
    """The chips of a slip are back where they were. A spoiled number had moved none."""
    if event.voids is None:
        return
    giver, taker = (Account.FLOAT, Account.CAGE) if event.voids == "fill" else (Account.CAGE, Account.FLOAT)
    made = Entry(sequence, 1, f"{event.voids}-voided", event.slip, _from(giver, taker, event.amount))
    batch.book_at_night(night_of(event.stream), made, event.shift)


def drop_counted(batch: Batch, sequence: int, event: tables.DropCounted) -> None:
    """The cash in a box bought chips of the float."""
    where = Where(event.premises, event.gaming_day.isoformat(), event.table, event.shift, event.currency)
    moved = _from(Account.FLOAT, Account.DROP, event.amount)
    batch.book(where, Entry(sequence, 1, "drop-counted", None, moved))


def charge_taken(batch: Batch, sequence: int, event: tables.TableChargeTaken) -> None:
    """A patron pays for taking part."""
    where = Where(event.premises, event.gaming_day.isoformat(), event.table, event.shift, event.currency)
    moved = _from(Account.CHARGES, Account.PATRONS, event.amount)
    batch.book(where, Entry(sequence, 1, "charge", event.patron, moved))


def table_closed(batch: Batch, sequence: int, event: tables.TableClosed) -> None:
    """What was counted of the float goes back to the cage."""
    moved = _from(Account.FLOAT, Account.CAGE, event.amount)
    batch.book_at_night(night_of(event.stream), Entry(sequence, 1, "table-closed", None, moved))


# --- A player's bank -----------------------------------------------------------------------------------


def bank_taken(batch: Batch, sequence: int, event: tables.BankTaken) -> None:
    """A player puts up the bank."""
    moved = _from(Account.BANK, Account.PATRONS, event.sum)
    batch.book_at_night(night_of(event.stream), Entry(sequence, 1, "bank-taken", event.holder, moved))


def bank_passed(batch: Batch, sequence: int, event: tables.BankPassed) -> None:
    """One takes the bank away, the next puts it up. What it won meanwhile is booked with each coup."""
    night = night_of(event.stream)
    away = _from(Account.PATRONS, Account.BANK, event.from_sum or 0)
    batch.book_at_night(night, Entry(sequence, 1, "bank-passed", event.from_holder, away))
    moved = _from(Account.BANK, Account.PATRONS, event.sum)
    batch.book_at_night(night, Entry(sequence, 2, "bank-taken", event.holder, moved))


def bank_retired(batch: Batch, sequence: int, event: tables.BankRetired) -> None:
    """The holder takes the bank away."""
    moved = _from(Account.PATRONS, Account.BANK, event.sum)
    batch.book_at_night(night_of(event.stream), Entry(sequence, 1, "bank-retired", event.holder, moved))


# --- Coups ---------------------------------------------------------------------------------------------


def _named(stream: str) -> str:
    """A coup as people write it: `PB1/S1/7`."""
    return stream.split("/", 2)[2]


def _where(premises: str, table: str, pinned: Conditions) -> Where:
    return Where(premises, pinned.gaming_day.isoformat(), table, pinned.shift, pinned.currency)


def _stakes(stake: int) -> tuple[int, ...]:
    """Patrons put stakes down; less than 0 when they get them back."""
    return (0, 0, 0, stake, -stake, 0, 0, 0, 0, 0)


def coup_opened(batch: Batch, sequence: int, event: coups.CoupOpened) -> None:
    """Nothing moves yet."""
    batch.open_coup(sequence, event)


def wagers_placed(batch: Batch, sequence: int, event: coups.WagersPlaced) -> None:
    """Patrons put their stakes down."""
    wagers = event.wagers
    batch.place(event.stream, wagers)
    coup, about = batch.at_hand.get(event.stream), _named(event.stream)
    for tender in {wager.tender for wager in wagers}:
        stake = sum([wager.stake for wager in wagers if wager.tender is tender])
        made = Entry(sequence, 1, "wagers-placed", about, _stakes(stake), tender.value)
        if coup is None:
            batch.of_coups.append(Placed((event.stream,), None, made))
        else:
            batch.book(place_of(coup), made)


def wagers_cancelled(batch: Batch, sequence: int, event: coups.WagersCancelled) -> None:
    """Stakes go back."""
    coup, about = batch.at_hand.get(event.stream), _named(event.stream)
    gone = batch.cancel(event.stream, event.wagers)
    if coup is None:
        batch.cancelled_before += [
            Cancelled(sequence, "wagers-cancelled", about, event.stream, wager) for wager in event.wagers
        ]
        return
    for tender in Tender:
        stake = sum(wager.stake for wager in gone if wager.tender is tender)
        made = Entry(sequence, 1, "wagers-cancelled", about, _stakes(-stake), tender.value)
        batch.book(place_of(coup), made)


def coup_settled(batch: Batch, sequence: int, event: coups.CoupSettled) -> None:
    """Every stake is lost, or goes back with what it won."""
    batch.end_coup(event)
    where = _where(event.premises, event.table, event.conditions)
    about = _named(event.stream)
    for tender, moved in _settlement(event.totals, event.conditions, 1).items():
        batch.book(where, Entry(sequence, 1, "coup-settled", about, moved, tender))


def _settlement(totals: Sequence[Total], pinned: Conditions, sign: int) -> Mapping[str, tuple[int, ...]]:
    """What a settlement moves, by tender; with a `sign` of -1, what taking it back moves.

    The stakes leave `wagers-open`; what patrons are handed goes off `patrons`. The rest is the house's, or
    of whoever holds the bank, who pays what rounding makes of the odds as well.
    """
    due = DUE_PARTS[pinned.profile]
    house = pinned.banked_by is BankedBy.HOUSE
    moved = {}
    for tender in {total.tender for total in totals}:
        stakes = win = parts = 0
        for total in totals:
            if total.tender is tender:
                stakes += total.stakes
                if total.outcome is _LOST:
                    win += total.stakes
                elif total.outcome is _WON:
                    win -= total.winnings
                    parts += total.winnings * PARTS - total.stakes * due[total.kind]
        stakes, win, parts = sign * stakes, sign * win, sign * parts
        if house:
            moved[tender.value] = (0, 0, 0, win - stakes, stakes, 0, -win, 0, 0, parts)
        else:
            moved[tender.value] = (0, 0, 0, win - stakes, stakes, -win, 0, 0, 0, 0)
    return moved


def coup_corrected(batch: Batch, sequence: int, event: coups.CoupCorrected) -> None:
    """What was settled is taken back, and settled anew."""
    where, adjusts = _booked_at(event)
    about = _named(event.stream)
    for tender, moved in _settlement(event.reversed_totals, event.conditions, -1).items():
        batch.book(where, Entry(sequence, 1, "settlement-reversed", about, moved, tender), adjusts)
    for tender, moved in _settlement(event.totals, event.conditions, 1).items():
        batch.book(where, Entry(sequence, 2, "coup-corrected", about, moved, tender), adjusts)


def coup_voided(batch: Batch, sequence: int, event: coups.CoupVoided) -> None:
    """Every stake goes back; first a settlement is taken back, if there was one."""
    where, adjusts = _booked_at(event)
    about = _named(event.stream)
    if event.reversed_totals is not None:
        for tender, moved in _settlement(event.reversed_totals, event.conditions, -1).items():
            batch.book(where, Entry(sequence, 1, "settlement-reversed", about, moved, tender), adjusts)
            back = _stakes(moved[4])
            batch.book(where, Entry(sequence, 2, "coup-voided", about, back, tender), adjusts)
        return
    standing = list(batch.standing(event.stream))
    batch.end_coup(event)
    if batch.at_hand.get(event.stream) is None:
        batch.voided_before.append(Voided(where, sequence, "coup-voided", about, adjusts, event.stream))
        return
    for tender in Tender:
        stake = sum(wager.stake for wager in standing if wager.tender is tender)
        made = Entry(sequence, 1, "coup-voided", about, _stakes(-stake), tender.value)
        batch.book(where, made, adjusts)


def _booked_at(event: coups.CoupCorrected | coups.CoupVoided) -> tuple[Where, str | None]:
    """Where a ruling is booked, and the sealed day that it adjusts, if it does."""
    day, shift = booked(event)
    pinned = event.conditions
    adjusts = None if event.booked_on is None else pinned.gaming_day.isoformat()
    return Where(event.premises, day, event.table, shift, pinned.currency), adjusts


# --- The day -------------------------------------------------------------------------------------------


def day_reconciled(batch: Batch, sequence: int, event: days.DayReconciled) -> None:
    """What the wagers say was won is squared with what the count says; the rest is variance."""
    for leg, found in enumerate(event.tables, start=1):
        moved = amounts(
            {
                Account.FLOAT: found.win_by_inventory,
                Account.PATRONS: -found.win_by_wagers - found.charges,
                Account.VARIANCE: found.win_by_wagers + found.charges - found.win_by_inventory,
            }
        )
        night = Night(event.premises, found.table, event.gaming_day.isoformat())
        batch.book_at_night(night, Entry(sequence, leg, "day-reconciled", found.cause, moved), CLOSE)


_ADJUSTED: Mapping[Figure, tuple[Account, Account]] = {
    Figure.DROP: (Account.VARIANCE, Account.DROP),
    Figure.FILLS: (Account.CAGE, Account.VARIANCE),
    Figure.CREDITS: (Account.VARIANCE, Account.CAGE),
    Figure.OPENER: (Account.CAGE, Account.VARIANCE),
    Figure.CLOSER: (Account.VARIANCE, Account.CAGE),
    Figure.CHARGES: (Account.CHARGES, Account.VARIANCE),
    Figure.VARIANCE: (Account.FLOAT, Account.VARIANCE),
}
"""Which account gives and which takes when a figure of a sealed day rises. That day's float is squared, so
the other side is its variance."""


def adjustment_booked(batch: Batch, sequence: int, event: days.AdjustmentBooked) -> None:
    """A late fact about a sealed day."""
    where = Where(event.premises, event.gaming_day.isoformat(), event.table, ADJUSTMENT, event.currency)
    giver, taker = _ADJUSTED[event.account]
    moved = _from(giver, taker, event.amount)
    made = Entry(sequence, 1, f"adjustment-{event.account.value}", event.reason, moved)
    batch.book(where, made, event.adjusts.isoformat())
