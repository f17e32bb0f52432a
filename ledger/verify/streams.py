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
from ledger.aggregates.draft import Fold
from ledger.batch import fold_of
from ledger.errors import DoesNotFold, VersionBroken
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC
from ledger.store.port import LedgerRecorder, Row
from ledger.verify.reading import Skimmed, read

HELD_STREAMS = 4_096
"""States held: the tables, shoes and open coups of many premises' night."""

_NEVER_HELD = "command/"
_CANNOT_FOLD = (LookupError, TypeError, ValueError, AttributeError, AssertionError)
"""What a fold meets when an event cannot be: no such step, a step on a bank that nobody holds."""


_Held = tuple[int, Any, Fold]
"""A stream as far as it has been read: its version, its state, and how it folds."""


class StreamCheck:
    """Folds every stream of the record as its events go by."""

    def __init__(self, record: LedgerRecorder, held_streams: int = HELD_STREAMS) -> None:
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
        held = self._held.get(stream)
        if held is None and version == 1:
            before, state, fold = _new(row)
        elif held is not None and held[0] == version - 1:
            before, state, fold = held
        else:
            before, state, fold = self._again(row, held)
        state = _folded(row, event, state, fold)
        if stream.startswith(_NEVER_HELD) or (type(state) is Coup and state.stage not in UNSETTLED):
            if before:
                self._held.pop(stream, None)
            return
        self._held[stream] = (version, state, fold)
        self._held.move_to_end(stream)
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
            state = _folded(earlier, read(earlier), state, fold)
            version += 1
        if version != row.version - 1:
            raise VersionBroken(row.sequence, row.stream, row.version, version + 1)
        return version, state, fold


def _new(row: Row) -> _Held:
    """A stream before its first event. Raises: DoesNotFold when there are no streams of such a name."""
    try:
        fold, state = fold_of(row.stream)
    except LookupError as error:
        raise DoesNotFold(row.sequence, row.stream, "no stream has such a name") from error
    return 0, state, fold


def _folded(row: Row, event: LedgerEvent, state: Any, fold: Fold) -> Any:
    """The state after one more event. Raises: DoesNotFold."""
    kind = BY_TOPIC[row.topic] if type(event) is Skimmed else type(event)
    step = fold.get(kind)
    if step is None:
        raise DoesNotFold(row.sequence, row.stream, f"no {row.topic} belongs there")
    try:
        return step(state, event)
    except _CANNOT_FOLD as error:
        raise DoesNotFold(row.sequence, row.stream, f"{row.topic}: {error}") from error
