"""`migrate-store`: the same sequence, bytes, seal and root on the other engine, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import NotALedger, RecordGap, RootDiffers
from ledger.seal.leaf import leaf_hashes
from ledger.seal.tree import root_of
from ledger.store.port import Row
from ops import engines, migration
from ops.feed.consumers import Consumers
from ops.migration import SEAL, migrate
from ops.relay.position import Positions, Relayed
from ops.verification import verify
from ops.wiring import open_house
from projections.pnl.views import PnlFilter
from tests import postgres
from tests.projections.houses import house_at, read
from tests.tabletalk import NOON, Live
from tests.verify.sealed import KEY, sign

COUPS = 12


@pytest.fixture
def sealed(tmp_path: Path) -> str:
    """A ledger in a file: sealed twice, and three events that are not sealed yet."""
    path = tmp_path / "ledger.db"
    with house_at(path) as house:
        table = Live(house.ledger)
        for number in range(1, COUPS):
            table.coup(number, "P 9 K / B 7 Q", "player 100, banker 200, tie 50")
            if number == COUPS // 2:
                sign(house)
        sign(house)
        table.coup(COUPS, "P 9 K / B 7 Q", "player 100")
        house.runner().catch_up()
    return str(path)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything takes several pages, the tables of the seal too."""
    monkeypatch.setattr(migration, "PAGE_EVENTS", 7)
    monkeypatch.setattr(migration, "SEAL", tuple(table._replace(page_rows=1) for table in SEAL))


def record_of(db: str) -> list[Row]:
    with open_house(db) as house:
        return house.ledger.record.select_rows(0, 100_000)


def seal_of(db: str) -> list[list[tuple[object, ...]]]:
    with open_house(db) as house, house.tables.snapshot() as statements:
        return [
            statements.execute(f"SELECT * FROM {table.name} ORDER BY {', '.join(table.key)}")
            for table in SEAL
        ]


def figures_of(db: str) -> object:
    with open_house(db) as house:
        house.runner().catch_up()
        return read(house, PnlFilter())


def test_there_and_back_everything_is_the_same(
    sealed: str, postgres_schema: str, tmp_path: Path, small_pages: None
) -> None:
    """Byte for byte; and the other engine's ledger verifies, goes on, and comes to the same figures."""
    back = str(tmp_path / "back.db")
    rows = record_of(sealed)
    told: list[tuple[int, int]] = []
    there = migrate(sealed, postgres_schema, lambda done, goal: told.append((done, goal)))
    assert there == migrate(postgres_schema, back)
    assert there.events == len(rows) > there.sealed > 0
    assert there.root == root_of(leaf_hashes(rows))
    assert told == sorted(told)
    assert told[-1] == (2 * len(rows), 2 * len(rows))
    for db in (postgres_schema, back):
        assert record_of(db) == rows
        assert seal_of(db) == seal_of(sealed)
        found = verify(db, (KEY.verifier,))
        assert (found.findings, found.sealed, found.signed and found.signed.checkpoints) == (
            [],
            there.sealed,
            2,
        )
        assert figures_of(db) == figures_of(sealed)
        with open_house(db) as house:
            sign(house)
        assert verify(db, (KEY.verifier,)).findings == []


def test_consumers_and_relays_go_on_from_where_they_were(
    sealed: str, postgres_schema: str, tmp_path: Path
) -> None:
    """The sequence is the same, so a position is: nobody is told an event a second time."""
    with open_house(sealed) as house:
        consumers = Consumers(house.tables, house.ledger.record, lambda: NOON)
        consumers.move("cage-system", "cage-1", 0, 17)
        Positions(house.tables).put(Relayed("LEDGER", "2026-11-27T12:00:00Z", 11))
    back = str(tmp_path / "back.db")
    migrate(sealed, postgres_schema)
    migrate(postgres_schema, back)
    for db in (postgres_schema, back):
        with open_house(db) as house:
            (consumer,) = Consumers(house.tables, house.ledger.record, lambda: NOON).every()
            assert (consumer.name, consumer.owner, consumer.position) == ("cage-system", "cage-1", 17)
            (relayed,) = Positions(house.tables).every()
            assert (relayed.target, relayed.position) == ("LEDGER", 11)


