"""What the consumers' feed and the relay refuse."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.conflicts import Conflict
from ledger.errors.malformed import MalformedInput
from ledger.errors.record import RecordError
from ledger.errors.root import LedgerError


@dataclass(eq=False)
class ResumePointMalformed(MalformedInput):
    given: str
    code = "resume-point-malformed"
    template = "{given!r} is no resume point: that is a whole number from 0 on, and perhaps @ and a time"


@dataclass(eq=False)
class ResumePointBeyondEnd(Conflict):
    """Nobody can have read that here: it is another ledger's position, or this one was restored."""

    given: int
    end: int
    code = "resume-point-beyond-end"
    template = "there is no event {given}: the record ends at {end}"


@dataclass(eq=False)
class ResumePointDiffers(Conflict):
    """The event of that number is not the one that was read: the record was restored to an earlier state."""

    given: int
    read: str
    recorded_at: str
    code = "resume-point-differs"
    template = "event {given} was recorded at {recorded_at}; what was read as event {given}, at {read}"


@dataclass(eq=False)
class FeedQueryMalformed(MalformedInput):
    parameter: str
    reason: str
    code = "feed-query-malformed"
    template = "{parameter}: {reason}"


@dataclass(eq=False)
class TopicNotInCatalogue(MalformedInput):
    topic: str
    code = "topic-not-in-catalogue"
    template = "there is no event type {topic!r}"


@dataclass(eq=False)
class TopicNotReadable(LedgerError):
    topic: str
    code = "topic-not-readable"
    template = "events of type {topic} are not for this reader"


@dataclass(eq=False)
class FormatNotServed(MalformedInput):
    accept: str
    served: str
    code = "format-not-served"
    template = "the feed is not to be had as {accept!r}; it is served as {served}"


@dataclass(eq=False)
class FeedFull(Conflict):
    """As many streams as one process serves are open."""

    streams_max: int
    code = "feed-full"
    template = "{streams_max} streams are open, and no more are served; ask again later"


@dataclass(eq=False)
class ConsumerUnknown(MalformedInput):
    consumer: str
    code = "consumer-unknown"
    template = "there is no consumer {consumer!r}"


@dataclass(eq=False)
class ConsumerMoved(Conflict):
    """The position is not where the caller took it to be: another of that name is reading."""

    consumer: str
    expected: int
    found: int
    code = "consumer-moved"
    template = "consumer {consumer} stands at {found}, not at {expected}; nothing was moved"


@dataclass(eq=False)
class ConsumerOfAnother(LedgerError):
    consumer: str
    code = "consumer-of-another"
    template = "consumer {consumer} belongs to somebody else"


@dataclass(eq=False)
class RelayTargetUnfit(LedgerError):
    """The message stream is there, and not such that events can be put into it without loss or double."""

    target: str
    reason: str
    code = "relay-target-unfit"
    template = "stream {target} cannot be relayed to: {reason}"


@dataclass(eq=False)
class RelayTargetAhead(RecordError):
    """Events were relayed that the record does not have: it was restored to an earlier state."""

    target: str
    relayed: int
    end: int
    code = "relay-target-ahead"
    template = "stream {target} has event {relayed} of this ledger, and the record ends at {end}"


@dataclass(eq=False)
class RelayTargetDiffers(RecordError):
    """The last event that was relayed is not the record's: its history parted from what was told."""

    target: str
    sequence: int
    code = "relay-target-differs"
    template = "event {sequence} was relayed to stream {target}, and is another one in the record"


@dataclass(eq=False)
class RelayUnreachable(LedgerError):
    servers: str
    reason: str
    code = "relay-unreachable"
    template = "nothing could be relayed to {servers}: {reason}"
