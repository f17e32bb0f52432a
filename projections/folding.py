"""Events on their way into several projections: each is read once, taken down by all, and let go of.

So it is in the processor's cache for all that is done with it. Read a page at first, and fold it later, and
most of the time is spent waiting for memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from sys import maxsize
from typing import Any

from ledger.events.plain import decode_plain
from ledger.store.port import Row
from projections.projection import Projection
from projections.read_table import Notebook, TakenDown

_Take = Callable[[int, Any], None]


class Folding:
    """A batch of each of several projections.

    Attributes:
        topics: what any of them folds.
    """

    def __init__(self, projections: Sequence[Projection], upto: Sequence[int] = ()) -> None:
        """Begin.

        Args:
            upto: for each projection, the sequence after which it takes nothing more; for ever, if not given.
        """
        self._batches = [projection.batch() for projection in projections]
        takers: defaultdict[str, list[tuple[int, _Take]]] = defaultdict(list)
        for at, projection in enumerate(projections):
            for topic in projection.topics:
                takers[topic].append((upto[at] if upto else maxsize, self._batches[at].take))
        self._takers = dict(takers)
        self._parts = _parts_wanted(projections)
        self.topics = frozenset(takers)

    def take(self, sequence: int, event: Any) -> None:
        """The next event, for those who fold it."""
        for upto, take in self._takers.get(event.TOPIC, ()):
            if sequence <= upto:
                take(sequence, event)

    def read(self, rows: Iterable[Row]) -> None:
        """Read and take the next rows. Those that nobody can want (`Projection`, `only_with`) stay unread.

        Raises: EventUnreadable, UnknownTopic.
        """
        everybody, parts = self._takers, self._parts
        for sequence, stream, version, topic, state in rows:
            if topic not in parts:
                continue
            of_topic = parts[topic]
            if of_topic and not any(part in state for part in of_topic):
                continue
            event = decode_plain(topic, state, stream, version)
            for upto, take in everybody.get(event.TOPIC, ()):
                if sequence <= upto:
                    take(sequence, event)

    def writes(self) -> list[TakenDown]:
        """What each projection writes for what was taken, in their order."""
        written = []
        for batch in self._batches:
            notebook = Notebook()
            batch.write(notebook)
            written.append(notebook.writes)
        return written


def _parts_wanted(projections: Collection[Projection]) -> dict[str, tuple[bytes, ...]]:
    """Each topic that is folded, to the parts of which an event has one at least; none: every event."""
    parts: dict[str, tuple[bytes, ...]] = {}
    for projection in projections:
        only_with: Mapping[str, bytes] = getattr(projection, "only_with", {})
        for topic in projection.topics:
            part = only_with.get(topic)
            others = parts.get(topic)
            parts[topic] = () if part is None or others == () else (*(others or ()), part)
    return parts
