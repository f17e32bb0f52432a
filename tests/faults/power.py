"""The power of a ledger's disk fails: a night is played once and written down, and then cut off anywhere."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ledger.store.postgres_schema import upgrade
from tests.faults import layer, promises
from tests.faults.acks import Ack, read_acks
from tests.faults.crash import Dying
from tests.faults.nights import Line, lay_out
from tests.faults.outcome import Held, telling
from tests.faults.power_cut import SYNC_BEGINS, SYNC_ENDS, Recording
from tests.faults.servers import Postgres, folder
from tests.faults.work import WRITING

COUPS = 40
FOLLOWING = ("project",)
SEEN = ("live", "import", "seal")
"""Works whose acknowledgements must hold after the cut."""
PROMISE = "whatever was acknowledged or published before it is there after it, none half, and all goes on"


class Played(NamedTuple):
    """A night as its disk was asked for it."""

    recording: Recording
    expected: promises.Expected
    server: bool

    def without_syncs(self) -> Played:
        """The same on a disk that says that it has saved what it has not."""
        asked = self.recording.changes
        kept = [change for change in asked if change.op not in (SYNC_BEGINS, SYNC_ENDS)]
        recording = Recording(self.recording.root, self.recording.base, self.recording.inodes, kept)
        return self._replace(recording=recording)

    def moments(self, rng: random.Random, count: int) -> list[int]:
        """When to cut: anywhere, and half of the time just after something was acknowledged."""
        changes = self.recording.changes
        told: dict[str, list[int]] = {}
        for at, change in enumerate(changes, 1):
            if change.path.startswith("acks-"):
                told.setdefault(change.path, []).append(at)
        found = []
        for number in range(count):
            moments = rng.choice([told[path] for path in sorted(told)])
            # after the last of each kind nothing else happens that would save it too
            after = moments[-1] if number % 8 == 1 else rng.choice(moments)
            found.append(
                min(len(changes), after + rng.randrange(3)) if number % 2 else rng.randint(1, len(changes))
            )
        return found


def play(
    place: Path, seed: int, *, server: bool, coups: int = COUPS, live: Sequence[Line] | None = None
) -> Played:
    """Play a night with everything at once in `place`, and write down what was asked of the disk."""
    root, journal = place / "disk", place / "journal"
    root.mkdir(mode=0o755)
    tapes = lay_out(root, seed, coups, live)
    journal.touch()
    journal.chmod(0o666)
    db, postgres = str(root / "ledger.db"), None
    if server:
        postgres = Postgres(root / "data").make()
        db = postgres.url
        postgres.start()
        upgrade(db)
        postgres.stop()
    recording = Recording.begin(root, place / "base")
    under = layer.under(root, journal)
    broken: list[str] = []
    try:
        if postgres is not None:
            postgres.start(under)
        following = [Dying(kind, db, root, seed, environment=under) for kind in FOLLOWING]
        for one in [Dying(kind, db, root, seed, environment=under) for kind in WRITING]:
            broken += one.end()
        (root / "finish").touch()
        for one in following:
            broken += one.end()
        # The night is over: nothing that comes after saves the last word of the seal as well.
        broken += Dying("seal", db, root, seed + 1, environment=under).end()
    finally:
        if postgres is not None:
            postgres.kill()
    assert not broken, broken
    recording.read(journal)
    return Played(recording, promises.Expected.of(tapes), server)


def cut(played: Played, upto: int, rng: random.Random, into: Path) -> list[str]:
    """Cut the power after so many changes, and bring the ledger up again. Returns what is broken."""
    recording = played.recording
    recording.cut(upto, rng, into)
    acks: dict[str, list[Ack]] = {
        kind: list(read_acks(recording.seen(f"acks-{kind}", upto))) for kind in SEEN
    }
    try:
        if not played.server:
            return promises.after_a_fault(str(into / "ledger.db"), acks, played.expected)
        return _on_server(into / "data", acks, played.expected)
    finally:
        shutil.rmtree(into, ignore_errors=True)


def _on_server(data: Path, acks: dict[str, list[Ack]], expected: promises.Expected) -> list[str]:
    (data / "postmaster.pid").unlink(missing_ok=True)  # of a machine that is no more
    server = Postgres(data).set(fsync="off")
    server.own(data)
    try:
        server.start()
        return promises.after_a_fault(server.url, acks, expected)
    except AssertionError as error:
        return [f"the server does not come up: {error}"]
    finally:
        server.kill()


def power(times: int, seed: int) -> Held:
    """Cut the power so many times, on both stores."""
    held = Held(promise=PROMISE)
    with telling("cutting", times) as told:
        for server, name in ((False, "SQLite"), (True, "PostgreSQL")):
            share = times // 2
            with folder() as place:
                played = play(place, seed, server=server)
                rng = random.Random(f"{seed}/{name}")
                for number, upto in enumerate(played.moments(rng, share)):
                    broken = cut(played, upto, rng, place / f"cut-{number}")
                    held.done[f"power cuts on {name}"] += 1
                    held.broken += [f"{name}, cut {number} at change {upto}: {what}" for what in broken]
                    told.step()
                held.done[f"changes asked of the disk of {name}"] = len(played.recording.changes)
    return held
