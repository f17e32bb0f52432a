"""Who may read what: every topic is decided, and no token goes to a role that is not to see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ledger.errors import TopicNotInCatalogue, TopicNotReadable
from ledger.events.catalogue import BY_TOPIC, UPCASTERS
from ledger.store.port import Row
from ledger.terms.access import Role
from ops.feed.place import Place, place_of, place_of_stream
from ops.feed.roles import EVERYWHERE, READERS, Reader
from ops.feed.selection import select
from tests.golden.files import EVENTS

TOKENS = {"patron", "holder", "from_holder", "person", "banker", "banco_lost_by"}
"""The fields of events that hold a patron's token; `person` of a key is somebody of the house."""
IN_THE_FIGURES = {
    ("coup-settled.v1", "banker"),
    ("coup-corrected.v1", "banker"),
    ("coup-voided.v1", "banker"),
    ("table-charge-taken.v1", "patron"),
}
OF_THE_HOUSE = {("key-issued.v1", "person")}


def reader(*roles: Role, premises: str = EVERYWHERE) -> Reader:
    return Reader("somebody", {premises: frozenset(roles)})


def fields(schema: Any) -> Iterator[str]:
    """The names of all fields of a JSON Schema, however deep."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from fields(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from fields(part)


def test_every_topic_is_decided_and_no_other() -> None:
    assert set(READERS) == set(BY_TOPIC) | set(UPCASTERS)


@pytest.mark.parametrize("role", [Role.CAGE, Role.ACCOUNTING, Role.ADMIN])
def test_who_is_not_to_see_tokens_is_given_no_event_with_one(role: Role) -> None:
    found = {
        (topic, field)
        for topic in reader(role).topics()
        for field in fields(BY_TOPIC[topic].model_json_schema(mode="serialization"))
        if field in TOKENS
    }
    assert found - OF_THE_HOUSE <= IN_THE_FIGURES


def test_an_auditor_reads_everything_and_an_admin_only_of_keys() -> None:
    assert reader(Role.AUDITOR).topics() == set(BY_TOPIC)
    assert reader(Role.ADMIN).topics() == {"key-issued.v1", "key-revoked.v1"}
    assert reader().topics() == set()


def test_roles_add_up() -> None:
    both = reader(Role.PIT, Role.CAGE).topics()
    assert both == reader(Role.PIT).topics() | reader(Role.CAGE).topics()
    assert {"wagers-placed.v1", "drop-counted.v1"} <= both


def test_types_are_asked_for_by_topic_or_by_type_also_several_at_once() -> None:
    asked = select(reader(Role.AUDITOR), ["coup-settled.v1,baccarat-ledger.coup-voided.v1", "day-sealed.v1"])
    assert asked.topics == {"coup-settled.v1", "coup-voided.v1", "day-sealed.v1"}
    assert asked.filtered
    assert not select(reader(Role.AUDITOR), ["", " , "]).filtered


def test_a_type_that_there_is_not_and_one_that_is_not_for_the_reader_are_told_apart() -> None:
    with pytest.raises(TopicNotInCatalogue):
        select(reader(Role.CAGE), ["coup-settled.v9"])
    with pytest.raises(TopicNotReadable):
        select(reader(Role.CAGE), ["coup-settled.v1", "wagers-placed.v1"])


@pytest.mark.parametrize(
    ("stream", "place"),
    [
        ("table/north/PB1/2026-11-27", Place("north", "PB1")),
        ("shoe/north/PB1/S1", Place("north", "PB1")),
        ("coup/north/PB1/S1/7", Place("north", "PB1")),
        ("day/north/2026-11-27", Place("north", None)),
        ("access/north/key-1", Place("north", None)),
        ("command/c1", Place(None, None)),
        ("", Place(None, None)),
        ("coup", Place(None, None)),
    ],
)
def test_an_event_happened_where_its_stream_says(stream: str, place: Place) -> None:
    assert place_of_stream(stream) == place


def test_the_record_of_a_command_happened_where_its_subject_is() -> None:
    state = EVENTS["command-recorded.v1"]
    assert place_of(Row(1, "command/c1", 1, "command-recorded.v1", state)).premises == "main"


def test_who_is_let_into_one_premises_is_given_nothing_of_another_nor_of_none() -> None:
    asked = select(reader(Role.AUDITOR, premises="north"))
    state = EVENTS["shoe-ended.v1"]
    streams = ("table/north/T/D", "table/south/T/D", "elsewhere/x")
    given = [asked.gives(Row(1, stream, 1, "shoe-ended.v1", state)) for stream in streams]
    assert given == [True, False, False]


def test_roles_count_at_the_premises_where_they_are_held() -> None:
    """A croupier in the north who audits in the south does not read the north's counts."""
    both = select(Reader("x", {"north": frozenset({Role.PIT}), "south": frozenset({Role.AUDITOR})}))
    rows = [
        Row(1, f"day/{premises}/2026-11-27", 1, topic, EVENTS[topic])
        for premises in ("north", "south")
        for topic in ("day-sealed.v1", "count-recorded.v1")
    ]
    assert [both.gives(row) for row in rows] == [True, False, True, True]
