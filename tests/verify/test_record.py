"""The record alone, sealed or not: what cannot be, by the ledger's own rules, has its position named."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import VersionBroken
from ledger.seal.leaf import leaf_hash
from ledger.store.port import Row
from ledger.verify.reading import read
from ledger.verify.streams import StreamCheck
from ledger.verify.walk import Walker
from ops import stretches
from ops.verification import verify
from projections.check import ReadTablesCheck
from projections.pnl.table_pnl import TablePnl
from tests.projections.houses import house_at
from tests.seal.records import PaperRecord
from tests.verify.sealed import change, changed, kept, open_another, verified


def found(db: Path) -> list[tuple[str, Any]]:
    """The codes of what is found, each with the position that it names."""
    return [
        (finding.code, finding.facts().get("sequence", finding.facts().get("expected")))
        for finding in verify(str(db)).findings
    ]


def test_a_record_that_was_never_sealed_is_clean(unsealed: Path) -> None:
    assert found(unsealed) == []


def test_an_empty_ledger_is_clean(tmp_path: Path) -> None:
    with house_at(tmp_path / "ledger.db"):
        pass
    assert found(tmp_path / "ledger.db") == []


Edit = Callable[[sqlite3.Connection], int]
"""Does something to a record; says which event is then the first that cannot be."""


def _first(connection: sqlite3.Connection, where: str, columns: str = "sequence") -> Any:
    row = connection.execute(
        f"SELECT {columns} FROM stored_events WHERE {where} ORDER BY sequence LIMIT 1"
    ).fetchone()
    return row[0] if len(row) == 1 else row


def _restate(connection: sqlite3.Connection, sequence: int, old: str, new: str) -> int:
    """Change an event's own words."""
    changed = connection.execute(
        "UPDATE stored_events SET state = CAST(replace(CAST(state AS TEXT), ?, ?) AS BLOB) "
        "WHERE sequence = ? AND instr(CAST(state AS TEXT), ?)",
        (old, new, sequence, old),
    )
    assert changed.rowcount == 1
    return sequence


