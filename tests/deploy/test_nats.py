"""NATS as the compose file starts it: one real server, with its files and its users."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import nats
import pytest
from nats.aio.client import Client

from tests.deploy.files import DEPLOY, compose
from tests.relay.servers import PROGRAM, free_ports

SERVICE = compose()["services"]["nats"]


@pytest.fixture
def one(tmp_path: Path) -> Iterator[str]:
    """The address of a server with the files that the compose file gives it, side by side as there."""
    config = PurePosixPath(SERVICE["command"][1])
    given = [volume.split(":") for volume in SERVICE["volumes"] if volume.startswith("./")]
    targets = {Path(target).name: DEPLOY / source for source, target, _ in given}
    targets["nats-users.conf"] = DEPLOY / "nats/nats-users.conf"
    for name, source in targets.items():
        (tmp_path / name).write_bytes(source.read_bytes())
    port, monitor = free_ports(2)
    here = {
        "NATS_HOST": "127.0.0.1",
        "NATS_PORT": str(port),
        "NATS_MONITOR": f"127.0.0.1:{monitor}",
        "NATS_STORE": str(tmp_path / "store"),
    }
    running = subprocess.Popen(
        [PROGRAM, "--config", tmp_path / config.name],
        env=SERVICE["environment"] | here,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    said = []
    for line in running.stderr:
        said.append(line)
        if "Server is ready" in line:
            break
    else:
        pytest.fail("".join(said))
    yield f"nats://127.0.0.1:{port}"
    running.kill()
    running.communicate()


async def silent(_error: Exception) -> None:
    """A permission that is not there is told here, and not to who asked."""


async def as_user(one: str, user: str, password: str) -> Client:
    return await nats.connect(one, user=user, password=password, error_cb=silent)


def test_a_consumer_reads_and_acknowledges_and_does_nothing_else(one: str) -> None:
    """What may not be acknowledged is lost without a word, and after a thousand nothing more comes."""

    async def goes() -> tuple[int, int]:
        relay = await as_user(one, "relay", "PASSWORD")
        await relay.jetstream().add_stream(name="LEDGER", subjects=["ledger.>"])
        for number in range(3):
            await relay.jetstream().publish(f"ledger.north.PB1.{number}", b"{}")
        accounts = await as_user(one, "accounts", "READING")
        pulled = await accounts.jetstream().pull_subscribe("", durable="accounts", stream="LEDGER")
        for message in await pulled.fetch(3, timeout=30):
            await message.ack_sync(timeout=30)
        for subject in ("ledger.north.PB1.4", "$JS.API.STREAM.DELETE.LEDGER", "$JS.API.STREAM.PURGE.LEDGER"):
            await accounts.publish(subject, b"")
        await accounts.flush()
        floor = (await pulled.consumer_info()).ack_floor
        held = (await relay.jetstream().stream_info("LEDGER")).state.messages
        await accounts.close()
        await relay.close()
        return (floor.stream_seq if floor else 0), held

    assert asyncio.run(goes()) == (3, 3)


def test_it_is_one_server_without_a_cluster(one: str) -> None:
    """The relay of the compose file asks for one replica, and the stream is there with no other server."""

    async def replicas() -> int | None:
        client = await as_user(one, "relay", "PASSWORD")
        made = await client.jetstream().add_stream(name="LEDGER", subjects=["ledger.>"])
        await client.close()
        return made.config.num_replicas if made.cluster is None else None

    words = compose()["services"]["relay"]["command"]
    assert asyncio.run(replicas()) == int(words[words.index("--replicas") + 1]) == 1