def test_a_ledger_without_a_seal_has_none_afterwards(tmp_path: Path, postgres_schema: str) -> None:
    with house_at(tmp_path / "ledger.db") as house:
        Live(house.ledger).coup(1, "P 9 K / B 7 Q", "player 100")
    assert migrate(str(tmp_path / "ledger.db"), postgres_schema).sealed == 0
    assert verify(postgres_schema).findings == []
    assert verify(postgres_schema).signed is None


# --- Where something is already ------------------------------------------------------------------------


def test_a_file_that_is_there_is_refused(sealed: str, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.touch()
    for target in (sealed, str(other)):
        with pytest.raises(NotALedger):
            migrate(sealed, target)
    assert other.read_bytes() == b""


@pytest.mark.parametrize("has", ["an event", "a seal"])
def test_a_schema_with_anything_in_it_is_refused(sealed: str, postgres_url: str, has: str) -> None:
    with open_house(postgres_url) as house:
        if has == "an event":
            Live(house.ledger)
        else:
            sign(house)
    before = record_of(postgres_url)
    with pytest.raises(NotALedger):
        migrate(sealed, postgres_url)
    assert record_of(postgres_url) == before


# --- All of it or nothing --------------------------------------------------------------------------------


class PowerCutError(Exception):
    """Something fails on the way."""


def cut_at(share: float) -> Callable[[int, int], None]:
    def progress(done: int, goal: int) -> None:
        if done >= share * goal:
            raise PowerCutError

    return progress


@pytest.mark.parametrize("share", [0.2, 0.5, 1.0], ids=["copying", "copied", "compared"])
@pytest.mark.parametrize("engine", ["file", "server"])
@pytest.mark.usefixtures("small_pages")
def test_what_fails_on_the_way_leaves_nothing_and_may_be_tried_again(
    sealed: str, postgres_schema: str, tmp_path: Path, share: float, engine: str
) -> None:
    target = postgres_schema if engine == "server" else str(tmp_path / "new.db")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(PowerCutError):
        migrate(sealed, target, cut_at(share))
    if engine == "server":
        assert record_of(target) == []
        assert not any(row[0] for row in seal_of(target) if row)
    else:
        assert sorted(tmp_path.iterdir()) == before
    assert migrate(sealed, target).events == len(record_of(sealed))


def test_what_an_earlier_try_left_when_it_was_killed_is_in_nobodys_way(sealed: str, tmp_path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        (tmp_path / f"new.db{migration.PART}{suffix}").write_bytes(b"half")
    assert migrate(sealed, str(tmp_path / "new.db")).events == len(record_of(sealed))
    assert not list(tmp_path.glob(f"*{migration.PART}*"))


def test_bytes_that_arrive_otherwise_are_found(
    sealed: str, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written is read again: here a trigger of somebody's has changed it on its way."""
    postgres.change(
        postgres_url,
        "CREATE FUNCTION tamper() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN "
        "IF NEW.sequence = 9 THEN NEW.state := 'x'; END IF; RETURN NEW; END $$",
    )
    postgres.change(
        postgres_url,
        "CREATE TRIGGER tamper BEFORE INSERT ON stored_events FOR EACH ROW EXECUTE FUNCTION tamper()",
    )
    with pytest.raises(RootDiffers):
        migrate(sealed, postgres_url)
    assert record_of(postgres_url) == []


def test_a_seal_of_another_record_is_found(sealed: str, postgres_schema: str) -> None:
    with open_house(sealed) as house, house.tables.transaction() as statements:
        other = "CAST(? || substr(hashes, 33) AS BLOB)"
        statements.execute(f"UPDATE seal_tiles SET hashes = {other} WHERE level = 0", (b"\0" * 32,))
    with pytest.raises(RootDiffers):
        migrate(sealed, postgres_schema)
    assert engines.exists(postgres_schema)
    assert record_of(postgres_schema) == []


def test_a_record_with_a_hole_is_not_copied(sealed: str, postgres_schema: str) -> None:
    with open_house(sealed) as house, house.tables.transaction() as statements:
        statements.execute("DROP TRIGGER stored_events_no_delete")
        statements.execute("DELETE FROM stored_events WHERE sequence = 3")
    with pytest.raises(RecordGap):
        migrate(sealed, postgres_schema)
    assert record_of(postgres_schema) == []
