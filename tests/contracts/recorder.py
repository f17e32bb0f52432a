"""The contract of `ledger.store.port.LedgerRecorder`: what every engine that keeps the record promises.

An adapter's test class inherits `RecorderContract` and gives the fixtures that it leaves open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count, islice
from typing import Any

import pytest
from eventsourcing.persistence import IntegrityError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import RecordMoved
from ledger.store.port import LedgerRecorder, NewRow, Row, pages

from .elsewhere import PATIENCE_SECONDS, Helper, elsewhere
from .writers import Opener, Save, append_batches, append_each_time, open_and_append, row

EVERYTHING = 1_000_000
ROUNDS = 25
"""So often two processes race."""

unique = count()
"""Makes names of streams that no other example of a property has used."""

many_examples = settings(
    max_examples=40,
    deadline=None,
    # The examples share one record, each under stream names of its own; and each adapter runs them.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)


def everything(recorder: LedgerRecorder) -> list[Row]:
    return recorder.select_rows(0, EVERYTHING)


def places(rows: Sequence[Row]) -> list[tuple[int, str, int]]:
    return [(stored.sequence, stored.stream, stored.version) for stored in rows]


def starts_together(helpers: Sequence[Helper]) -> None:
    for helper in helpers:
        assert helper.hears() == "ready"
    for helper in helpers:
        helper.says("go")


def race(opener: Opener, one: Sequence[Save], two: Sequence[Save]) -> list[tuple[bool, bool]]:
    """Two processes, each with its saves, at the same moment each time; whose were accepted."""
    accepted = []
    with elsewhere(append_each_time, opener, one) as first, elsewhere(append_each_time, opener, two) as other:
        starts_together([first, other])
        for turn in range(len(one)):
            accepted.append((first.hears(), other.hears()))
            if turn < len(one) - 1:
                first.says("go")
                other.says("go")
    return accepted


class RecorderContract:
    """Promises of every recorder."""

    @pytest.fixture
    def recorder(self, opener: Opener) -> Iterator[LedgerRecorder]:
        """An empty record, and its recorder."""
        raise NotImplementedError

    @pytest.fixture
    def opener(self) -> Opener:
        """Opens the same record, also in another process."""
        raise NotImplementedError

    @pytest.fixture
    def writer(self) -> Callable[..., None]:
        """Work for another process: `writer(line, rows)` writes `rows` in an open transaction.

        It then says so on its line, waits for a word, commits, and says that.
        """
        raise NotImplementedError

    # --- An empty record -------------------------------------------------------------------------------

    def test_an_empty_record_has_nothing_to_say(self, recorder: LedgerRecorder) -> None:
        assert recorder.last_sequence() == 0
        assert recorder.select_rows(0, 10) == []
        assert recorder.select_stream("coup/main/PB1/S-20/1") == []
        assert recorder.select_first(["coup/main/PB1/S-20/1"]) == {}
        assert recorder.last_stream("") is None

    # --- Appending -------------------------------------------------------------------------------------

    def test_the_sequence_counts_events_from_1_in_the_order_of_commits(
        self, recorder: LedgerRecorder
    ) -> None:
        assert recorder.append([row("b", 1), row("a", 1)], {}) == range(1, 3)
        assert recorder.append([row("b", 2)], {}) == range(3, 4)
        assert recorder.append([row("a", 2), row("c", 1), row("a", 3)], {}) == range(4, 7)
        assert places(everything(recorder)) == [
            (1, "b", 1),
            (2, "a", 1),
            (3, "b", 2),
            (4, "a", 2),
            (5, "c", 1),
            (6, "a", 3),
        ]
        assert recorder.last_sequence() == 6

    def test_what_was_appended_is_there_for_whoever_opens_the_record_next(
        self, recorder: LedgerRecorder, opener: Opener
    ) -> None:
        recorder.append([row("a", 1, b"1")], {})
        assert opener().select_stream("a") == [Row(1, "a", 1, "test.v1", b"1")]

    @pytest.mark.parametrize(
        ("rows", "guards", "latest"),
        [
            ([row("a", 1)], {}, {}),
            ([row("b", 1), row("a", 3), row("a", 2)], {}, {}),
            ([row("b", 1), row("c", 1), row("b", 1)], {}, {}),
            ([row("b", 1)], {"a": 1}, {}),
            ([row("b", 1)], {"a": 3}, {}),
            ([row("b", 1)], {"a": 0}, {}),
            ([row("b", 1)], {"never": 1}, {}),
            ([row("b", 1)], {"a": 2, "never": 0, "day/2": 0}, {}),
            ([], {"a": 1}, {}),
            ([row("b", 1)], {}, {"day/": "day/1"}),
            ([row("b", 1)], {}, {"day/": "day/3"}),
            ([row("b", 1)], {}, {"day/": None}),
            ([row("b", 1)], {}, {"never/": "never/1"}),
            ([row("b", 1)], {"a": 2}, {"day/": "day/2", "never/": None, "a": None}),
            ([], {}, {"day/": None}),
        ],
        ids=[
            "version-taken",
            "last-of-three-taken",
            "twice-in-one-save",
            "guard-behind",
            "guard-ahead",
            "guard-expects-no-stream",
            "guard-expects-a-stream",
            "last-of-three-guards",
            "guard-without-rows",
            "latest-behind",
            "latest-ahead",
            "latest-expects-none",
            "latest-expects-one",
            "last-of-three-latest",
            "latest-without-rows",
        ],
    )
    def test_a_save_is_stored_whole_or_not_at_all_and_leaves_no_hole(
        self,
        recorder: LedgerRecorder,
        rows: Sequence[NewRow],
        guards: Mapping[str, int],
        latest: Mapping[str, str | None],
    ) -> None:
        recorder.append([row("a", 1), row("a", 2), row("day/2", 1)], {})
        with pytest.raises(IntegrityError):
            recorder.append(rows, guards, latest)
        assert places(everything(recorder)) == [(1, "a", 1), (2, "a", 2), (3, "day/2", 1)]
        assert recorder.last_sequence() == 3
        assert recorder.append([row("b", 1)], {}) == range(4, 5)
        assert places(everything(recorder))[3:] == [(4, "b", 1)]

    @pytest.mark.parametrize("size", [1, 2, 7, 1_023, 1_024, 1_025, 3_333])
    def test_a_save_of_any_size_is_stored_in_its_order(self, recorder: LedgerRecorder, size: int) -> None:
        """An engine may take many rows a statement, or a few."""
        rows = [row(f"s/{number % 3}", 1 + number // 3, b"%d" % number) for number in range(size)]
        assert recorder.append(rows, {}) == range(1, size + 1)
        found = recorder.select_rows(0, size + 1)
        assert [NewRow(*one[1:]) for one in found] == rows
        assert [one.sequence for one in found] == list(range(1, size + 1))

    @pytest.mark.parametrize("taken", [1, 1_024, 1_025, 2_000])
    def test_a_large_save_is_stored_whole_or_not_at_all(self, recorder: LedgerRecorder, taken: int) -> None:
        recorder.append([row(f"s/{taken}", 1)], {})
        with pytest.raises(IntegrityError):
            recorder.append([row(f"s/{number}", 1) for number in range(1, 2_001)], {})
        assert recorder.last_sequence() == 1

    def test_what_was_read_and_has_not_moved_lets_the_save_through(self, recorder: LedgerRecorder) -> None:
        recorder.append([row("a", 1), row("a", 2), row("day/2", 1)], {})
        assert recorder.append([row("b", 1)], {"a": 2, "never": 0}) == range(4, 5)
        assert recorder.append([row("b", 2)], {}, {"day/": "day/2", "never/": None}) == range(5, 6)
        assert len(recorder.append([], {"a": 2, "b": 2}, {"day/": "day/2"})) == 0
        assert recorder.last_sequence() == 5

    @pytest.mark.parametrize("unmoved", [{"t/PB1/": 1}, {"t/": 2}, {"never/": 0, "t/PB1/2": 1}])
    def test_a_save_that_rests_on_streams_standing_still_is_refused_where_one_moved(
        self, recorder: LedgerRecorder, unmoved: Mapping[str, int]
    ) -> None:
        recorder.append([row("t/PB1/1", 1), row("t/PB1/2", 1), row("t/PB10/1", 1)], {})
        with pytest.raises(RecordMoved):
            recorder.append([row("b", 1)], {}, {}, unmoved)
        assert recorder.last_sequence() == 3

    def test_streams_of_other_names_may_move_and_so_may_the_saves_own(self, recorder: LedgerRecorder) -> None:
        """`t/PB10/1` does not begin with `t/PB1/`."""
        recorder.append([row("t/PB1/1", 1), row("t/PB1/2", 1), row("t/PB10/1", 1)], {})
        unmoved = {"t/PB1/": 2, "t/PB1/1": 1, "never/": 0}
        assert recorder.append([row("t/PB1/1", 2)], {"t/PB1/1": 1}, {}, unmoved) == range(4, 5)
        with pytest.raises(IntegrityError):
            recorder.append([row("b", 1)], {"t/PB1/1": 1}, {}, {"t/PB1/": 4})
        assert recorder.last_sequence() == 4

    def test_what_another_is_about_to_commit_has_moved_too(
        self, recorder: LedgerRecorder, writer: Callable[..., None]
    ) -> None:
        recorder.append([row("coup/1", 1)], {})
        with elsewhere(writer, [row("coup/1", 2)]) as other, ThreadPoolExecutor(1) as threads:
            assert other.hears() == "written"
            save = threads.submit(recorder.append, [row("day", 1)], {}, {}, {"coup/": 1})
            time.sleep(0.2)  # time to come as far as the lock
            other.says("commit")
            assert other.hears() == "committed"
            with pytest.raises(RecordMoved):
                save.result(PATIENCE_SECONDS)
        assert places(everything(recorder)) == [(1, "coup/1", 1), (2, "coup/1", 2)]

    def test_the_latest_stream_is_judged_by_what_was_there_before_the_save(
        self, recorder: LedgerRecorder
    ) -> None:
        """A table opens for its next gaming day: the save itself brings a later stream."""
        assert recorder.append([row("day/1", 1)], {}, {"day/": None}) == range(1, 2)
        assert recorder.append([row("day/2", 1)], {}, {"day/": "day/1"}) == range(2, 3)
        with pytest.raises(IntegrityError):
            recorder.append([row("day/3", 1)], {}, {"day/": "day/1"})
        assert recorder.last_stream("day/") == "day/2"

    @many_examples
    @given(states=st.lists(st.binary(max_size=200), min_size=1, max_size=5))
    def test_bytes_come_back_as_they_went_in(self, recorder: LedgerRecorder, states: list[bytes]) -> None:
        stream = f"bytes/{next(unique)}"
        recorder.append([row(stream, version, state) for version, state in enumerate(states, 1)], {})
        stored = recorder.select_stream(stream)
        assert [found.state for found in stored] == states
        assert all(type(found.state) is bytes for found in stored)

    def test_a_large_event_comes_back_as_it_went_in(self, recorder: LedgerRecorder) -> None:
        state = bytes(range(256)) * 4_000
        recorder.append([row("large", 1, state)], {})
        assert recorder.select_stream("large") == [Row(1, "large", 1, "test.v1", state)]

    # --- Reading one stream ----------------------------------------------------------------------------

    def test_a_stream_is_its_own_events_in_order_of_version(self, recorder: LedgerRecorder) -> None:
        recorder.append([row("t/PB1", 2), row("t/PB10", 1), row("t/PB", 1)], {})
        recorder.append([row("t/PB1", 1), row("T/PB1", 1), row("t/PB1/", 1)], {})
        recorder.append([row("t/PB1", version) for version in range(3, 12)], {})
        stream = recorder.select_stream("t/PB1")
        assert [found.version for found in stream] == list(range(1, 12))
        assert {found.stream for found in stream} == {"t/PB1"}
        assert recorder.select_stream("t/PB%") == []

    def test_first_events_are_found_for_the_streams_that_have_one(self, recorder: LedgerRecorder) -> None:
        recorder.append([row("a", 1, b"first"), row("a", 2), row("b", 2), row("c", 1)], {})
        assert recorder.select_first(["a", "b", "never", "a"]) == {"a": Row(1, "a", 1, "test.v1", b"first")}
        assert recorder.select_first([]) == {}

    def test_first_events_of_very_many_streams_are_found(self, recorder: LedgerRecorder) -> None:
        streams = [f"command/{number}" for number in range(40_000)]
        stored = streams[::100]
        recorder.append([row(stream) for stream in stored], {})
        found = recorder.select_first(streams)
        assert list(found) == stored
        assert [(first.stream, first.sequence) for first in found.values()] == list(
            zip(stored, range(1, 401), strict=True)
        )

    # --- The last stream of a prefix -------------------------------------------------------------------

    NAMES = (
        "table/main/PB1/2026-11-27",
        "table/main/PB1/2026-11-28",
        "table/main/PB1/2025-12-31",
        "table/main/PB1-a/2027-01-01",
        "table/main/PB10/2027-01-02",
        "table/main/pb1/2027-01-03",
        "table/main/P.1/2027-01-04",
        "table/case/Z",
        "table/case/a",
        "table/far/PB1",
        "table/far/PB1é/2027-01-05",
        "table/far/PB1\uffee/2027-01-06",
        "table/far/PB1\U0001f0a1/2027-01-07",
        "table/far/PB10/2027-01-08",
    )

    @pytest.mark.parametrize(
        ("prefix", "last"),
        [
            ("table/main/PB1/", "table/main/PB1/2026-11-28"),
            ("table/main/PB1/2025", "table/main/PB1/2025-12-31"),
            ("table/main/PB1-a/", "table/main/PB1-a/2027-01-01"),
            ("table/main/PB1", "table/main/PB10/2027-01-02"),
            ("table/main/PB1/2026-11-27", "table/main/PB1/2026-11-27"),
            ("table/main/PB1/2026-11-27/", None),
            ("table/main/PB2/", None),
            ("table/main/P_1/", None),
            ("table/main/P%", None),
            ("table/main/pb1/", "table/main/pb1/2027-01-03"),
            ("table/case/", "table/case/a"),
            ("table/far/PB1/", None),
            ("table/far/PB1é", "table/far/PB1é/2027-01-05"),
            ("table/far/PB1", "table/far/PB1\U0001f0a1/2027-01-07"),
            ("", "table/main/pb1/2027-01-03"),
        ],
    )
    def test_the_last_stream_is_the_greatest_by_code_points(
        self, recorder: LedgerRecorder, prefix: str, last: str | None
    ) -> None:
        recorder.append([new for name in self.NAMES for new in (row(name, 1), row(name, 2))], {})
        assert recorder.last_stream(prefix) == last

    @many_examples
    @given(
        names=st.sets(st.text("aB/-_%0é\uffee\U0001f0a1", min_size=1, max_size=4), min_size=1, max_size=8),
        prefix=st.text("aB/-_%0é\uffee\U0001f0a1", max_size=2),
    )
    def test_the_last_stream_is_the_last_that_sorting_finds(
        self, recorder: LedgerRecorder, names: set[str], prefix: str
    ) -> None:
        example = f"{next(unique)}:"
        recorder.append([row(example + name) for name in names], {})
        expected = max((example + name for name in names if name.startswith(prefix)), default=None)
        assert recorder.last_stream(example + prefix) == expected

    # --- Reading the record in order -------------------------------------------------------------------

    @pytest.fixture
    def seven(self, recorder: LedgerRecorder) -> LedgerRecorder:
        """A record of seven events, in turn of topics a, b and c."""
        topics = ["a.v1", "b.v1", "c.v1"]
        recorder.append([row("s", version, topic=topics[(version - 1) % 3]) for version in range(1, 8)], {})
        return recorder

    @pytest.mark.parametrize(
        ("after", "limit", "topics", "expected"),
        [
            (0, 10, (), [1, 2, 3, 4, 5, 6, 7]),
            (0, 3, (), [1, 2, 3]),
            (3, 3, (), [4, 5, 6]),
            (6, 3, (), [7]),
            (7, 3, (), []),
            (99, 3, (), []),
            (0, 10, ("a.v1",), [1, 4, 7]),
            (0, 2, ("a.v1",), [1, 4]),
            (1, 2, ("a.v1",), [4, 7]),
            (0, 10, ("c.v1", "b.v1"), [2, 3, 5, 6]),
            (2, 2, ("c.v1", "b.v1"), [3, 5]),
            (0, 10, ("never.v1",), []),
            (0, 10, ("a",), []),
        ],
    )
    def test_a_page_holds_the_next_events_of_its_topics(
        self, seven: LedgerRecorder, after: int, limit: int, topics: Sequence[str], expected: list[int]
    ) -> None:
        assert [found.sequence for found in seven.select_rows(after, limit, topics)] == expected

    @pytest.mark.parametrize(
        ("window", "expected"),
        [
            ((0, (), 3, 7), [[1, 2, 3], [4, 5, 6], [7]]),
            ((0, (), 7, 7), [[1, 2, 3, 4, 5, 6, 7]]),
            ((2, (), 3, 6), [[3, 4, 5], [6]]),
            ((0, (), 3, 99), [[1, 2, 3], [4, 5, 6], [7]]),
            ((0, ("a.v1",), 2, 6), [[1, 4]]),
            ((0, ("a.v1",), 1, 7), [[1], [4], [7]]),
            ((7, (), 3, 7), []),
            ((0, (), 3, 0), []),
        ],
    )
    def test_pages_cover_the_record_once_and_stop_where_they_are_told(
        self, seven: LedgerRecorder, window: tuple[int, Sequence[str], int, int], expected: list[list[int]]
    ) -> None:
        """A window: after which event, of which topics, how many a page, and up to which event."""
        found = islice(pages(seven, *window), 10)  # a reader that does not advance would never end
        assert [[stored.sequence for stored in page] for page in found] == expected

    # --- Other processes -------------------------------------------------------------------------------

    def test_an_open_transaction_is_seen_by_nobody_and_then_as_one(
        self, recorder: LedgerRecorder, writer: Callable[..., None]
    ) -> None:
        recorder.append([row("a", 1)], {})
        with elsewhere(writer, [row("a", 2), row("b", 1)]) as other:
            assert other.hears() == "written"
            assert places(everything(recorder)) == [(1, "a", 1)]
            assert recorder.last_sequence() == 1
            other.says("commit")
            assert other.hears() == "committed"
        assert places(everything(recorder)) == [(1, "a", 1), (2, "a", 2), (3, "b", 1)]

    def test_a_writer_killed_in_the_middle_leaves_nothing_and_no_hole(
        self, recorder: LedgerRecorder, opener: Opener, writer: Callable[..., None]
    ) -> None:
        """`kill -9`, with more written than any engine would keep in its memory."""
        recorder.append([row("a", 1)], {})
        with elsewhere(writer, [row("a", version, b"x" * 20_000) for version in range(2, 200)]) as other:
            assert other.hears() == "written"
            other.is_killed()
        assert recorder.append([row("a", 2)], {"a": 1}) == range(2, 3)
        assert places(everything(recorder)) == [(1, "a", 1), (2, "a", 2)]
        assert places(everything(opener())) == [(1, "a", 1), (2, "a", 2)]

    def test_guards_are_checked_when_other_writers_have_finished(
        self, recorder: LedgerRecorder, writer: Callable[..., None]
    ) -> None:
        """A guard is judged under the writers' lock: what another is about to commit counts."""
        recorder.append([row("table", 1)], {})
        with elsewhere(writer, [row("table", 2)]) as other, ThreadPoolExecutor(1) as threads:
            assert other.hears() == "written"
            save = threads.submit(recorder.append, [row("coup", 1)], {"table": 1})
            time.sleep(0.2)  # time to come as far as the lock
            other.says("commit")
            assert other.hears() == "committed"
            with pytest.raises(IntegrityError):
                save.result(PATIENCE_SECONDS)
        assert places(everything(recorder)) == [(1, "table", 1), (2, "table", 2)]

    def test_of_two_decisions_that_each_rest_on_the_other_one_stands(
        self, recorder: LedgerRecorder, opener: Opener
    ) -> None:
        left: list[Save] = [(row(f"left/{turn}"), {f"right/{turn}": 0}, {}) for turn in range(ROUNDS)]
        right: list[Save] = [(row(f"right/{turn}"), {f"left/{turn}": 0}, {}) for turn in range(ROUNDS)]
        accepted = race(opener, left, right)
        assert all(sorted(turn) == [False, True] for turn in accepted)
        assert recorder.last_sequence() == ROUNDS

    def test_of_two_that_each_bring_the_first_of_a_name_one_stands(
        self, recorder: LedgerRecorder, opener: Opener
    ) -> None:
        one: list[Save] = [(row(f"{turn:02}/1"), {}, {f"{turn:02}/": None}) for turn in range(ROUNDS)]
        two: list[Save] = [(row(f"{turn:02}/2"), {}, {f"{turn:02}/": None}) for turn in range(ROUNDS)]
        accepted = race(opener, one, two)
        assert all(sorted(turn) == [False, True] for turn in accepted)
        assert recorder.last_sequence() == ROUNDS

    def test_of_two_writers_of_one_version_exactly_one_is_first(
        self, recorder: LedgerRecorder, opener: Opener
    ) -> None:
        one: list[Save] = [(row("coup", version, b"one"), {}, {}) for version in range(1, ROUNDS + 1)]
        two: list[Save] = [(row("coup", version, b"two"), {}, {}) for version in range(1, ROUNDS + 1)]
        accepted = race(opener, one, two)
        assert all(sorted(turn) == [False, True] for turn in accepted)
        assert [(found.sequence, found.version, found.state) for found in everything(recorder)] == [
            (version, version, b"one" if first else b"two") for version, (first, _) in enumerate(accepted, 1)
        ]

    def test_several_processes_may_be_the_first_to_open_a_record(self, opener: Opener) -> None:
        with ExitStack() as stack:
            others = [
                stack.enter_context(elsewhere(open_and_append, opener, name)) for name in ("a", "b", "c")
            ]
            starts_together(others)
            assert sorted(number for other in others for number in other.hears()) == [1, 2, 3]

    def test_a_reader_at_the_tail_of_many_writers_misses_nothing(
        self, recorder: LedgerRecorder, opener: Opener
    ) -> None:
        """Design §7: a reader at N never misses a later commit with a lower number; none comes twice."""
        batches, names = 16, ("coup/1", "coup/2", "coup/3", "coup/4")
        each = sum(1 + batch % 4 for batch in range(batches))
        read: list[Row] = []
        with ExitStack() as stack:
            others = [stack.enter_context(elsewhere(append_batches, opener, name, batches)) for name in names]
            starts_together(others)
            patience = time.monotonic() + PATIENCE_SECONDS
            while len(read) < each * len(names) and time.monotonic() < patience:
                read += recorder.select_rows(read[-1].sequence if read else 0, 7)
            stored: list[Any] = [place for other in others for place in other.hears()]
        assert [found.sequence for found in read] == list(range(1, each * len(names) + 1))
        assert places(read) == sorted(stored)
        assert read == everything(recorder)
        for name in names:
            assert [found.version for found in read if found.stream == name] == list(range(1, each + 1))
