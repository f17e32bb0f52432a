"""Runs the checks of `ledger.verify` and `projections.check` over a whole ledger, in one pass.

A large record is checked in stretches by several processes at once; the tree, the rebuild of the read tables
and the order of the findings stay with this one. Memory does not grow with the record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ledger.errors import NoCheckpoint
from ledger.seal.check import SealCheck
from ledger.seal.checkpoint import Checkpoint, check_origin
from ledger.seal.identity import LEDGER
from ledger.seal.keys import VerifierKey
from ledger.seal.tables import create_tables
from ledger.verify.reading import check_beginning
from ledger.verify.sealed import (
    KeptCheckpoint,
    check_checkpoints,
    exists,
    guarded,
    origin,
    seal_tables,
)
from ops.engines import is_server, storage_faults
from ops.feed.consumers import CONSUMERS
from ops.findings import Verified
from ops.memory import few_collections
from ops.relay.position import RELAYED
from ops.service.tables import ACCESS_TABLES
from ops.stretches import Done, Work, alone, tasks_of, workers
from ops.verify_results import VERIFY_RESULTS
from ops.wiring import House, open_house
from projections.catalogue import EVERY
from projections.check import ReadTablesCheck, check_positions
from projections.runner import REBUILT

Progress = Callable[[int, int], None]


def verify(
    db: str,
    keys: Sequence[VerifierKey] = (),
    kept: Checkpoint | None = None,
    progress: Callable[[], Progress] | None = None,
) -> Verified:
    """Check everything.

    Args:
        db: the ledger.
        keys: that may sign its checkpoints; without any, signatures are not checked.
        kept: a checkpoint from elsewhere, its signature checked already.
        progress: called once the processes run; gives what is told (events done, events).

    Raises:
        NotALedger: there is nothing to check.
        OriginDiffers: the kept checkpoint is of another ledger.
    """
    with workers(db) as several, TemporaryDirectory() as folder, open_house(db) as house, few_collections():
        empty = str(Path(folder) / "empty.db")
        with open_house(empty, create=True) as scratch:
            create_everything(scratch)
            verification = _Verification(house, scratch, keys, kept)
            work = several or alone(db, house.ledger.record)
            verification.follow(work, progress() if progress else None)
            verification.finish(work, db, empty)
    return verification.verified


STANDING = (CONSUMERS, RELAYED, VERIFY_RESULTS, *ACCESS_TABLES)
"""Tables of what an installation keeps beside the record and cannot be made from it: how far consumers have
come, and keys. That they are as they should be nobody can prove; that they are there is no finding."""


def create_everything(scratch: House) -> None:
    """Every table that a ledger may have, empty."""
    create_tables(scratch.tables)
    with scratch.tables.transaction() as statements:
        for table in (LEDGER, *STANDING):
            statements.execute(table)
    scratch.runner().create_tables()


class _Verification:
    """One run: what is being compared, and what has been found."""

    def __init__(
        self, house: House, scratch: House, keys: Sequence[VerifierKey], kept: Checkpoint | None
    ) -> None:
        self.house = house
        self.keys = keys
        self.verified = Verified(keys=[key.label for key in keys])
        self.tiles, self.origin = self._begin_seal()
        if kept is not None and self.origin is not None:
            check_origin(kept, self.origin)
        self.kept = KeptCheckpoint(kept) if kept is not None else None
        self.read_tables = self._begin_read_tables(scratch)
        self.events = house.ledger.record.last_sequence()  # after the seal, which is never ahead of it
        self.verified.events = self.events
        self._placed = 0
        """Up to here every event has a leaf hash, in its place."""

    def _begin_seal(self) -> tuple[SealCheck | None, str | None]:
        """The check of the tiles, and the origin of this ledger's checkpoints, where there are any."""
        tables = self.house.tables
        tiles = None
        with self.verified.collecting("the seal"):
            if seal_tables(tables):
                tiles = SealCheck(tables)
                self.verified.sealed = tiles.sealed
                return tiles, origin(tables)
            if self.keys:
                raise NoCheckpoint
        return tiles, None

    def _begin_read_tables(self, scratch: House) -> dict[str, ReadTablesCheck]:
        checks = {}
        for projection in EVERY:
            with self.verified.collecting(projection.name):
                checks[projection.name] = ReadTablesCheck(self.house.tables, scratch.tables, projection)
        return checks

    def follow(self, work: Work, progress: Progress | None) -> None:
        """The pass over the record."""
        with self.verified.collecting("the record"):
            check_beginning(self.house.ledger.record)
        upto = tuple(
            self.read_tables[projection.name].position if projection.name in self.read_tables else 0
            for projection in EVERY
        )
        sealed = self.tiles.sealed if self.tiles is not None else 0
        for done in work.check(tasks_of(self.events, upto, sealed)):
            self._take(done)
            if progress is not None:
                progress(done.stretch.stop, self.events)

    def _take(self, done: Done) -> None:
        stretch = done.stretch
        if self.verified.understood == stretch.after:
            self.verified.find(stretch.finding)
            self.verified.understood = stretch.understood
            for projection, writes in zip(EVERY, done.writes, strict=True):
                if projection.name in self.read_tables:
                    self.read_tables[projection.name].write(writes)
        if self._placed == stretch.after:
            self._placed += len(stretch.leaves)
            if self.kept is not None:
                self.kept.feed_leaves(stretch.leaves)
            if self.tiles is not None and not self.tiles.failed:
                with self.verified.collecting("seal_tiles"):
                    self.tiles.feed_leaves(stretch.leaves)

    def finish(self, work: Work, db: str, empty: str) -> None:
        """Compare what the pass came to, and look where it did not."""
        self._finish_seal()
        self._finish_read_tables()
        self.verified.find_all(storage_faults(db, empty, REBUILT))
        self.verified.find_all(work.damaged_pages())
        if is_server(db):
            self.verified.note("the server's files were not checked: pg_amcheck --heapallindexed does that")

    def _finish_seal(self) -> None:
        verified = self.verified
        if self._placed == self.events:
            if self.tiles is not None and not self.tiles.failed:
                with verified.collecting("seal_tiles"):
                    self.tiles.finish()
            if self.kept is not None:
                with verified.collecting("the kept checkpoint"):
                    self.kept.finish()
        if self.origin is not None:
            verified.signed = check_checkpoints(self.house.tables, self.origin, self.keys, verified.sealed)
            verified.find(verified.signed.finding)

    def _finish_read_tables(self) -> None:
        verified, tables = self.verified, self.house.tables
        if exists(tables, "projection_positions"):
            names = [projection.name for projection in EVERY]
            verified.find_all(guarded("projection_positions", check_positions(tables, names)))
        for name, check in self.read_tables.items():
            if verified.understood < self.events:
                verified.note(f"{name} was not compared: the record cannot be followed to its end")
            else:
                verified.find_all(guarded(name, check.finish(self.house.ledger.record)))
                verified.read_tables[name] = check.position if check.kept else None
