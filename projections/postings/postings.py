"""Double entry: a balanced entry from every event that moves value, and what the accounts came to.

The accounts are in `chart.py`, what each event moves in `entries.py`. An entry's amounts stand in one row, a
column an account, and in one more where promotional stakes moved with it; each row sums to 0. The key lists a
gaming day of the premises in the order of the record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ledger.events import coup, day, table
from projections.at_hand import at_hand_table
from projections.postings import entries
from projections.postings.chart import COLUMNS
from projections.postings.entry_batch import Batch
from projections.read_table import MAYBE_TEXT, NUMBER, TEXT, ReadTable, Writes

POSTINGS = ReadTable(
    "postings",
    {"premises": TEXT, "gaming_day": TEXT, "sequence": NUMBER, "leg": NUMBER, "tender": TEXT},
    {
        "table_name": TEXT,
        "shift": TEXT,
        "currency": TEXT,
        "entry": TEXT,
        "about": MAYBE_TEXT,
        "adjusts": MAYBE_TEXT,
        **dict.fromkeys(COLUMNS, NUMBER),
    },
)
"""`leg` counts the entries of one event; `about` is a coup, a slip, a banker or a reason; `adjusts` is the
sealed gaming day of which it is a late fact, if it is one."""
BALANCES = ReadTable(
    "postings_balances",
    dict.fromkeys(("premises", "gaming_day", "table_name", "shift", "currency", "tender"), TEXT),
    dict.fromkeys(COLUMNS, NUMBER),
)
"""The same added up."""
AT_HAND = at_hand_table("postings")
WAGERS = ReadTable("postings_wagers", {"coup": TEXT, "wager": TEXT}, {"tender": TEXT, "stake": NUMBER})
"""The wagers of the coups at hand."""
NIGHTS = ReadTable(
    "postings_nights",
    {"premises": TEXT, "gaming_day": TEXT, "table_name": TEXT},
    {"shift": TEXT, "currency": TEXT},
)
"""Every night of every table: its currency, and the shift in force."""

_MARKS = ", ".join("?" * len(COLUMNS))
_INSERT = f"INSERT INTO {{postings}} VALUES ({', '.join('?' * len(POSTINGS.columns))})"
_ADDING = ", ".join(f"{column} = {{postings}}.{column} + excluded.{column}" for column in COLUMNS)
_ADD_TO_ENTRY = f"ON CONFLICT ({', '.join(POSTINGS.key)}) DO UPDATE SET {_ADDING}"
_ADD_TO_BALANCE = "ON CONFLICT" + BALANCES.add.partition("ON CONFLICT")[2]

_OF_A_COUP = "FROM {postings_at_hand} WHERE coup = ?"
_OF_A_NIGHT = "FROM {postings_nights} WHERE premises = ? AND gaming_day = ? AND table_name = ?"


def _entry_placed(by: str) -> str:
    """Inserts an entry whose place is in another table."""
    return (
        "INSERT INTO {postings} SELECT premises, gaming_day, ?, ?, ?, table_name, COALESCE(?, shift), "
        f"currency, ?, ?, NULL, {_MARKS} {by}"
    )


def _balance_placed(by: str) -> str:
    """Adds to the balance the entry that `_entry_placed` inserts."""
    return (
        "INSERT INTO {postings_balances} SELECT premises, gaming_day, table_name, COALESCE(?, shift), "
        f"currency, ?, {_MARKS} {by} {_ADD_TO_BALANCE}"
    )


_CANCELLED = (
    "FROM {postings_at_hand} AS at_hand JOIN {postings_wagers} AS wager ON wager.coup = at_hand.coup "
    "WHERE at_hand.coup = ? AND wager.wager = ?"
)
_RETURNED = "0, 0, 0, -stake, stake, 0, 0, 0, 0, 0"
"""A stake that goes back, in the order of `COLUMNS`."""
_CANCEL = (
    "INSERT INTO {postings} SELECT premises, gaming_day, ?, 1, tender, table_name, shift, currency, ?, ?, "
    f"NULL, {_RETURNED} {_CANCELLED} {_ADD_TO_ENTRY}"
)
_CANCEL_BALANCE = (
    "INSERT INTO {postings_balances} SELECT premises, gaming_day, table_name, shift, currency, tender, "
    f"{_RETURNED} {_CANCELLED} {_ADD_TO_BALANCE}"
)
_SUM_RETURNED = _RETURNED.replace("stake", "SUM(stake)")
_VOID = (
    "INSERT INTO {postings} SELECT ?, ?, ?, 1, tender, ?, ?, ?, ?, ?, ?, "
    f"{_SUM_RETURNED} FROM {{postings_wagers}} WHERE coup = ? GROUP BY tender"
)
_VOID_BALANCE = (
    "INSERT INTO {postings_balances} SELECT ?, ?, ?, ?, ?, tender, "
    f"{_SUM_RETURNED} FROM {{postings_wagers}} WHERE coup = ? GROUP BY tender {_ADD_TO_BALANCE}"
)
_FORGET = "DELETE FROM {postings_wagers} WHERE coup = ?"
_CHANGE_SHIFT = (
    "UPDATE {postings_nights} SET shift = ? WHERE premises = ? AND gaming_day = ? AND table_name = ?"
)

_FOLD: Mapping[str, Callable[[Batch, int, Any], None]] = {
    table.TableOpened.TOPIC: entries.table_opened,
    table.ShiftChanged.TOPIC: entries.shift_changed,
    table.BankTaken.TOPIC: entries.bank_taken,
    table.BankPassed.TOPIC: entries.bank_passed,
    table.BankRetired.TOPIC: entries.bank_retired,
    table.ChipsFilled.TOPIC: entries.chips_filled,
    table.ChipsCredited.TOPIC: entries.chips_credited,
    table.SlipVoided.TOPIC: entries.slip_voided,
    table.DropCounted.TOPIC: entries.drop_counted,
    table.TableChargeTaken.TOPIC: entries.charge_taken,
    table.TableClosed.TOPIC: entries.table_closed,
    coup.CoupOpened.TOPIC: entries.coup_opened,
    coup.WagersPlaced.TOPIC: entries.wagers_placed,
    coup.WagersCancelled.TOPIC: entries.wagers_cancelled,
    coup.CoupSettled.TOPIC: entries.coup_settled,
    coup.CoupCorrected.TOPIC: entries.coup_corrected,
    coup.CoupVoided.TOPIC: entries.coup_voided,
    day.DayReconciled.TOPIC: entries.day_reconciled,
    day.AdjustmentBooked.TOPIC: entries.adjustment_booked,
}


class _Entries(Batch):
    """A batch's entries, and what they add to the balances."""

    def __init__(self) -> None:
        super().__init__(AT_HAND)

    def take(self, sequence: int, event: Any) -> None:
        _FOLD[event.TOPIC](self, sequence, event)

    def write(self, into: Writes) -> None:
        into.executemany(_INSERT, self.rows)
        _write_placed(self, into)
        _write_at_hand(self, into)
        into.executemany(NIGHTS.put, self.nights_opened())
        into.executemany(_CHANGE_SHIFT, self.shifts_changed())
        into.executemany(BALANCES.add, [(*key, *sums) for key, sums in self.sums.items()])


