"""The relay: follows the record and puts it into the stream, each event once and in order.

Where it goes on is what the stream's own last message of this ledger says, asked anew after every failure.
So it does not matter what was lost: a connection, an answer, the position that is kept here, or messages
that the servers had acknowledged and not yet written. They are sent again, and nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple

import structlog
from eventsourcing.persistence import PersistenceError

from ledger.errors import RelayTargetAhead, RelayTargetDiffers, RelayTargetUnfit
from ledger.seal.leaf import leaf_hash
from ledger.store.port import Row
from ops.feed.streams import Feed
from ops.relay.messages import Outgoing, event_message, position_message
from ops.relay.nats_client import Servers, connected, nats
from ops.relay.patience import Patience
from ops.relay.position import Positions, Relayed
from ops.relay.target import BatchNotStored, Target, Wanted

log = structlog.get_logger()

BATCH_EVENTS = 500
BATCH_BYTES = 4_000_000
"""A batch ends early where its events are large: the servers hold it in memory until it is whole."""
LOOK_SECONDS = 1.0
"""How often a relay that has nothing to do sees whether its connection still stands."""
KEEP_SECONDS = 1.0
"""How often the position is kept while there is much to do."""
_HEADERS_BYTES = 1_000
"""More than the headers of any message have."""


class Place(NamedTuple):
    """Where the relay stands: the last event in the stream, and the number of its position message there."""

    sequence: int
    number: int


class Relay:
    """Relays one ledger to one stream."""

    def __init__(
        self, feed: Feed, positions: Positions, servers: Servers, wanted: Wanted, patience: Patience
    ) -> None:
        self._feed, self._positions = feed, positions
        self._servers, self._wanted, self._patience = servers, wanted, patience
        self._stopping = asyncio.Event()
        self._kept, self._kept_at = -1, 0.0
        self.relayed = 0
        """Events that this relay has put there."""

    def stop(self) -> None:
        """End when the batch in hand is stored. In the loop's thread."""
        self._stopping.set()
        self._feed.tail.hint()

    async def run(self, *, once: bool = False) -> None:
        """Relay until stopped; or, once, up to what is the end of the record now.

        Raises:
            RelayTargetUnfit, RelayTargetAhead, RelayTargetDiffers: somebody has to look at it.
            RelayUnreachable: patience is at its end.
            EventUnreadable: the record cannot be told beyond an event.
            ExtraMissing: nats-py is not installed.
        """
        goal = await asyncio.to_thread(self._feed.record.last_sequence) if once else None
        retried = (nats().errors.Error, nats().js.errors.Error, OSError, PersistenceError, BatchNotStored)
        while not self._stopping.is_set():
            try:
                async with connected(self._servers) as client:
                    target = Target(client, self._wanted)
                    await target.open()
                    await self._follow(target, goal)
                    return
            except retried as error:
                reason = str(error) or type(error).__name__
                pause = self._patience.next_pause(reason)
                log.warning(
                    "relay waits", servers=str(self._servers), reason=reason, again_in_seconds=pause,
                    attempt=self._patience.attempts,
                )  # fmt: skip
                await self._rest(pause)

    async def _follow(self, target: Target, goal: int | None) -> None:
        place = await self._resume(target)
        while not self._stopping.is_set() and (goal is None or place.sequence < goal):
            rows = await asyncio.to_thread(self._feed.record.select_rows, place.sequence, BATCH_EVENTS)
            if rows:
                place = await self._send(target, rows, place)
            else:
                await self._keep(target, place, now=True)
                target.check_connected()
                await self._feed.tail.beyond(place.sequence, LOOK_SECONDS)
        await self._keep(target, place, now=True)

    async def _resume(self, target: Target) -> Place:
        """Where the stream says that it ends, if the record bears it out."""
        source, name = self._feed.source, self._wanted.name
        last = await target.last(source)
        if last is None:
            sequence = await asyncio.to_thread(self._let_go_at, target)
            log.info("relay begins", stream=name, after=sequence)
            return Place(sequence, 0)
        sequence = last.position.sequence
        end = await asyncio.to_thread(self._feed.record.last_sequence)
        if sequence > end:
            raise RelayTargetAhead(name, sequence, end)
        (row,) = await asyncio.to_thread(self._feed.record.select_rows, sequence - 1, 1)
        if leaf_hash(row).hex() != last.position.leaf:
            raise RelayTargetDiffers(name, sequence)
        log.info("relay goes on", stream=name, after=sequence, behind=end - sequence)
        return Place(sequence, last.number)

    def _let_go_at(self, target: Target) -> int:
        """Where to begin in a stream without a position of ours.

        That is the beginning, unless the very same stream had acknowledged more and has let go of it since,
        as a stream with a limit does.
        """
        kept = self._positions.get(self._wanted.name)
        if kept is None or target.is_empty or kept.created != target.created:
            return 0
        return kept.position

    async def _send(self, target: Target, rows: Sequence[Row], place: Place) -> Place:
        batch, last = await asyncio.to_thread(self._batch, rows, target.payload_max)
        number = await target.publish(batch, place.number)
        self._patience.rewarded()
        self.relayed += len(batch) - 1
        log.debug("relayed", stream=self._wanted.name, after=place.sequence, to=last.sequence)
        place = Place(last.sequence, number)
        await self._keep(target, place)
        return place

    def _batch(self, rows: Sequence[Row], payload_max: int) -> tuple[list[Outgoing], Row]:
        """The messages of as many of these events as go into one batch, and the last of those events."""
        batch: list[Outgoing] = []
        size_bytes = 0
        for row in rows:
            message = event_message(self._feed.source, row)
            if len(message.payload) + _HEADERS_BYTES > payload_max:
                size = len(message.payload)
                reason = f"event {row.sequence} has {size} bytes, and the servers take {payload_max}"
                raise RelayTargetUnfit(self._wanted.name, reason)
            size_bytes += len(message.payload)
            if batch and size_bytes > BATCH_BYTES:
                break
            batch.append(message)
        last = rows[len(batch) - 1]
        return [*batch, position_message(self._feed.source, last)], last

    async def _keep(self, target: Target, place: Place, *, now: bool = False) -> None:
        """Keep the position with the ledger: at once where there is time, else every second."""
        if place.sequence == self._kept or (not now and monotonic() < self._kept_at + KEEP_SECONDS):
            return
        relayed = Relayed(self._wanted.name, target.created, place.sequence)
        await asyncio.to_thread(self._positions.put, relayed)
        self._kept, self._kept_at = place.sequence, monotonic()

    async def _rest(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return
