"""A feed on an open ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from eventsourcing.persistence import PersistenceError

from ledger.errors import SealDamaged
from ledger.seal.identity import ensure_ledger_id, ledger_id
from ledger.store.port import ReadTables
from ops.feed.cloudevents import source_of
from ops.feed.notices import notices
from ops.feed.streams import Feed
from ops.feed.tail import Tail
from ops.wiring import House


def source_in(tables: ReadTables) -> str:
    """The `source` of this ledger's events; it gets its id here, if it was never sealed.

    Raises:
        SealDamaged: the ledger's id cannot be one.
    """
    try:
        return source_of(ledger_id(tables))
    except (SealDamaged, PersistenceError):  # it has none yet; or what is wrong is said again
        return source_of(ensure_ledger_id(tables, str(uuid4())))


@contextmanager
def open_feed(house: House, db: str) -> Iterator[Feed]:
    """The feed of an open ledger. At the end of the block every stream ends."""
    tail = Tail(house.ledger.record)
    with notices(db, tail.hint):
        try:
            yield Feed(house.ledger.record, source_in(house.tables), tail)
        finally:
            tail.close()
            tail.join()
