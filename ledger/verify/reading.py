"""Reading the record when it may be damaged: what can be read is, and what cannot has its position named."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eventsourcing.persistence import PersistenceError
from pydantic import ConfigDict

from ledger.errors import ColumnDiffers, EventDamaged, EventUnreadable, RecordGap, UnknownTopic
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC, decode
from ledger.events.coup import WagersReversed, WagersSettled
from ledger.store.port import LedgerRecorder, Row

_LEAST = -(2**63)
_VALIDATE: Mapping[str, Callable[[bytes], LedgerEvent]] = {
    topic: event.__pydantic_validator__.validate_json for topic, event in BY_TOPIC.items()
}
"""What `decode` asks for every type it writes today: looked up once, because it is asked for every event."""


class Skimmed(LedgerEvent):
    """What every event carries, of one whose own facts are not looked at."""

    model_config = ConfigDict(extra="ignore")


SKIMMED = frozenset({WagersSettled.TOPIC, WagersReversed.TOPIC})
"""Events that change no state and are most of the record's bytes: the settlement lines.

Where their bytes are sealed, the tree says that they are what was stored; what they say is for the audit.
"""
_SKIM = Skimmed.__pydantic_validator__.validate_json


def read(row: Row, *, skim: bool = False) -> LedgerEvent:
    """The event behind a stored row, which must say the same of itself as its columns do.

    Args:
        skim: read only what every event carries.

    Raises:
        EventDamaged: the catalogue cannot read it.
        ColumnDiffers: it says that it belongs elsewhere.
    """
    sequence, stream, version, topic, state = row
    if type(state) is not bytes:
        raise EventDamaged(sequence, "its state is no bytes")
    try:
        event = _SKIM(state) if skim else _VALIDATE[topic](state)
    except (ValueError, TypeError, LookupError):  # an older topic, or one that `decode` will say is damaged
        event = _decode(row)
    if event.stream != stream:
        raise ColumnDiffers(sequence, "stream", str(stream), event.stream)
    if event.version != version:
        raise ColumnDiffers(sequence, "version", str(version), str(event.version))
    return event


def _decode(row: Row) -> LedgerEvent:
    try:
        return decode(row.topic, row.state, row.stream, row.version)
    except (EventUnreadable, UnknownTopic, TypeError) as error:  # TypeError: a topic that is no text at all
        raise EventDamaged(row.sequence, str(error)) from error


def page(record: LedgerRecorder, after: int, limit: int) -> list[Row]:
    """Up to `limit` next rows of the record; fewer, up to the first that the store cannot give.

    Raises:
        EventDamaged: the store cannot give the very next one, such as for text that is no UTF-8.
    """
    while True:
        try:
            return record.select_rows(after, limit)
        except PersistenceError as error:
            if limit == 1:
                raise EventDamaged(after + 1, str(error)) from error
            limit //= 2


def check_beginning(record: LedgerRecorder) -> None:
    """That nothing lies before event 1, where nobody who reads the record in order would look.

    Raises:
        RecordGap: something does.
        EventDamaged: the store cannot give the first event.
    """
    try:
        first = record.select_rows(_LEAST, 1)
    except PersistenceError as error:
        raise EventDamaged(1, str(error)) from error
    if first and first[0].sequence != 1:
        raise RecordGap(1, first[0].sequence)
