"""Each event once and in order, whatever happens to the relay, its position, or NATS."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from nats.js.api import RetentionPolicy, StorageType, StreamConfig

from ledger.errors import (
    ExtraMissing,
    RelayTargetAhead,
    RelayTargetDiffers,
    RelayTargetUnfit,
    RelayUnreachable,
)
from ledger.store.port import Row
from ops.feed.opening import source_in
from ops.relay import relay as relaying
from ops.relay.messages import SUBJECTS, event_message, position_message, subject_of, token
from ops.relay.nats_client import nats
from ops.relay.target import BatchNotStored, Target, Wanted
from ops.wiring import open_house
from tests.cli.shell import ended, run, start
from tests.golden.files import EVENTS
from tests.relay.servers import Server, client_of, cluster, in_stream, server
from tests.relay.working import beside, ledger_at, play, relay_once, while_relaying


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Server]:
    with server(tmp_path / "nats") as one:
        yield one


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("relay") / "ledger.db"
    ledger_at(path, 60)
    return path


@pytest.fixture
def db(small_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(small_file, tmp_path / "ledger.db"))


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a short record takes many of them."""
    monkeypatch.setattr(relaying, "BATCH_EVENTS", 7)


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """For an acknowledgement that will not come, since whoever had to give it is dead."""
    monkeypatch.setattr("ops.relay.target.ACK_SECONDS", 1.0)


def rows_of(path: Path) -> list[Row]:
    with open_house(str(path)) as house:
        return house.ledger.record.select_rows(0, 1_000_000)


def assert_all_once_in_order(path: Path, found: list[dict[str, Any]]) -> None:
    rows = rows_of(path)
    assert [int(event["id"]) for event in found] == [row.sequence for row in rows]
    for event, row in zip(found, rows, strict=True):
        assert event["bytes_"].endswith(b'"data":' + row.state + b"}")


