"""Pages of the feed: however they are cut, and whatever is recorded meanwhile, nothing is passed over."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.store.port import NewRow, Row
from ledger.terms.access import Role
from ops.feed import page
from ops.feed.page import Kind, Page, read_page
from ops.feed.resume import BEGINNING
from ops.feed.roles import EVERYWHERE, Reader
from ops.feed.selection import Selection, select
from ops.wiring import House
from tests.golden.files import EVENTS
from tests.projections.houses import house_in_memory

SEEN, HIDDEN = "shoe-ended.v1", "wagers-closed.v1"
"""What the cage may read, and what it may not."""
CAGE = Reader("carl", {EVERYWHERE: frozenset({Role.CAGE})})
NORTH = Reader("nora", {"north": frozenset({Role.AUDITOR})})


def add(house: House, *kinds: tuple[str, str]) -> None:
    """An event of each (topic, premises), each on a stream of its own."""
    start = house.ledger.record.last_sequence()
    house.ledger.record.append(
        [
            NewRow(f"table/{premises}/T{start + number}/D", 1, topic, EVENTS[topic])
            for number, (topic, premises) in enumerate(kinds)
        ],
        {},
    )


def told(pages: Sequence[Page]) -> tuple[list[int], list[int]]:
    """The sequences of the events, and those that markers speak for."""
    events: list[int] = []
    hidden: list[int] = []
    for message in (message for one in pages for message in one.messages):
        if message.kind is Kind.EVENT:
            events.append(message.resume.sequence)
        else:
            first = int(message.body.partition(b'"firstsequence":"')[2][:19])
            hidden += range(first, message.resume.sequence + 1)
    return events, hidden


def read_all(house: House, selection: Selection, limit: int) -> list[Page]:
    pages: list[Page] = []
    after = BEGINNING
    while not pages or not pages[-1].is_last:
        pages.append(read_page(house.ledger.record, "/ledger/x", selection, after, limit))
        after = pages[-1].reached
    return pages


@settings(max_examples=60, deadline=None)
@given(
    kinds=st.lists(
        st.tuples(st.sampled_from([SEEN, HIDDEN]), st.sampled_from(["north", "south"])), max_size=30
    ),
    limit=st.integers(1, 7),
)
def test_events_and_markers_together_are_the_whole_record(kinds: list[tuple[str, str]], limit: int) -> None:
    with house_in_memory() as house:
        if kinds:
            add(house, *kinds)
        everything = list(range(1, len(kinds) + 1))
        for reader, readable in (
            (CAGE, [sequence for sequence, (topic, _) in enumerate(kinds, 1) if topic == SEEN]),
            (NORTH, [sequence for sequence, (_, premises) in enumerate(kinds, 1) if premises == "north"]),
        ):
            events, hidden = told(read_all(house, select(reader), limit))
            assert events == readable
            assert sorted(events + hidden) == everything
        asked = select(NORTH, [SEEN])
        events, _ = told(pages := read_all(house, asked, limit))
        assert events == [sequence for sequence, kind in enumerate(kinds, 1) if kind == (SEEN, "north")]
        assert pages[-1].reached.sequence == len(kinds)


def test_a_page_ends_early_where_events_are_large_and_the_next_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page, "PAGE_BYTES", 1)
    with house_in_memory() as house:
        add(house, *[(SEEN, "north")] * 5)
        pages = read_all(house, select(CAGE), 500)
        assert [len(one.messages) for one in pages] == [1] * 5
        assert told(pages)[0] == [1, 2, 3, 4, 5]


class Growing:
    """A record that somebody adds to whenever it has been read."""

    def __init__(self, house: House) -> None:
        self._house, self._record = house, house.ledger.record

    def last_sequence(self) -> int:
        end = self._record.last_sequence()
        add(self._house, (SEEN, "north"), (HIDDEN, "north"))
        return end

    def select_rows(self, after: int, limit: int, topics: Sequence[str] = ()) -> list[Row]:
        rows = self._record.select_rows(after, limit, topics)
        add(self._house, (SEEN, "north"), (HIDDEN, "north"))
        return rows

    def select_stream(self, stream: str) -> list[Row]:
        return self._record.select_stream(stream)


@pytest.mark.parametrize("types", [[], [SEEN]])
def test_what_is_recorded_while_a_page_is_read_comes_in_a_later_one(types: list[str]) -> None:
    with house_in_memory() as house:
        growing, asked = Growing(house), select(CAGE, types)
        add(house, (HIDDEN, "north"), (SEEN, "north"))
        pages: list[Page] = []
        for _ in range(12):
            after = pages[-1].reached if pages else BEGINNING
            pages.append(read_page(growing, "/ledger/x", asked, after, 3))
        reached = pages[-1].reached.sequence
        rows = house.ledger.record.select_rows(0, reached, (SEEN,))
        assert told(pages)[0] == [row.sequence for row in rows if row.sequence <= reached]
        assert reached > 12
