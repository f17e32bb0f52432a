"""A disk that fails now and then, is full, or may not be written to; and a clock that is wrong."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from ledger.store.postgres_schema import upgrade
from tests.cli.shell import Done, ended, start
from tests.faults import layer, promises
from tests.faults.crash import Dying
from tests.faults.nights import Line, lay_out
from tests.faults.outcome import Held, Telling, telling
from tests.faults.servers import Postgres, folder
from tests.faults.work import WRITING
from tests.projections.houses import evening
from tests.tabletalk import NOON, command, open_ledger

ERRORS = {"input/output errors": errno.EIO, "full disks": errno.ENOSPC, "read-only file systems": errno.EROFS}
FOLLOWING = ("project", "seal")
COUPS = 40
DISK_BYTES = 24 * 1024 * 1024
SKEWS_SECONDS = (-7 * 86_400, -3_600, -1, 0, 1, 3_600, 7 * 86_400)
LOOK_SECONDS = 0.5
STUCK_SECONDS = 20
"""A recovery of so little takes a second or two."""
PROMISE = (
    "whoever asked meanwhile was told clearly, everything acknowledged was kept, none was half, and all went "
    "on by itself when the disk or the clock was right again"
)


@contextmanager
def failing(
    control: layer.Control, rng: random.Random, times: int, told: Telling, held: Held
) -> Iterator[None]:
    """In the block, changes fail so many times: for one change, or for as many as there are in a while."""
    over = Event()

    def work() -> None:
        failed = 0
        while failed < times and not over.wait(rng.uniform(0, 0.5)):
            what = rng.choice([*ERRORS])
            control.fail(rng.randint(1, 30), ERRORS[what], rng.choice((1, 3, 200)))
            over.wait(rng.uniform(0.1, 0.5))
            if control.has_failed():
                failed += 1
                held.done[what] += 1
                told.step()
            control.mend()

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        control.mend()
        over.set()
        thread.join()


@contextmanager
def watched(server: Postgres | None, environment: dict[str, str]) -> Iterator[None]:
    """A server that is started again where it gave up, or has not answered for long, as its keeper does.

    PostgreSQL 18 may wait for ever for its own workers when the disk fails at the end of a recovery.
    """
    over = Event()

    def work(server: Postgres) -> None:
        answered = monotonic()
        while not over.wait(LOOK_SECONDS):
            if server.answers():
                answered = monotonic()
            elif not server.is_running() or monotonic() > answered + STUCK_SECONDS:
                server.kill()
                server.start(environment, wait=False)
                answered = monotonic()

    thread = Thread(target=work, args=(server,)) if server is not None else None
    if thread is not None:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if thread is not None:
            thread.join()


def intermittent(
    place: Path, seed: int, times: int, told: Telling, held: Held, *,
    server: bool, coups: int = COUPS, live: Sequence[Line] | None = None,
) -> None:  # fmt: skip
    """A night on a disk on which things fail at random."""
    root = place / "disk"
    root.mkdir(mode=0o755)
    tapes = lay_out(root, seed, coups, live)
    control = layer.Control(place / "control")
    under = layer.under(root, control=place / "control")
    db, postgres = str(root / "ledger.db"), None
    if server:
        postgres = Postgres(root / "data").make()
        db = postgres.url
        postgres.start(under)
        upgrade(db)
    try:
        with watched(postgres, under):
            with failing(control, random.Random(seed), times, told, held):
                following = [Dying(kind, db, root, seed, environment=under) for kind in FOLLOWING]
                writing = [Dying(kind, db, root, seed, environment=under) for kind in WRITING]
                for one in writing:
                    held.broken += one.end()
            (root / "finish").touch()
            for one in following:
                held.broken += one.end()
        held.done["clear errors told to whoever asked"] += sum(one.away for one in (*writing, *following))
        held.broken += promises.after_a_fault(db, promises.acks_in(root), promises.Expected.of(tapes))
    finally:
        if postgres is not None:
            postgres.kill()


def may_mount() -> bool:
    """Whether a file system of any size can be had."""
    return os.geteuid() == 0


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A file system of its own, that is soon full."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)], check=True)
    try:
        place.chmod(0o755)
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def filled(disk: Path) -> Path:
    """A file that leaves nothing free."""
    ballast = disk / "ballast"
    file = os.open(ballast, os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(file, bytes(4_096))
    except OSError as error:
        assert error.errno == errno.ENOSPC  # noqa: PT017 - the disk is full, as it should be
    finally:
        os.close(file)
    return ballast


def full_and_read_only(place: Path, told: Telling) -> Iterator[str]:
    """The command line on a file system that is full, then read only, then right again."""
    lines = evening()[:120]
    halves = [lines[:60], lines[60:]]
    with small_disk(place) as disk:
        db = disk / "ledger.db"
        for half, trouble in zip(halves, (full, read_only), strict=True):
            asked("init", "--db", db)
            with trouble(disk):
                done = asked("import", "-", "--db", db, said=tape(half))
                if done.code != 2 or "Traceback" in done.err or not done.err.strip():
                    yield f"{trouble.__name__}: exit {done.code}: {done.err[-300:]}"
                told.step()
            done = asked("import", "-", "--db", db, said=tape(half))
            if done.code == 2:
                yield f"after {trouble.__name__}: exit {done.code}: {done.err[-300:]}"
        yield from promises.after_a_fault(str(db), {}, promises.Expected.of({"live": lines}))


def asked(*arguments: str | Path, said: bytes = b"") -> Done:
    """The command line, in a process of its own."""
    return ended(start(*arguments, said=subprocess.PIPE), said)


def tape(lines: Sequence[Line]) -> bytes:
    """Lines as they are sent."""
    return "\n".join(map(json.dumps, lines)).encode()


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Nothing more goes on it."""
    ballast = filled(disk)
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    """It may be read alone."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


def wrong_clock(db: str, lines: Sequence[Line], rng: random.Random) -> Iterator[str]:
    """A night while the ledger's clock jumps a week forward, an hour back, and so on.

    Where it stands before what a table says, the command is from the future: told, not recorded, and taken
    when the clock is right again.
    """
    skew = timedelta()
    behind: list[Line] = []

    def clock() -> datetime:
        return NOON + skew

    ledger = open_ledger(db, clock)
    acks = []
    for line in lines:
        skew = timedelta(seconds=rng.choice(SKEWS_SECONDS))
        answer = ledger.run(command(line))
        if answer.outcome == "rejected" and answer.code == "from-the-future":
            behind.append(line)
            skew = timedelta()
            answer = ledger.run(command(line))
        if answer.outcome == "rejected":
            yield f"{line['id']} was rejected under a clock that is right: {answer.code}"
        acks.append({name: getattr(answer, name) for name in answer.__struct_fields__})
    ledger.close()
    if not behind:
        yield "no command came from the future of a clock that was a week behind"
    yield from promises.after_a_fault(db, {"live": acks}, promises.Expected.of({"live": lines}))


def disk(times: int, seed: int) -> Held:
    """So many failures on each store; a file system that is full, then read only; a wrong clock."""
    held = Held(promise=PROMISE)
    with telling("failing", 2 * times + 2 * may_mount()) as told:
        for server in (False, True):
            with folder() as place:
                intermittent(place, seed, times, told, held, server=server)
        with folder() as place:
            if may_mount():
                held.broken += full_and_read_only(place / "small", told)
                held.done["file systems that were full, then read only"] += 1
            held.broken += wrong_clock(str(place / "clock.db"), evening(), random.Random(seed))
            held.done["commands under a clock that jumps"] += len(evening())
    return held
