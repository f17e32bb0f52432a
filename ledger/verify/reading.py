"""Reading the record when it may be damaged: what can be read is, and what cannot has its position named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import ClassVar

from eventsourcing.persistence import PersistenceError
from pydantic import ConfigDict

from ledger.errors import ColumnDiffers, EventDamaged, EventUnreadable, RecordGap, UnknownTopic
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC, decode
from ledger.events.coup import WagersReversed, WagersSettled
from ledger.events.plain import READERS
from ledger.store.port import RecordReader, Row
from ledger.terms.plain import REFUSALS, reader

_LEAST = -(2**63)
_MODELS: Mapping[str, Callable[[bytes], LedgerEvent]] = {
    topic: event.__pydantic_validator__.validate_json for topic, event in BY_TOPIC.items()
}
"""What `decode` asks for every type it writes today: looked up once, because it is asked for every event."""


class Skimmed(LedgerEvent):
    """What every event carries, of one whose own facts are not looked at."""

    TOPIC: ClassVar[str] = ""
    model_config = ConfigDict(extra="ignore")


SKIMMED = frozenset({WagersSettled.TOPIC, WagersReversed.TOPIC})
"""Events that change no state and are most of the record's bytes: the settlement lines.

Where their bytes are sealed, the tree says that they are what was stored; what they say is for the audit.
"""
_SKIM = reader(Skimmed) or Skimmed.__pydantic_validator__.validate_json


def read(row: Row, sealed: int = 0, skimmed: Collection[str] = ()) -> LedgerEvent:
    """The event behind a stored row, which must say the same of itself as its columns do.

    Args:
        sealed: up to here the bytes are held against the tree too, so an event is read as a plain one
            (`ledger.events.plain`); a later one by its model, which looks at everything.
        skimmed: topics of which only what every event carries is read, where that is sealed.

    Raises:
        EventDamaged: the catalogue cannot read it.
        ColumnDiffers: it says that it belongs elsewhere.
    """
    sequence, stream, version, topic, state = row
    if type(state) is not bytes:
        raise EventDamaged(sequence, "its state is no bytes")
    try:
        if sequence > sealed:
            event = _MODELS[topic](state)
        else:
            event = _SKIM(state) if topic in skimmed else READERS[topic](state)
    except REFUSALS:  # an older topic, or bytes of which `decode` will say what is wrong with them
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


def page(record: RecordReader, after: int, limit: int) -> list[Row]:
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


def check_beginning(record: RecordReader) -> None:
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
