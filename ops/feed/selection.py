"""What of the record one request is given: its reader's rights, and the types it asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ledger.errors import TopicNotInCatalogue, TopicNotReadable
from ledger.events.catalogue import BY_TOPIC, UPCASTERS
from ledger.store.port import Row
from ops.feed.cloudevents import TYPE_PREFIX
from ops.feed.place import place_of
from ops.feed.roles import Reader

EVERY_TOPIC = frozenset(BY_TOPIC) | frozenset(UPCASTERS)


class Selection(NamedTuple):
    """What is given.

    Attributes:
        topics: of which events are given.
        filtered: these were asked for. If not, whatever else the record holds is withheld.
        reader: who asks.
        everywhere: the topics that he may read wherever it was.
    """

    topics: frozenset[str]
    filtered: bool
    reader: Reader
    everywhere: frozenset[str]

    def to_select(self) -> tuple[str, ...]:
        """The topics to ask the record for; none where it is all of them."""
        return () if self.topics >= EVERY_TOPIC else tuple(sorted(self.topics))

    def gives(self, row: Row) -> bool:
        """Whether this event is given."""
        if row.topic not in self.topics:
            return False
        return row.topic in self.everywhere or self.reader.may_read(row.topic, place_of(row).premises)


def select(reader: Reader, types: Sequence[str] = ()) -> Selection:
    """What a reader is given who asks for these types, or for all of them.

    Args:
        types: topics or CloudEvents types, each also as several with commas between them.

    Raises:
        TopicNotInCatalogue: there is no such type.
        TopicNotReadable: there is, and not for this reader.
    """
    readable = reader.topics()
    wanted = {
        name.strip().removeprefix(TYPE_PREFIX)
        for several in types
        for name in several.split(",")
        if name.strip()
    }
    for topic in sorted(wanted):
        if topic not in EVERY_TOPIC:
            raise TopicNotInCatalogue(topic)
        if topic not in readable:
            raise TopicNotReadable(topic)
    topics = frozenset(wanted) or readable
    return Selection(topics, bool(wanted), reader, reader.reads_everywhere())
