"""Whatever is changed in the file of a sealed ledger behind its back is found, and where."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.seal.note import sign_note
from ledger.verify.sealed import guarded
from ops.findings import Verified
from ops.verification import verify
from projections.catalogue import EVERY
from projections.check import ReadTablesCheck
from tests.projections.houses import house_at
from tests.verify.sealed import (
    KEY,
    OTHER_KEY,
    Column,
    change,
    changed,
    codes,
    every_column,
    flip,
    kept,
    names_a_place,
    open_another,
    sign,
    verified,
)

COLUMNS = every_column()
OF_PROJECTION = {table.name: projection for projection in EVERY for table in projection.tables}
"""Tables whose columns are put to the comparison alone: a pass over the record for each takes minutes."""
EVERYTHING = ("originator_id", "originator_version", "topic", "state")
TEXTS = {column.table: column for column in COLUMNS if column.type == "TEXT"}


def found_in(db: Path, table: str, rebuilt: Path) -> Verified:
    """What `verify` finds where something was done to this table; `rebuilt` has those that are right."""
    projection = OF_PROJECTION.get(table)
    if projection is None:
        return verified(db)
    found = Verified()
    with house_at(db) as house, house_at(rebuilt) as scratch:
        check = ReadTablesCheck(house.tables, scratch.tables, projection)
        found.find_all(guarded(projection.name, check.finish(house.ledger.record)))
    return found


def test_a_ledger_that_nobody_touched_is_clean(db: Path, evening: Path) -> None:
    for name in ("middle", "last"):
        found = verified(db, kept(evening, name))
        assert found.findings == []
        assert found.sealed == found.events > 2_000
        assert found.signed
        assert (found.signed.checkpoints, found.signed.size) == (2, found.events)


def test_to_verify_changes_no_byte_of_the_file(db: Path) -> None:
    before = db.read_bytes()
    verified(db)
    assert db.read_bytes() == before


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: f"{column.table}.{column.name}")
def test_a_bit_flipped_in_any_column_of_any_table_is_found(db: Path, rebuilt: Path, column: Column) -> None:
    rowid = flip(db, column, 0)
    found = found_in(db, column.table, rebuilt)
    assert found.findings
    assert all(map(names_a_place, found.findings))
    if column.table == "stored_events":
        assert found.first_bad == rowid


@pytest.mark.parametrize("table", sorted(TEXTS), ids=str)
def test_text_that_is_no_text_any_more_is_found(db: Path, rebuilt: Path, table: str) -> None:
    """The highest bit of a letter: no UTF-8, so the store cannot even give the row."""
    rowid = flip(db, TEXTS[table], 7)
    found = found_in(db, table, rebuilt)
    assert found.findings
    assert all(map(names_a_place, found.findings))
    if table == "stored_events":
        assert found.first_bad == rowid


@pytest.mark.parametrize("table", sorted({column.table for column in COLUMNS}))
def test_a_row_deleted_from_any_table_is_found(db: Path, table: str) -> None:
    change(db, f"DELETE FROM {table} WHERE rowid = (SELECT MAX(rowid) FROM {table})")
    found = verified(db)
    assert found.findings
    assert all(map(names_a_place, found.findings))


@pytest.mark.parametrize("sequence", [1, 2, 777, 2_000])
def test_an_event_deleted_is_named(db: Path, sequence: int) -> None:
    change(db, "DELETE FROM stored_events WHERE sequence = ?", (sequence,))
    assert verified(db).first_bad == sequence


def test_an_event_deleted_and_the_rest_moved_up_is_named(db: Path) -> None:
    with changed(db) as connection:
        connection.execute("DELETE FROM stored_events WHERE sequence = 500")
        connection.execute("UPDATE stored_events SET sequence = -sequence WHERE sequence > 500")
        connection.execute("UPDATE stored_events SET sequence = -sequence - 1 WHERE sequence < 0")
    assert verified(db).first_bad == 500


@pytest.mark.parametrize("columns", [("state",), ("topic", "state"), EVERYTHING])
def test_two_events_swapped_are_found_at_the_first(db: Path, columns: tuple[str, ...]) -> None:
    with changed(db) as connection:
        rows = {
            sequence: connection.execute(
                f"SELECT {', '.join(EVERYTHING)} FROM stored_events WHERE sequence = ?", (sequence,)
            ).fetchone()
            for sequence in (900, 1_200)
        }
        connection.execute("DELETE FROM stored_events WHERE sequence IN (900, 1200)")
        for sequence, other in ((900, 1_200), (1_200, 900)):
            own, others = (dict(zip(EVERYTHING, rows[n], strict=True)) for n in (sequence, other))
            row = own | {name: others[name] for name in columns}
            connection.execute("INSERT INTO stored_events VALUES (?, ?, ?, ?, ?)", (sequence, *row.values()))
    assert verified(db).first_bad == 900


@pytest.mark.parametrize("sequence", [0, -1, -(2**62)])
def test_an_event_put_before_the_first_is_found(db: Path, sequence: int) -> None:
    _append(db, str(sequence))
    assert "record-gap" in codes(db)


def test_an_event_appended_without_its_command_is_named(db: Path) -> None:
    _append(db, "(SELECT MAX(sequence) + 1 FROM stored_events)")
    found = verified(db)
    assert [finding.code for finding in found.findings] == ["cause-broken"]
    assert found.first_bad == found.events


def test_an_event_appended_after_a_hole_is_named(db: Path) -> None:
    _append(db, "(SELECT MAX(sequence) + 7 FROM stored_events)")
    found = verified(db)
    assert found.first_bad == found.events - 6


def _append(db: Path, sequence: str) -> None:
    """A drop counted that nobody counted, on a table of the evening: a valid event in every field."""
    with changed(db) as connection:
        stream, version, topic, state = connection.execute(
            "SELECT originator_id, (SELECT MAX(originator_version) + 1 FROM stored_events later "
            "WHERE later.originator_id = dropped.originator_id), topic, CAST(state AS TEXT) "
            "FROM stored_events dropped WHERE topic = 'drop-counted.v1' LIMIT 1"
        ).fetchone()
        before = state.split('"version":')[1].split(",")[0]
        state = state.replace(f'"version":{before},', f'"version":{version},')
        connection.execute(
            f"INSERT INTO stored_events VALUES ({sequence}, ?, ?, ?, ?)",
            (stream, version, topic, state.encode()),
        )


@pytest.mark.parametrize("events", [1, 5, 900])
def test_a_tail_cut_off_is_found_by_the_seal(db: Path, events: int) -> None:
    change(db, "DELETE FROM stored_events WHERE sequence > (SELECT size - ? FROM seal_size)", (events,))
    assert "tree-shrunk" in codes(db)


def test_a_tail_cut_off_with_the_seal_redone_to_fit_is_found_by_a_kept_checkpoint(
    db: Path, evening: Path
) -> None:
    """Somebody cuts the record to the middle checkpoint, and seal, checkpoints and read tables with it."""
    middle = kept(evening, "middle")
    with changed(db) as connection:
        connection.execute("DELETE FROM stored_events WHERE sequence > ?", (middle.size,))
        _forget_the_seal(connection)
    with house_at(db) as house:
        house.runner().catch_up()
        sign(house)
    assert verified(db, middle).findings == []
    assert codes(db, kept(evening, "last")) == ["tree-shrunk"]


def test_a_record_forged_with_the_seal_redone_by_the_key_is_found_by_a_kept_checkpoint(
    db: Path, evening: Path
) -> None:
    with changed(db) as connection:
        # A patron token changed throughout: events, commands and sums stay in order.
        connection.execute(
            "UPDATE stored_events SET state = CAST(replace(state, ?, ?) AS BLOB)", _a_patron(connection)
        )
        _forget_the_seal(connection)
    with house_at(db) as house:
        house.runner().catch_up()
        sign(house)
    assert verified(db).findings == []
    assert codes(db, kept(evening, "last")) == ["root-differs"]
    assert codes(db, kept(evening, "middle")) == ["root-differs"]


def _a_patron(connection: sqlite3.Connection) -> tuple[str, str]:
    state = connection.execute(
        "SELECT CAST(state AS TEXT) FROM stored_events WHERE topic = 'wagers-placed.v1' LIMIT 1"
    ).fetchone()[0]
    patron = state.split('"patron":"')[1].split('"')[0]
    return f'"patron":"{patron}"', '"patron":"p-somebody-else"'


def _forget_the_seal(connection: sqlite3.Connection) -> None:
    read_tables = (table.name for projection in EVERY for table in projection.tables)
    for table in ("seal_tiles", "seal_checkpoints", *read_tables):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("UPDATE seal_size SET size = 0")
    connection.execute("UPDATE projection_positions SET position = 0")


def test_a_seal_thrown_away_is_found_where_a_key_is_named(db: Path) -> None:
    with changed(db) as connection:
        for table in ("seal_tiles", "seal_size", "seal_checkpoints", "seal_ledger"):
            connection.execute(f"DROP TABLE {table}")
    assert codes(db) == ["no-checkpoint"]


@pytest.mark.parametrize("table", ["seal_tiles", "seal_size", "seal_checkpoints", "seal_ledger"])
def test_a_table_of_the_seal_thrown_away_is_named(db: Path, table: str) -> None:
    change(db, f"DROP TABLE {table}")
    assert table in str(verified(db).findings[0])


def test_that_somebody_asked_who_the_ledger_is_makes_no_seal(db: Path) -> None:
    """The feed names it; a ledger that was served and never sealed is in order."""
    with changed(db) as connection:
        for table in ("seal_tiles", "seal_size", "seal_checkpoints"):
            connection.execute(f"DROP TABLE {table}")
    assert codes(db) == ["no-checkpoint"]  # which a key is named for; and nothing else
    assert list(verify(str(db), ()).findings) == []


def test_a_checkpoint_signed_by_another_key_is_found(db: Path) -> None:
    """Of the same name, so that only the key tells."""
    with changed(db) as connection:
        ((size, note),) = connection.execute(
            "SELECT size, note FROM seal_checkpoints ORDER BY size DESC LIMIT 1"
        )
        text = note.rpartition("\n\n")[0] + "\n"
        connection.execute(
            "UPDATE seal_checkpoints SET note = ? WHERE size = ?", (str(sign_note(text, OTHER_KEY)), size)
        )
    (finding,) = verified(db).findings
    assert finding.facts()["why"] == "key-not-pinned"


def test_a_seal_cut_short_is_found_until_it_is_sealed_again(db: Path) -> None:
    """Sealed and not signed: the command was killed between the two, or a checkpoint was taken away."""
    change(db, "DELETE FROM seal_checkpoints WHERE size = (SELECT size FROM seal_size)")
    assert codes(db) == ["not-signed"]
    with house_at(db) as house:
        sign(house, KEY)
    assert codes(db) == []


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("INSERT INTO seal_size VALUES (2, 7)", "the size"),
        ("INSERT INTO seal_ledger VALUES (2, 'PB-other')", "the ledger's id"),
        ("INSERT INTO seal_tiles VALUES (3, 0, x'00')", "the table of tiles"),
        ("INSERT INTO projection_positions VALUES ('nobody', 1, 7)", "nobody"),
        ("CREATE TABLE notes (text TEXT)", "notes"),
        ("CREATE VIEW better AS SELECT * FROM table_pnl_coups", "better"),
        ("CREATE TRIGGER quietly AFTER INSERT ON stored_events BEGIN SELECT 1; END", "quietly"),
        ("DROP TRIGGER stored_events_no_update", "stored_events_no_update"),
        ("DROP TRIGGER stored_events_no_delete", "stored_events_no_delete"),
    ],
)
def test_what_the_ledger_did_not_make_is_found(db: Path, sql: str, place: str) -> None:
    with closing(sqlite3.connect(db)) as connection:
        connection.execute(sql)
        connection.commit()
    assert place in " ".join(map(str, verified(db).findings))


def test_an_index_that_says_other_than_its_table_is_found(db: Path) -> None:
    """Bytes of the file itself: a stream is found by its index, which the order of the record never asks."""
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("VACUUM")
        page_bytes = connection.execute("PRAGMA page_size").fetchone()[0]
        root = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_stored_events_1'"
        ).fetchone()[0]
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    raw = bytearray(db.read_bytes())
    at = raw.index(b"/main/", (root - 1) * page_bytes)
    raw[at + 1] ^= 1
    db.write_bytes(raw)
    assert "the database file" in " ".join(map(str, verified(db).findings))


def test_a_valid_event_with_its_own_command_after_the_last_checkpoint_is_what_nobody_can_find(
    db: Path,
) -> None:
    """The honest limit: the application writes no other. The next checkpoint signs it as it is."""
    with house_at(db) as house:
        house.ledger.run(open_another())
    found = verified(db)
    assert found.findings == []
    assert found.events > found.sealed
