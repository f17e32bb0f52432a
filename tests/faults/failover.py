"""A primary that is lost under load, again and again; each time its synchronous standby takes its place."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from time import monotonic, sleep

from ledger.store.postgres_schema import upgrade
from ops.cli.seal import seal_and_sign
from ops.rehearsal.deal import write
from tests.faults import layer, promises
from tests.faults.acks import acks_at
from tests.faults.crash import Dying
from tests.faults.nights import KEY, loaded
from tests.faults.outcome import Held, Telling, telling
from tests.faults.servers import PATIENCE_SECONDS, Postgres, folder
from tests.faults.work import WRITERS
from tests.projections.houses import house_at
from tests.relay.servers import free_ports

STANDBY = "standby"
COUPS_A_FAILOVER = 40
"""Each writer plays so many between two of them."""
PROMISE = (
    "nothing acknowledged was lost, clients went on by themselves, the sequence is gapless, and every "
    "checkpoint that was published before verifies"
)


class Pair:
    """A primary and its synchronous standby. Clients know both, and take whichever may be written."""

    def __init__(self, place: Path) -> None:
        self._place, self._made = place, 0
        self._ports = free_ports(2)
        self.primary = Postgres(self._next(), self._ports[0]).make(
            synchronous_standby_names=STANDBY, wal_keep_size="64MB"
        )
        self.primary.start()
        self.standby = self._standby(self._ports[1])

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{port}" for port in self._ports)
        return f"postgresql://postgres@{hosts}/postgres?target_session_attrs=read-write"

    def _next(self) -> Path:
        self._made += 1
        return self._place / f"server-{self._made}"

    def _standby(self, port: int) -> Postgres:
        """One more copy of the primary, that follows it; answers are given out again once it does."""
        one = Postgres(self._next(), port)
        where = f"host=127.0.0.1 port={self.primary.port} user=postgres application_name={STANDBY}"
        self.primary.run(
            "pg_basebackup", "-D", str(one.data), "-R", "-c", "fast", "-X", "stream", "-d", where
        )
        one.start()
        until = monotonic() + PATIENCE_SECONDS
        asked = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        while self.primary.change(asked) != [(1,)]:
            assert monotonic() < until, f"the standby does not follow:\n{one.said()}"
            sleep(0.05)
        return one

    def fail_over(self) -> None:
        """The primary's machine is gone, with its disk; the standby takes its place, and gets its own."""
        lost = self.primary
        lost.kill()
        shutil.rmtree(lost.data)
        self.standby.run("pg_ctl", "-D", str(self.standby.data), "-w", "promote")
        self.primary = self.standby
        self.standby = self._standby(lost.port)

    def stop(self) -> None:
        """End both."""
        for one in (self.standby, self.primary):
            one.kill()


def publish(db: str) -> str:
    """Seal what is there, and sign it. Returns the note that is published."""
    with house_at(db) as house:
        return str(seal_and_sign(house, [KEY], [KEY.verifier]).note)


def under_load(
    pair: Pair, place: Path, times: int, seed: int, *, told: Telling, coups: int
) -> Held:  # fmt: skip
    """Several writers go on while the primary is lost so many times."""
    held, rng = Held(promise=PROMISE), random.Random(seed)
    upgrade(pair.url)
    tapes = {kind: loaded(seed + at, coups * (times + 1)) for at, kind in enumerate(WRITERS)}
    for kind, lines in tapes.items():
        with (place / f"{kind}.ndjson").open("wb") as file:
            write(lines, file)
    writers = [Dying(kind, pair.url, place, seed, environment=layer.under()) for kind in WRITERS]
    notes, every = [], sum(map(len, tapes.values()))
    for number in range(1, times + 1):
        wait_for(
            place, rng.randrange(every * (2 * number - 1) // (2 * times + 2), every * number // (times + 1))
        )
        pair.fail_over()
        held.done["failovers"] += 1
        held.done["acknowledged when the primary was lost the last time"] = acknowledged(place)
        notes.append(publish(pair.url))
        told.step()
    for writer in writers:
        held.broken += writer.end()
    acks = promises.acks_in(place)
    held.done["commands acknowledged"] = sum(map(len, acks.values()))
    for kind, lines in tapes.items():
        if len(acks[kind]) != len(lines):
            held.broken.append(f"{kind} was answered {len(acks[kind])} times, not {len(lines)}")
    seal = [{"note": note} for note in notes]
    held.broken += promises.after_a_fault(pair.url, {**acks, "seal": seal}, promises.Expected.of(tapes))
    return held


def acknowledged(place: Path) -> int:
    """How many answers the writers have."""
    return sum(len(acks_at(place / f"acks-{kind}")) for kind in WRITERS)


def wait_for(place: Path, answers: int) -> None:
    """Until the writers have so many answers."""
    until = monotonic() + PATIENCE_SECONDS
    while acknowledged(place) < answers:
        assert monotonic() < until, "the writers get no answers"
        sleep(0.02)


def failover(times: int, seed: int, coups: int = COUPS_A_FAILOVER) -> Held:
    """Lose the primary so many times."""
    with folder() as place, telling("failing over", times) as told:
        pair = Pair(place)
        try:
            return under_load(pair, place, times, seed, told=told, coups=coups)
        finally:
            pair.stop()