class Postings:
    """The projection; see `projections.projection.Projection`."""

    name = "postings"
    version = 1
    topics = tuple(_FOLD)
    tables = (POSTINGS, BALANCES, AT_HAND, WAGERS, NIGHTS)

    def batch(self) -> _Entries:
        """A batch's entries, gathered in memory before they are written."""
        return _Entries()


def _write_placed(batch: Batch, into: Writes) -> None:
    """Entries that an earlier batch's rows say the place of: a coup at hand, or a night that is on."""
    for by, placed in ((_OF_A_COUP, batch.of_coups), (_OF_A_NIGHT, batch.of_nights)):
        into.executemany(_entry_placed(by), [one.entry_row for one in placed])
        into.executemany(_balance_placed(by), [one.balance_row for one in placed])


def _write_at_hand(batch: Batch, into: Writes) -> None:
    """The wagers of coups at hand: put down, then cancelled, then handed back by a void, then forgotten."""
    into.executemany(WAGERS.put, batch.wagers_at_hand())
    cancelled, voided = batch.cancelled_before, batch.voided_before
    into.executemany(
        _CANCEL, [(one.sequence, one.entry, one.about, one.coup, one.wager) for one in cancelled]
    )
    into.executemany(_CANCEL_BALANCE, [(one.coup, one.wager) for one in cancelled])
    into.executemany(WAGERS.remove, [(one.coup, one.wager) for one in cancelled])
    into.executemany(_VOID, [one.entry_row for one in voided])
    into.executemany(_VOID_BALANCE, [one.balance_row for one in voided])
    into.executemany(_FORGET, [(coup,) for coup in batch.ended_before()])
    batch.at_hand.write(into)
