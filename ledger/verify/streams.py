"""Every stream in order: versions without a hole, and each event folding into what came before it.

Memory stays flat however many streams there are. A state is held while its stream is growing: commands are
never held, coups until they end, tables and shoes until `HELD_STREAMS` others have been touched since. When
a stream goes on that is not held (a coup corrected a week later), it is read again from its first event, and
that reading checks that every version up to this one is there and lies earlier in the record. Streams are
bounded, so reading one again is cheap. That a version is taken once is the store's own unique index.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ledger.aggregates.coup import UNSETTLED, Coup
from ledger.aggregates.draft import Steps
from ledger.aggregates.folds import FOLDS
from ledger.errors import DoesNotFold, VersionBroken
from ledger.events.base import LedgerEvent
from ledger.store.port import RecordReader, Row
from ledger.verify.reading import read

HELD_STREAMS = 4_096
"""States held: the tables, shoes and open coups of many premises' night."""

_CANNOT_FOLD = (LookupError, TypeError, ValueError, AttributeError, AssertionError)
"""What a fold meets when an event cannot be: no such step, a step on a bank that nobody holds."""


_NEVER_HELD, _ = FOLDS["command"]

_Held = tuple[int, Any, Steps]
"""A stream as far as it has been read: its version, its state, and how it folds."""


class StreamCheck:
    """Folds every stream of the record as its events go by.

    Attributes:
        sealed: up to here what has to be read again may be read as plain events.
    """

    def __init__(self, record: RecordReader, held_streams: int = HELD_STREAMS) -> None:
        self.sealed = 0
        self._record = record
        self._held_streams = held_streams
        self._held: OrderedDict[str, _Held] = OrderedDict()

    def see(self, row: Row, event: LedgerEvent) -> None:
        """The next event of the record.

        Raises:
            VersionBroken: it is not the next of its stream.
            DoesNotFold: it cannot follow.
        """
        _, stream, version, _, _ = row
        held = self._held.pop(stream, None)
        if held is None and version == 1:
            held = _new(row)
        elif held is None or held[0] != version - 1:
            held = self._again(row, held)
        _, state, fold = held
        state = _folded(row, event, state, fold)
        if fold is _NEVER_HELD or (type(state) is Coup and state.stage not in UNSETTLED):
            return
        self._held[stream] = (version, state, fold)
        if len(self._held) > self._held_streams:
            self._held.popitem(last=False)

    def _again(self, row: Row, held: _Held | None) -> _Held:
        """The stream up to this row, read from its beginning."""
        if held is not None and row.version <= held[0]:
            raise VersionBroken(row.sequence, row.stream, row.version, held[0] + 1)
        version, state, fold = _new(row)
        for earlier in self._record.select_stream(row.stream):
            if earlier.version != version + 1 or earlier.sequence >= row.sequence:
                break
            state = _folded(earlier, read(earlier, self.sealed), state, fold)
            version += 1
        if version != row.version - 1:
            raise VersionBroken(row.sequence, row.stream, row.version, version + 1)
        return version, state, fold


def _new(row: Row) -> _Held:
    """A stream before its first event. Raises: DoesNotFold when there are no streams of such a name."""
    try:
        fold, state = FOLDS[row.stream.partition("/")[0]]
    except LookupError as error:
        raise DoesNotFold(row.sequence, row.stream, "no stream has such a name") from error
    return 0, state, fold


def _folded(row: Row, event: LedgerEvent, state: Any, fold: Steps) -> Any:
    """The state after one more event. Raises: DoesNotFold."""
    step = fold.get(row.topic) or fold.get(event.TOPIC)  # of today, where the row's is an older one
    if step is None:
        raise DoesNotFold(row.sequence, row.stream, f"no {row.topic} belongs there")
    try:
        return step(state, event)
    except _CANNOT_FOLD as error:
        raise DoesNotFold(row.sequence, row.stream, f"{row.topic}: {error}") from error