def other_stream(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE stored_events SET originator_id = 'coup/main/X/Y/1' WHERE sequence = 700")
    return 700


def other_version(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE stored_events SET originator_version = 77 WHERE sequence = 700")
    return 700


def other_topic(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE stored_events SET topic = 'shoe-ended.v1' WHERE sequence = 700")
    return 700


def unknown_topic(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE stored_events SET topic = 'roulette-spun.v1' WHERE sequence = 700")
    return 700


def text_for_bytes(connection: sqlite3.Connection) -> int:
    connection.execute("UPDATE stored_events SET state = CAST(state AS TEXT) WHERE sequence = 700")
    return 700


def a_field_more(connection: sqlite3.Connection) -> int:
    return _restate(connection, 700, '{"stream"', '{"tip":1,"stream"')


def another_actor(connection: sqlite3.Connection) -> int:
    """In the middle of what one command brought about."""
    sequence = _first(connection, "sequence > 700 AND topic = 'hands-dealt.v1'")
    return _restate(connection, sequence, '"actor":"', '"actor":"x')


def a_version_left_out(connection: sqlite3.Connection) -> int:
    sequence, version = _first(connection, "topic = 'shift-changed.v1'", "sequence, originator_version")
    _restate(connection, sequence, f'"version":{version},', f'"version":{version + 500},')
    connection.execute(
        "UPDATE stored_events SET originator_version = originator_version + 500 WHERE sequence = ?",
        (sequence,),
    )
    return int(sequence)


def versions_in_the_wrong_order(connection: sqlite3.Connection) -> int:
    """Two events of a stream, each whole, in each other's place."""
    stream = _first(connection, "topic = 'shift-changed.v1'", "originator_id")
    (one, *_), (other, *_) = connection.execute(
        "SELECT sequence FROM stored_events WHERE originator_id = ? ORDER BY sequence LIMIT 2", (stream,)
    ).fetchall()
    for before, after in ((one, -1), (other, one), (-1, other)):
        connection.execute("UPDATE stored_events SET sequence = ? WHERE sequence = ?", (after, before))
    return int(one)


def a_command_record_taken_out(connection: sqlite3.Connection) -> int:
    """And all later events moved up, so that the sequence has no hole."""
    gone = int(_first(connection, "sequence > 700 AND topic = 'command-recorded.v1'"))
    connection.execute("DELETE FROM stored_events WHERE sequence = ?", (gone,))
    connection.execute("UPDATE stored_events SET sequence = -sequence WHERE sequence > ?", (gone,))
    connection.execute("UPDATE stored_events SET sequence = -sequence - 1 WHERE sequence < 0")
    return gone


def the_last_command_record_cut_off(connection: sqlite3.Connection) -> int:
    connection.execute("DELETE FROM stored_events WHERE sequence = (SELECT MAX(sequence) FROM stored_events)")
    last, cause = connection.execute(
        "SELECT MAX(sequence), json_extract(state, '$.cause') FROM stored_events"
    ).fetchone()
    return int(_first(connection, f"json_extract(state, '$.cause') = '{cause}' AND sequence <= {last}"))


def a_refused_command_with_events(connection: sqlite3.Connection) -> int:
    sequence = _first(connection, "sequence > 700 AND topic = 'command-recorded.v1'")
    _restate(connection, sequence, '"outcome":"applied"', '"outcome":"refused"')
    cause = _first(connection, f"sequence = {sequence}", "json_extract(state, '$.cause')")
    return int(_first(connection, f"json_extract(state, '$.cause') = '{cause}'"))


def a_command_record_of_another(connection: sqlite3.Connection) -> int:
    sequence, stream = _first(
        connection, "sequence > 700 AND topic = 'command-recorded.v1'", "sequence, originator_id"
    )
    connection.execute(
        "UPDATE stored_events SET originator_id = 'command/nobody' WHERE sequence = ?", (sequence,)
    )
    return _restate(connection, sequence, f'"stream":"{stream}"', '"stream":"command/nobody"')


def _moved(connection: sqlite3.Connection, sequence: int, stream: str) -> int:
    """An event put at the beginning of another stream, by its column and its own words."""
    was, version = _first(connection, f"sequence = {sequence}", "originator_id, originator_version")
    connection.execute(
        "UPDATE stored_events SET originator_id = ?, originator_version = 1 WHERE sequence = ?",
        (stream, sequence),
    )
    _restate(connection, sequence, f'"version":{version},', '"version":1,')
    return _restate(connection, sequence, f'"stream":"{was}"', f'"stream":"{stream}"')


def an_event_on_a_stream_where_none_such_belongs(connection: sqlite3.Connection) -> int:
    return _moved(connection, _first(connection, "topic = 'drop-counted.v1'"), "shoe/main/X/Y")


def a_stream_of_no_kind(connection: sqlite3.Connection) -> int:
    return _moved(connection, _first(connection, "topic = 'drop-counted.v1'"), "wheel/main/X")


def a_bank_settled_that_nobody_holds(connection: sqlite3.Connection) -> int:
    return _moved(connection, _first(connection, "topic = 'bank-settled.v1'"), "table/main/X/2026-01-01")


EDITS: list[tuple[Edit, str]] = [
    (other_stream, "column-differs"),
    (other_version, "column-differs"),
    (other_topic, "event-damaged"),
    (unknown_topic, "event-damaged"),
    (text_for_bytes, "leaf-unreadable"),
    (a_field_more, "event-damaged"),
    (another_actor, "cause-broken"),
    (a_version_left_out, "version-broken"),
    (versions_in_the_wrong_order, "version-broken"),
    (a_command_record_taken_out, "cause-broken"),
    (the_last_command_record_cut_off, "cause-broken"),
    (a_refused_command_with_events, "cause-broken"),
    (a_command_record_of_another, "cause-broken"),
    (an_event_on_a_stream_where_none_such_belongs, "does-not-fold"),
    (a_stream_of_no_kind, "does-not-fold"),
    (a_bank_settled_that_nobody_holds, "does-not-fold"),
]


@pytest.mark.parametrize(("edit", "code"), EDITS)
def test_what_the_ledger_would_never_write_is_found_without_any_seal(
    unsealed: Path, edit: Edit, code: str
) -> None:
    with changed(unsealed) as connection:
        sequence = edit(connection)
    assert (code, sequence) in found(unsealed)


def test_the_first_of_several_is_named(unsealed: Path) -> None:
    """In one page, and whatever the kinds: a hole and a damaged event after it, and before it."""
    with changed(unsealed) as connection:
        connection.execute("UPDATE stored_events SET state = x'00' WHERE sequence IN (705, 720)")
        connection.execute("DELETE FROM stored_events WHERE sequence = 710")
    assert verify(str(unsealed)).first_bad == 705


# --- Memory ------------------------------------------------------------------------------------------------


def rows_of(db: Path) -> list[Row]:
    with house_at(db) as house:
        return house.ledger.record.select_rows(0, 10_000)


class _Streams(PaperRecord):
    def __init__(self, rows: list[Row]) -> None:
        super().__init__(rows)
        self.read_again = 0

    def select_stream(self, stream: str) -> list[Row]:
        self.read_again += 1
        return [row for row in self.rows if row.stream == stream]


def test_streams_that_are_not_held_are_read_again(unsealed: Path) -> None:
    """With room for two streams, a whole evening folds, and no more than two are ever held."""
    paper = _Streams(rows_of(unsealed))
    streams = StreamCheck(paper, held_streams=2)
    for row in paper.rows:
        streams.see(row, read(row))
        assert len(streams._held) <= 2
    assert paper.read_again > 10


def test_commands_and_ended_coups_are_not_held(unsealed: Path) -> None:
    rows = rows_of(unsealed)
    streams = StreamCheck(_Streams(rows))
    most = 0
    for row in rows:
        streams.see(row, read(row))
        most = max(most, len(streams._held))
    assert most < len({row.stream for row in rows}) / 20


def test_a_hole_in_a_stream_that_is_not_held_is_found(unsealed: Path) -> None:
    paper = _Streams(rows_of(unsealed))
    long = next(row for row in paper.rows if row.version == 5)
    paper.rows.remove(next(row for row in paper.rows if row.stream == long.stream and row.version == 3))
    with pytest.raises(VersionBroken) as refusal:
        StreamCheck(paper).see(long, read(long))
    assert refusal.value.expected == 3


# --- In stretches, by several processes -------------------------------------------------------------------


@pytest.mark.parametrize("stretch", [1, 100, 257, 10_000])
def test_stretches_of_any_length_come_to_the_same(unsealed: Path, stretch: int) -> None:
    rows = rows_of(unsealed)[:800]
    stop = next(row.sequence for row in reversed(rows) if row.topic == "command-recorded.v1")
    with house_at(unsealed) as house:
        walker = Walker(house.ledger.record, (), lambda _: None)
        leaves: list[bytes] = []
        for after in range(0, stop, stretch):
            end = min(after + stretch, stop)
            passed = walker.walk(after, end, to_the_end=end == stop)
            assert passed.finding is None
            assert passed.understood == end
            leaves += passed.leaves
    assert leaves == [leaf_hash(row) for row in rows[:stop]]


def test_several_processes_find_the_same(db: Path, evening: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = verified(db, kept(evening, "middle")).as_json()
    monkeypatch.setattr(stretches, "STRETCH_EVENTS", 300)
    monkeypatch.setattr(stretches, "_processors", lambda: 2)
    assert verified(db, kept(evening, "middle")).as_json() == alone
    change(db, "UPDATE stored_events SET state = x'00' WHERE sequence IN (901, 1300, 2000)")
    together = verified(db)
    assert {finding.code for finding in together.findings} == {"event-damaged", "leaf-differs"}
    assert {finding.facts()["sequence"] for finding in together.findings} == {901}


# --- The read tables ---------------------------------------------------------------------------------------


def test_read_tables_that_lag_behind_are_right_so_far(db: Path) -> None:
    with house_at(db) as house:
        house.ledger.run(open_another())
    result = verified(db)
    assert result.findings == []
    assert result.read_tables["table_pnl"] == result.sealed < result.events


def test_read_tables_that_move_on_meanwhile_are_followed(db: Path) -> None:
    """The check begins, the record and the read tables go on, and what they come to is right."""
    change(db, "DELETE FROM table_pnl_coups")
    change(db, "DELETE FROM table_pnl_wagers")
    change(db, "UPDATE projection_positions SET position = 0 WHERE projection = 'table_pnl'")
    with house_at(db) as house, house_at(db.parent / "scratch.db") as scratch:
        check = ReadTablesCheck(house.tables, scratch.tables, TablePnl())
        assert (check.kept, check.position) == (True, 0)
        house.pnl_runner().catch_up()
        assert list(check.finish(house.ledger.record)) == []
        assert check.position == house.ledger.record.last_sequence()


def test_both_rows_are_told_where_a_read_table_differs(db: Path) -> None:
    change(db, "UPDATE table_pnl_coups SET settled = settled + 1 WHERE table_name = 'PB1'")
    (finding,) = verified(db).findings
    facts = finding.facts()
    assert facts["table"] == "table_pnl_coups"
    assert facts["kept"] != facts["rebuilt"]
    assert "'PB1'" in str(facts["rebuilt"])


@pytest.mark.parametrize("position", [-1, 10**9, "'x'", "position - 1"])
def test_a_position_that_no_batch_can_end_at_is_found(db: Path, position: object) -> None:
    change(db, f"UPDATE projection_positions SET position = {position} WHERE projection = 'table_pnl'")
    assert [finding.code for finding in verified(db).findings] == ["position-impossible"]