def forget_position(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM relay_positions")


# --- What is put there -----------------------------------------------------------------------------------


def test_every_event_is_there_once_in_order_with_its_stored_bytes(one: Server, db: Path) -> None:
    assert relay_once(db, one) == len(rows_of(db))
    assert_all_once_in_order(db, in_stream(one))


def test_batches_end_early_where_events_are_large(
    one: Server, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relaying, "BATCH_BYTES", 3_000)
    relay_once(db, one)
    assert_all_once_in_order(db, in_stream(one))


def test_a_message_names_its_source_and_sequence(one: Server, db: Path) -> None:
    relay_once(db, one)
    for event in in_stream(one):
        headers = event["headers_"]
        assert headers["Ledger-Source"] == event["source"]
        assert headers["Ledger-Sequence"] == event["id"]
        assert headers["Nats-Msg-Id"] == f"{event['source']}:{event['id']}"
        assert headers["Content-Type"].startswith("application/cloudevents+json")


@pytest.mark.parametrize(
    ("stream", "topic", "subject"),
    [
        ("coup/north/PB1/S1/7", "coup-settled.v1", "ledger.north.PB1.coup-settled.v1"),
        ("day/north/2026-11-27", "day-sealed.v1", "ledger.north._.day-sealed.v1"),
        ("coup/n.o%/P.1/S1/7", "coup-settled.v1", "ledger.n%2Eo%25.P%2E1.coup-settled.v1"),
        ("elsewhere/x", "coup-settled.v1", "ledger._._.coup-settled.v1"),
    ],
)
def test_a_subject_says_where_and_what(stream: str, topic: str, subject: str) -> None:
    assert subject_of(Row(1, stream, 1, topic, EVENTS[topic])) == subject


def test_names_with_dots_stay_apart() -> None:
    assert len({token(name) for name in ("a.b", "a%2Eb", "a", "_a", None)}) == 5


def test_the_position_is_kept_with_the_ledger_and_its_lag_shown(one: Server, db: Path) -> None:
    relay_once(db, one)
    told = run("consumers", "list", "--db", db, "--json").json()
    assert [(relay["target"], relay["lag"]) for relay in told["relays"]] == [("LEDGER", 0)]
    assert "relay_positions" not in run("verify", "--db", db, "--json").out


# --- Nothing lost, nothing doubled -----------------------------------------------------------------------


@pytest.mark.usefixtures("small_batches")
def test_a_second_run_adds_nothing_and_a_third_only_what_is_new(one: Server, db: Path) -> None:
    relay_once(db, one)
    assert relay_once(db, one) == 0
    with open_house(str(db)) as house:
        before = house.ledger.record.last_sequence()
        play(house, 10, seed=2)
        new = house.ledger.record.last_sequence() - before
    assert relay_once(db, one) == new
    assert_all_once_in_order(db, in_stream(one))


def test_a_lost_position_and_a_duplicate_window_that_is_over_double_nothing(one: Server, db: Path) -> None:
    """The window is the shortest there is, and over long before the second run."""
    asyncio.run(make_stream(one, duplicate_window=0.1))
    relay_once(db, one)
    forget_position(db)
    one.stop()
    one.start()
    assert relay_once(db, one) == 0
    assert_all_once_in_order(db, in_stream(one))


@pytest.mark.usefixtures("small_batches")
def test_two_relays_of_one_ledger_double_nothing(one: Server, db: Path) -> None:
    asyncio.run(make_stream(one, duplicate_window=0.1))
    with beside(lambda: relay_once(db, one)), beside(lambda: relay_once(db, one)):
        relay_once(db, one)
    assert_all_once_in_order(db, in_stream(one))


def test_a_batch_that_comes_when_the_position_has_moved_is_refused_whole(one: Server, db: Path) -> None:
    """One that was given up for lost and comes after all, when no duplicate window remembers it."""
    asyncio.run(make_stream(one, duplicate_window=0.1))
    relay_once(db, one)
    rows = rows_of(db)[:3]

    async def comes_late() -> None:
        async with client_of(one) as client:
            target = Target(client, Wanted())
            await asyncio.sleep(0.3)
            late = [*(event_message("/ledger/x", row) for row in rows), position_message(source, rows[-1])]
            with pytest.raises(BatchNotStored):
                await target.publish(late, 0)

    source = in_stream(one)[0]["source"]
    asyncio.run(comes_late())
    assert_all_once_in_order(db, in_stream(one))


@pytest.mark.usefixtures("small_batches")
def test_many_ledgers_share_a_stream(one: Server, tmp_path: Path) -> None:
    paths = [tmp_path / f"{seed}.db" for seed in (1, 2, 3)]
    for seed, path in enumerate(paths, start=1):
        ledger_at(path, 20, seed)
    with beside(lambda: relay_once(paths[0], one)), beside(lambda: relay_once(paths[1], one)):
        relay_once(paths[2], one)
    found = in_stream(one)
    assert len({event["source"] for event in found}) == 3
    for seed, path in enumerate(paths, start=1):
        mine = [event for event in found if event["subject_"].startswith(f"ledger.load-{seed}.")]
        assert_all_once_in_order(path, mine)


def test_a_relay_that_is_killed_again_and_again_comes_to_the_same(one: Server, tmp_path: Path) -> None:
    db = tmp_path / "long.db"
    ledger_at(db, 600)
    asyncio.run(make_stream(one, duplicate_window=0.1))
    asyncio.run(kill_again_and_again(one, db, lives=2))
    assert ended(start("relay", "--db", db, "--nats", one.url, "--once")).code == 0
    assert_all_once_in_order(db, in_stream(one))


async def kill_again_and_again(one: Server, db: Path, lives: int) -> None:
    """Each relay is killed when it has put a random number of messages there, or a batch more."""
    chance = random.Random(7)
    async with client_of(one) as client:

        async def stored() -> int:
            return (await client.jetstream().stream_info("LEDGER")).state.messages

        for _ in range(lives):
            enough = await stored() + chance.randint(1, 1_200)
            process = start("relay", "--db", db, "--nats", one.url)
            while await stored() < enough and process.poll() is None:  # noqa: ASYNC110 – others move it
                await asyncio.sleep(0.002)
            process.kill()
            ended(process)


async def make_stream(one: Server, **changed: Any) -> None:
    """The stream before the relay comes, not as the relay would make it."""
    settings: dict[str, Any] = {
        "name": "LEDGER",
        "subjects": list(SUBJECTS),
        "storage": StorageType.FILE,
        "allow_atomic": True,
    }
    async with client_of(one) as client:
        await client.jetstream().add_stream(StreamConfig(**{**settings, **changed}))


@pytest.mark.usefixtures("small_batches", "short_waits")
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_a_nats_that_is_restarted_in_the_middle_loses_and_doubles_nothing(
    one: Server, db: Path, by: int
) -> None:
    async def restarts() -> None:
        await asyncio.to_thread(play_more, db, 20)
        await asyncio.to_thread(one.stop, by)
        await asyncio.to_thread(play_more, db, 21)
        await asyncio.to_thread(one.start)
        await until_all_there(db, one)

    asyncio.run(while_relaying(db, [one], restarts))
    assert_all_once_in_order(db, in_stream(one))


def play_more(db: Path, coups: int) -> None:
    with open_house(str(db)) as house:
        play(house, coups, seed=1_000 + coups, a_save=5)


async def until_all_there(db: Path, *servers: Server) -> None:
    """Until the stream says that it has the last event of the record."""
    end = rows_of(db)[-1].sequence
    for _ in range(150):
        try:
            async with client_of(*servers) as client:
                last = await client.jetstream().get_last_msg("LEDGER", "ledger-relay.*")
                if json.loads(last.data or b"")["sequence"] >= end:
                    return
        except Exception:  # noqa: BLE001 – a cluster that chooses a leader answers nobody
            pass
        await asyncio.sleep(0.2)
    raise AssertionError("it never came to be there")


@pytest.mark.usefixtures("small_batches")
def test_a_nats_that_is_stopped_and_says_nothing_is_waited_for(
    one: Server, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer comes after the relay has given up waiting for it: the batch is there, and not twice."""
    monkeypatch.setattr("ops.relay.target.ACK_SECONDS", 0.3)
    asyncio.run(make_stream(one, duplicate_window=0.1))

    async def stalls() -> None:
        assert one.process is not None
        for coups in (3, 4, 5):
            one.process.send_signal(signal.SIGSTOP)
            await asyncio.to_thread(play_more, db, coups)
            await asyncio.sleep(0.8)
            one.process.send_signal(signal.SIGCONT)
            await asyncio.sleep(0.1)
        await until_all_there(db, one)

    asyncio.run(while_relaying(db, [one], stalls))
    assert_all_once_in_order(db, in_stream(one))


@pytest.mark.usefixtures("small_batches")
def test_what_nats_had_acknowledged_and_lost_is_sent_again(one: Server, db: Path, tmp_path: Path) -> None:
    """A server that loses its power goes back to what it had written: here, to a copy made earlier."""
    relay_once(db, one)
    one.stop()
    shutil.copytree(one.folder, tmp_path / "earlier")
    one.start()
    play_more(db, 9)
    assert relay_once(db, one) > 0
    one.stop()
    shutil.rmtree(one.folder)
    shutil.move(tmp_path / "earlier", one.folder)
    one.start()
    play_more(db, 8)
    relay_once(db, one)
    assert_all_once_in_order(db, in_stream(one))


def test_a_stream_that_is_gone_is_filled_again(one: Server, db: Path) -> None:
    relay_once(db, one)
    one.stop()
    shutil.rmtree(one.folder)
    one.start()
    relay_once(db, one)
    assert_all_once_in_order(db, in_stream(one))


@pytest.mark.usefixtures("small_batches")
def test_a_stream_that_has_let_go_of_old_messages_is_gone_on_with(one: Server, db: Path) -> None:
    """Even of the position: then what is kept with the ledger says where."""
    relay_once(db, one)
    asyncio.run(purge(one))
    play_more(db, 5)
    before = len(rows_of(db))
    new = relay_once(db, one)
    assert [int(event["id"]) for event in in_stream(one)] == list(range(before - new + 1, before + 1))
    assert 0 < new < before


async def purge(one: Server) -> None:
    async with client_of(one) as client:
        await client.jetstream().purge_stream("LEDGER")


@pytest.mark.usefixtures("small_batches", "short_waits")
def test_a_cluster_that_loses_its_leader_in_a_burst_loses_and_doubles_nothing(
    tmp_path: Path, db: Path
) -> None:
    with cluster(tmp_path / "cluster") as servers:

        async def burst() -> None:
            leader = servers[int((await leader_of(*servers)).removeprefix("n"))]
            playing = asyncio.create_task(asyncio.to_thread(play_more, db, 150))
            await asyncio.sleep(0.3)
            await asyncio.to_thread(leader.stop, signal.SIGKILL)
            await playing
            await until_all_there(db, *(one for one in servers if one is not leader))
            await asyncio.to_thread(leader.start)

        asyncio.run(while_relaying(db, servers, burst, replicas=3))
        assert_all_once_in_order(db, in_stream(*servers))


async def leader_of(*servers: Server) -> str:
    for _ in range(600):
        try:
            async with client_of(*servers) as client:
                info = await client.jetstream().stream_info("LEDGER")
                if info.cluster and info.cluster.leader and info.config.num_replicas == 3:
                    return str(info.cluster.leader)
        except Exception:  # noqa: BLE001 – there is none yet
            pass
        await asyncio.sleep(0.05)
    raise AssertionError("no leader")


# --- What is told and not papered over -------------------------------------------------------------------


def test_a_record_that_was_restored_to_an_earlier_state_is_told(
    one: Server, db: Path, tmp_path: Path
) -> None:
    with open_house(str(db)) as house:  # the id of the ledger is in the copy too
        source_in(house.tables)
    earlier = Path(shutil.copy(db, tmp_path / "earlier.db"))
    play_more(db, 7)
    relay_once(db, one)
    with pytest.raises(RelayTargetAhead):
        relay_once(earlier, one)
    assert run("relay", "--db", earlier, "--nats", one.url, "--once").code == 1
    with open_house(str(earlier)) as house:
        play(house, 30, seed=77)
    with pytest.raises(RelayTargetDiffers):
        relay_once(earlier, one)
    done = run("relay", "--db", earlier, "--nats", one.url, "--once")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[-1].startswith("baccarat-ledger: event ")
    assert_all_once_in_order(db, in_stream(one))


@pytest.mark.parametrize(
    "changed",
    [
        {"allow_atomic": False},
        {"storage": StorageType.MEMORY},
        {"retention": RetentionPolicy.WORK_QUEUE},
        {"max_msgs_per_subject": 1},
        {"subjects": ["ledger.>"]},
        {"no_ack": True, "allow_atomic": False},
    ],
)
def test_a_stream_that_would_lose_or_double_is_refused(
    one: Server, db: Path, changed: dict[str, Any]
) -> None:
    asyncio.run(make_stream(one, **changed))
    with pytest.raises(RelayTargetUnfit):
        relay_once(db, one)
    done = run("relay", "--db", db, "--nats", one.url, "--once")
    assert (done.code, done.out) == (1, "")
    assert "stream LEDGER cannot be relayed to" in done.err


def test_what_is_used_wrongly_is_another_exit_than_a_stream_to_look_at(one: Server, tmp_path: Path) -> None:
    assert run("relay", "--db", tmp_path / "none.db", "--nats", one.url, "--once").code == 2


def test_a_nats_that_is_away_is_waited_for_and_given_up_in_time(one: Server, db: Path) -> None:
    one.stop()
    with pytest.raises(RelayUnreachable):
        relay_once(db, one, give_up=0.5)
    done = run("relay", "--db", db, "--nats", one.url, "--once", "--give-up", "0")
    assert done.code == 2
    assert "relay-unreachable" not in done.out
    assert one.url in done.err


def test_passwords_in_addresses_are_not_said(one: Server, db: Path) -> None:
    one.stop()
    url = one.url.replace("//", "//relay:secret@")
    done = run("relay", "--db", db, "--nats", url, "--once", "--give-up", "0")
    assert done.code == 2
    assert "secret" not in done.out + done.err


def test_without_the_library_it_says_what_brings_it(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nats", None)
    monkeypatch.delitem(sys.modules, "nats.js")
    with pytest.raises(ExtraMissing):
        nats()
    done = run("relay", "--db", db, "--nats", "nats://127.0.0.1:1")
    assert done.code == 2
    assert "baccarat-ledger[relay]" in done.err
