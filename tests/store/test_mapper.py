"""Between events and the library's stored events: the same bytes, the same event."""

from __future__ import annotations

from pathlib import Path

import pytest
from eventsourcing.persistence import StoredEvent

from ledger.errors import EventUnreadable, UnknownTopic
from ledger.events.catalogue import decode
from ledger.store.mapper import LedgerMapper, NoTranscoder
from tests.golden.files import EVENTS, TOPICS
from tests.tabletalk import Night, open_ledger, play


@pytest.fixture
def mapper() -> LedgerMapper:
    return LedgerMapper(transcoder=NoTranscoder())


@pytest.mark.parametrize("topic", TOPICS)
def test_an_event_is_stored_under_its_topic_in_its_own_bytes(mapper: LedgerMapper, topic: str) -> None:
    event = decode(topic, EVENTS[topic])
    stored = mapper.to_stored_event(event)
    assert stored == StoredEvent(event.stream, event.version, topic, EVENTS[topic])
    assert mapper.to_domain_event(stored) == event


@pytest.mark.parametrize(
    ("topic", "state", "error"),
    [("shift-changed.v1", b"{}", EventUnreadable), ("shift-changed.v99", b"{}", UnknownTopic)],
)
def test_what_is_no_event_is_refused_by_name(
    mapper: LedgerMapper, topic: str, state: bytes, error: type[Exception]
) -> None:
    with pytest.raises(error, match="shift-changed"):
        mapper.to_domain_event(StoredEvent("table/main/PB1/2026-11-27", 4, topic, state))


def test_the_library_reads_the_record_through_the_mapper(tmp_path: Path) -> None:
    """Its event store, its notification log and the ledger's own port tell of the same events."""
    ledger = open_ledger(tmp_path / "ledger.db")
    play(ledger, Night().opens())
    rows = ledger.record.select_rows(0, 10)
    assert rows
    for row in rows:
        assert list(ledger.events.get(row.stream))[row.version - 1] == decode(row.topic, row.state)
    notified = ledger.notification_log.select(start=1, limit=10)
    assert [
        (found.id, found.originator_id, found.originator_version, found.topic, found.state)
        for found in notified
    ] == [tuple(row) for row in rows]
    ledger.close()
