"""Real NATS servers on free ports of this machine, with JetStream in a folder of their own."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import nats
from nats.aio.client import Client
from nats.js.api import AckPolicy, ConsumerConfig

PROGRAM = Path(sys.executable).parent / "nats-server"
PATIENCE_SECONDS = 30


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Server:
    """One server. It keeps its port and folder over a restart."""

    def __init__(self, folder: Path, port: int, *options: str) -> None:
        self.folder, self.port, self.options = folder, port, options
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def start(self) -> None:
        arguments = ["-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", str(self.folder), *self.options]
        self.process = subprocess.Popen(
            [str(PROGRAM), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = monotonic() + PATIENCE_SECONDS
        while not self._answers():
            assert monotonic() < until, "the server does not start"
            assert self.process.poll() is None, "the server has ended"
            sleep(0.02)

    def _answers(self) -> bool:
        with closing(socket.socket()) as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self, by: int = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(by)
            self.process.wait(PATIENCE_SECONDS)
            self.process = None


@contextmanager
def server(folder: Path) -> Iterator[Server]:
    """One server, running."""
    (port,) = free_ports(1)
    one = Server(folder, port)
    one.start()
    try:
        yield one
    finally:
        one.stop(signal.SIGKILL)


@contextmanager
def cluster(folder: Path, size: int = 3) -> Iterator[list[Server]]:
    """So many servers that know each other."""
    ports = free_ports(2 * size)
    clients, routes = ports[:size], ports[size:]
    known = ",".join(f"nats://127.0.0.1:{port}" for port in routes)
    servers = [
        Server(
            folder / f"n{number}", clients[number], "--server_name", f"n{number}", "--cluster_name", "floor",
            "--cluster", f"nats://127.0.0.1:{routes[number]}", "--routes", known,
        )
        for number in range(size)
    ]  # fmt: skip
    try:
        for one in servers:
            one.start()
        yield servers
    finally:
        for one in servers:
            one.stop(signal.SIGKILL)


@asynccontextmanager
async def client_of(*servers: Server) -> AsyncIterator[Client]:
    client = await nats.connect([one.url for one in servers], connect_timeout=2, error_cb=_silent)
    try:
        yield client
    finally:
        await client.close()


async def _silent(_error: Exception) -> None:
    """What goes wrong here goes wrong on purpose."""


async def everything(client: Client, stream: str = "LEDGER") -> list[dict[str, Any]]:
    """Every event in the stream, in its order: CloudEvents, with `subject_` and `headers_` of the message."""
    streams = client.jetstream()
    config = ConsumerConfig(ack_policy=AckPolicy.NONE, filter_subjects=["ledger.>"])
    pulled = await streams.pull_subscribe("", stream=stream, config=config)
    counts = (await streams.stream_info(stream, subjects_filter="ledger.>")).state.subjects or {}
    found: list[dict[str, Any]] = []
    while len(found) < sum(counts.values()):  # a server that has just come back may not have them all yet
        for message in await pulled.fetch(1_000, timeout=PATIENCE_SECONDS):
            headers = message.headers or {}
            told = {"subject_": message.subject, "headers_": headers, "bytes_": message.data}
            found.append({**json.loads(message.data), **told})
    assert not (await pulled.consumer_info()).num_pending
    return found


def in_stream(*servers: Server, stream: str = "LEDGER") -> list[dict[str, Any]]:
    """The same, over a connection of its own."""

    async def ask() -> list[dict[str, Any]]:
        async with client_of(*servers) as client:
            return await everything(client, stream)

    return asyncio.run(ask())
