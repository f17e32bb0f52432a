"""The stream that is relayed to: made or checked, asked for its own last message, and added to.

A batch is published as one (JetStream's atomic batch, servers from 2.12 on): all of it is stored, or nothing.
Messages sent one by one with their acks in flight would not do: where a leader changes in the middle, a
later one can be stored without an earlier one. Its last message is stored only if nobody has moved the
ledger's position meanwhile, so two relays, or a batch that was given up for lost and came after all, double
nothing, however long ago it was; the duplicate window is not relied upon.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import msgspec
import structlog

from ledger.errors import RelayTargetUnfit
from ops.relay.messages import SUBJECTS, Outgoing, Position, position_subject, read_position
from ops.relay.nats_client import nats

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.js.api import StreamConfig

log = structlog.get_logger()

DUPLICATE_WINDOW_SECONDS = 120.0
ACK_SECONDS = 10.0
"""How long a batch may take to be stored."""
BATCH_MESSAGES_MAX = 1_000
"""JetStream's own limit."""

_BATCH = "Nats-Batch-Id"
_NUMBER = "Nats-Batch-Sequence"
_COMMIT = "Nats-Batch-Commit"
_EXPECTED = "Nats-Expected-Last-Subject-Sequence"


class Wanted(NamedTuple):
    """The stream that is wanted."""

    name: str = "LEDGER"
    replicas: int = 1


class Last(NamedTuple):
    """A ledger's own last message in the stream: its position, and the number that the stream gave it."""

    position: Position
    number: int


class BatchNotStored(Exception):
    """The stream refused a batch. Nothing of it is there; what is, has to be asked."""


class Target:
    """The stream, over one connection."""

    def __init__(self, client: Client, wanted: Wanted) -> None:
        self._client, self._wanted = client, wanted
        self._stream = client.jetstream(timeout=ACK_SECONDS)
        self.created = ""
        self.is_empty = True

    async def open(self) -> None:
        """Make the stream, or see that the one that is there will do.

        Raises:
            RelayTargetUnfit: it will not.
        """
        api = nats().js.api
        errors = nats().js.errors
        name = self._wanted.name
        try:
            info = await self._stream.stream_info(name)
        except errors.NotFoundError:
            wanted = api.StreamConfig(
                name=name,
                subjects=list(SUBJECTS),
                storage=api.StorageType.FILE,
                num_replicas=self._wanted.replicas,
                discard=api.DiscardPolicy.NEW,  # a full stream says so; it forgets nothing to make room
                duplicate_window=DUPLICATE_WINDOW_SECONDS,
                deny_delete=True,
                allow_direct=True,
                allow_atomic=True,
            )
            info = await self._stream.add_stream(wanted)
            log.info("stream made", stream=name, replicas=self._wanted.replicas)
        for reason in _unfit(info.config):
            raise RelayTargetUnfit(name, reason)
        if info.config.num_replicas != self._wanted.replicas:
            log.warning(
                "the stream has other replicas than the setting says, and stays as it is",
                stream=name,
                has=info.config.num_replicas,
                setting=self._wanted.replicas,
            )
        self.created = str(info.created)
        self.is_empty = not info.state.last_seq

    async def last(self, source: str) -> Last | None:
        """The ledger's own last message; None where there is none. Raises: RelayTargetUnfit."""
        subject = position_subject(source)
        try:
            found = await self._stream.get_last_msg(self._wanted.name, subject)
        except nats().js.errors.NotFoundError:
            return None
        try:
            position = read_position(found.data or b"")
        except msgspec.DecodeError as error:
            raise RelayTargetUnfit(self._wanted.name, f"what lies under {subject} is no position") from error
        if position.source != source:
            raise RelayTargetUnfit(self._wanted.name, f"{subject} is the position of {position.source}")
        return Last(position, found.seq or 0)

    async def publish(self, batch: Sequence[Outgoing], expected: int) -> int:
        """Store a batch. Returns the number that the stream gave to its last message.

        Args:
            expected: the number of the last message under the subject of the batch's last one; 0: none.

        Raises:
            BatchNotStored: another was first, or the server would not.
            nats.errors.Error: no answer came; it may be stored or not.
        """
        assert 0 < len(batch) <= BATCH_MESSAGES_MAX
        name = uuid4().hex
        for number, message in enumerate(batch[:-1], start=1):
            headers = {**message.headers, _BATCH: name, _NUMBER: str(number)}
            await self._client.publish(message.subject, message.payload, headers=headers)
        last = batch[-1]
        headers = {
            **last.headers,
            _BATCH: name,
            _NUMBER: str(len(batch)),
            _COMMIT: "1",
            _EXPECTED: str(expected),
        }
        answer = await self._client.request(last.subject, last.payload, ACK_SECONDS, headers=headers)
        return _number(json.loads(answer.data) if answer.data else {}, len(batch))

    def check_connected(self) -> None:
        """Raises: nats.errors.ConnectionClosedError: the connection is lost."""
        if not self._client.is_connected:
            raise nats().errors.ConnectionClosedError

    @property
    def payload_max(self) -> int:
        """The largest message that the server takes, in bytes."""
        return self._client.max_payload


def _number(answer: dict[str, Any], messages: int) -> int:
    if error := answer.get("error"):
        raise BatchNotStored(f"{error.get('description')} ({error.get('err_code')})")
    if answer.get("count") != messages or not answer.get("seq"):
        raise BatchNotStored(f"the server does not say that it has stored {messages} messages")
    return int(answer["seq"])


def _unfit(config: StreamConfig) -> list[str]:
    """Why a stream will not do."""
    rules = (
        (
            config.allow_atomic is True,
            "it takes no atomic batches (NATS 2.12 or newer does, with allow_atomic)",
        ),
        (str(config.storage) == "file", "it is not kept in files"),
        (str(config.retention) == "limits", "it forgets what was consumed (retention is not by limits)"),
        (not config.mirror and not config.sources, "it mirrors another stream"),
        (not config.subject_transform, "it renames subjects"),
        (not config.no_ack, "it does not acknowledge"),
        (config.max_msgs_per_subject in {None, -1}, "it keeps only some messages of a subject"),
        (
            set(SUBJECTS) <= set(config.subjects or ()),
            f"it does not take the subjects {' and '.join(SUBJECTS)}",
        ),
    )
    return [reason for holds, reason in rules if not holds]
