"""A ledger that is lost and restored: from copies of its file, and to points in time of its server.

How a house does it is in `ops/deploy/RUNBOOK.md`, which `ops.deploy.drill` runs. Here is what that does not
ask: after it, every command that was ever given is given again.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

import msgspec

from ledger.answer import Answer
from ledger.store.postgres_schema import upgrade
from ops.wiring import House
from tests.faults import promises
from tests.faults.acks import Ack
from tests.faults.failover import publish
from tests.faults.nights import Line
from tests.faults.outcome import Held, Telling, telling
from tests.faults.servers import PATIENCE_SECONDS, Postgres, folder, server
from tests.projections.houses import evening, house_at
from tests.tabletalk import command

COPY_PAGES = 1_000
"""As the runbook's copy does it."""
ARCHIVE = "test ! -f {0}/%f && cp %p {0}/%f.new && mv {0}/%f.new {0}/%f"
PROMISE = "every command ever given was answered as at first, and none that was restored was run again"


class Moment(NamedTuple):
    """How many commands were answered, how long the record was, where that is kept, what was published."""

    answered: int
    sequence: int
    place: str
    note: str | None


def given(house: House, lines: Sequence[Line]) -> list[Ack]:
    """Give each command, by itself; the answers."""
    return [_said(house.ledger.run(command(line))) for line in lines]


def _said(answer: Answer) -> Ack:
    return msgspec.structs.asdict(answer)


def after_restore(
    db: str, moment: Moment, answers: Sequence[Ack], expected: promises.Expected
) -> Iterator[str]:
    """What is broken of a ledger that was restored to this moment."""
    lines = expected.tapes["live"]
    with house_at(db) as house:
        found = house.ledger.record.last_sequence()
        if found != moment.sequence:
            yield f"restored to {found}, not to {moment.sequence}"
        yield from promises.acknowledged(house, answers[: moment.answered], lines)
        for line, first in zip(lines[moment.answered :], answers[moment.answered :], strict=True):
            now = _said(house.ledger.run(command(line)))
            if now != first:
                yield f"{line['id']} is answered {now} after the restore, and was {first}"
    notes = [{"note": moment.note}] if moment.note else []
    yield from promises.after_a_fault(db, {"live": answers, "seal": notes}, expected)


def copies(
    place: Path, lines: Sequence[Line], rng: random.Random, times: int
) -> tuple[list[Moment], list[Ack]]:
    """Play a night on a file, and copy the file so many times while it is being written to."""
    moments, answers = [], []
    at = sorted(rng.sample(range(1, len(lines) + 1), times))
    path = place / "ledger.db"
    with house_at(path) as house:
        note = None
        for number, line in enumerate(lines, 1):
            answers += given(house, [line])
            if number in at:
                copy = place / f"copy-{number}.db"
                with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
                    source.backup(target, pages=COPY_PAGES)
                moments.append(Moment(number, house.ledger.record.last_sequence(), str(copy), note))
                note = publish(str(path))
    return moments, answers


def on_file(place: Path, times: int, rng: random.Random, told: Telling, lines: Sequence[Line]) -> list[str]:
    """Restore a file from so many copies, and one to what it was."""
    expected = promises.Expected.of({"live": lines})
    moments, answers = copies(place, lines, rng, times)
    broken = []
    for moment in moments:
        broken += [
            f"copy after {moment.answered}: {what}"
            for what in after_restore(moment.place, moment, answers, expected)
        ]
        told.step()
    return broken


def on_server(place: Path, times: int, rng: random.Random, told: Telling, lines: Sequence[Line]) -> list[str]:
    """Lose a server's disk, and restore it from its archive to so many points in time, and to its end."""
    expected = promises.Expected.of({"live": lines})
    archive, base = place / "archive", place / "base"
    archive.mkdir()
    moments, answers = [], []
    wanted = {*rng.sample(range(len(lines) // 4, len(lines)), times - 1), len(lines)}
    with server(place, archive_mode="on", archive_command=ARCHIVE.format(archive)) as one:
        one.own(archive)
        upgrade(one.url)
        note = None
        with house_at(one.url) as house:
            for number, line in enumerate(lines, 1):
                if number == len(lines) // 4:
                    where = f"host=127.0.0.1 port={one.port} user=postgres"
                    one.run("pg_basebackup", "-D", str(base), "-c", "fast", "-X", "none", "-d", where)
                answers += given(house, [line])
                if number in wanted:
                    ((lsn,),) = one.change("SELECT pg_current_wal_insert_lsn()")
                    moments.append(Moment(number, house.ledger.record.last_sequence(), str(lsn), note))
                    if number < len(lines):
                        note = publish(one.url)
        _archived(one, archive)
    broken = []
    for moment in moments:
        found = restored(place, base, archive, moment, answers=answers, expected=expected)
        broken += [f"restored to after {moment.answered}: {what}" for what in found]
        told.step()
    return broken


def _archived(one: Postgres, archive: Path) -> None:
    """Wait until everything is in the archive; then the server is lost, with its disk."""
    ((last,),) = one.change("SELECT pg_walfile_name(pg_switch_wal())")
    until = monotonic() + PATIENCE_SECONDS
    while not (archive / str(last)).exists():
        assert monotonic() < until, "the archive is not filled"
        sleep(0.05)
    one.kill()
    shutil.rmtree(one.data)


def restored(
    place: Path,
    base: Path,
    archive: Path,
    moment: Moment,
    *,
    answers: Sequence[Ack],
    expected: promises.Expected,
) -> list[str]:
    """Restore a server to a moment, as the runbook does, and ask it for every command."""
    again = Postgres(place / f"restored-{moment.answered}")
    shutil.copytree(base, again.data)
    (again.data / "pg_wal" / "archive_status").mkdir(parents=True, exist_ok=True)
    again.set(
        restore_command=f"cp {archive}/%f %p", recovery_target_lsn=moment.place,
        recovery_target_inclusive="off", recovery_target_action="promote", archive_mode="off",
    )  # fmt: skip
    (again.data / "recovery.signal").touch()
    again.own(again.data)
    try:
        again.start()
        until = monotonic() + PATIENCE_SECONDS
        while again.change("SELECT pg_is_in_recovery()") != [(False,)]:
            assert monotonic() < until, again.said()
            sleep(0.05)
        return list(after_restore(again.url, moment, answers, expected))
    finally:
        again.kill()
        with suppress(OSError):
            shutil.rmtree(again.data)


def restore(times: int, seed: int, lines: Sequence[Line] | None = None) -> Held:
    """Restore so many times in all, from copies and to points in time."""
    held, night = Held(promise=PROMISE), lines or evening()
    share = max(1, times // 2)
    with folder() as place, telling("restoring", 2 * share) as told:
        rng = random.Random(seed)
        held.broken += on_file(place, share, rng, told, night)
        held.done["restores from copies of a file"] = share
        held.broken += on_server(place, share, rng, told, night)
        held.done["restores of a server to points in time"] = share
        held.done["commands asked for after each"] = len(night)
    return held
