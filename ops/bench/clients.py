"""Clients over HTTP, in a process of their own: a connection each, one request after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from time import perf_counter

from ops.bench.serving import spawn

Requests = Sequence[bytes]
"""What one client sends, each a whole request."""
Send = Callable[[int, Sequence[Requests]], float]
"""Has each client send its own to a port, all at once; the seconds until the last answer."""
_LENGTH = b"content-length:"


class NotDone(RuntimeError):
    """A request was not answered by 200: what was to be measured did not happen."""


def request(path: str, body: bytes, key: str | None, command: str) -> bytes:
    """A POST of JSON, ready to be sent.

    Args:
        key: the credential, if there is one.
        command: the command's id.
    """
    credential = f"Authorization: Bearer {key}\r\n" if key else ""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n{credential}"
        f"Idempotency-Key: {command}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@contextmanager
def clients() -> Iterator[Send]:
    """As many as are given something to send. Their process takes nothing of the server's."""
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_work, args=(theirs,), daemon=True)
    process.start()
    theirs.close()

    def send(port: int, requests: Sequence[Requests]) -> float:
        ours.send((port, requests))
        answer = ours.recv()
        if isinstance(answer, float):
            return answer
        raise NotDone(answer)

    try:
        yield send
    finally:
        ours.close()
        process.join()


def _work(told: Connection) -> None:
    while True:
        try:
            port, requests = told.recv()
        except EOFError:
            return
        try:
            told.send(asyncio.run(_all(port, requests)))
        except (NotDone, OSError, EOFError) as error:
            told.send(str(error))


async def _all(port: int, requests: Sequence[Requests]) -> float:
    connections = [await asyncio.open_connection("127.0.0.1", port) for _ in requests]
    begun = perf_counter()
    await asyncio.gather(*(_one(*ends, own) for ends, own in zip(connections, requests, strict=True)))
    seconds = perf_counter() - begun
    for _, writer in connections:
        writer.close()
    return seconds


async def _one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, requests: Requests) -> None:
    for sent in requests:
        writer.write(sent)
        head = await reader.readuntil(b"\r\n\r\n")
        (length,) = (
            int(line[len(_LENGTH) :]) for line in head.lower().split(b"\r\n") if line.startswith(_LENGTH)
        )
        body = await reader.readexactly(length)
        if not head.startswith(b"HTTP/1.1 200 "):
            raise NotDone(f"{head.splitlines()[0]!r} {body!r}")
