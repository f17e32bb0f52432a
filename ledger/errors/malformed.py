"""What came in cannot be read: a clear error, and no event."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.root import LedgerError


class MalformedInput(LedgerError, ValueError):
    """Outside data that cannot be read. A `ValueError`, so that pydantic collects it with the rest."""

    code = "malformed"


@dataclass(eq=False)
class BadCard(MalformedInput):
    token: str
    code = "bad-card"
    template = "{token!r} is not a card; cards are A 2 to 9, 10 or T, J Q K, with or without c d h s"


@dataclass(eq=False)
class TooFewCards(MalformedInput):
    cards: str
    code = "too-few-cards"
    template = "a hand has two or three cards; {cards!r} has fewer"


@dataclass(eq=False)
class TooManyCards(MalformedInput):
    cards: str
    code = "too-many-cards"
    template = "a hand has two or three cards; {cards!r} has more"


@dataclass(eq=False)
class HandMissing(MalformedInput):
    hand: str
    format: str
    code = "hand-missing"
    template = "{format} needs the cards of {hand!r}"


@dataclass(eq=False)
class HandUnknown(MalformedInput):
    hand: str
    format: str
    code = "hand-unknown"
    template = "{format} has no hand {hand!r}"


@dataclass(eq=False)
class NotBaccarat(MalformedInput):
    """More than two opposing hands: outside the definition in 6(1)."""

    opposing_hands: int
    code = "not-baccarat"
    template = "baccarat has one opposing hand or two, and no more; here are {opposing_hands}"
    paragraph = "6(1)"


@dataclass(eq=False)
class ShoeTooSmall(MalformedInput):
    """More cards burnt and behind the cut card than a shoe of so many decks has."""

    cards: int
    decks: int
    code = "shoe-too-small"
    template = "{cards} cards are burnt or behind the cut card; the decks of the shoe ({decks}) have fewer"


@dataclass(eq=False)
class UnknownFormat(MalformedInput):
    format: str
    known: str
    code = "unknown-format"
    template = "unknown format {format!r}; known are {known}"


@dataclass(eq=False)
class UnknownProfile(MalformedInput):
    profile: str
    known: str
    code = "unknown-profile"
    template = "unknown profile {profile!r}; known are {known}"


@dataclass(eq=False)
class ProfileNotImplemented(MalformedInput):
    """SI 2000/597 para (7B): its text could not be had, so it is not played by guesswork."""

    profile: str
    code = "profile-not-implemented"
    template = "profile {profile!r} is not implemented: the text of paragraph (7B) could not be had"


@dataclass(eq=False)
class DuplicateWager(MalformedInput):
    wager: str
    code = "duplicate-wager"
    template = "wager id {wager!r} stands twice in one coup"


@dataclass(eq=False)
class DecisionContradictsCards(MalformedInput):
    hand: str
    code = "decision-contradicts-cards"
    template = "the decision for {hand} is not what its cards show"


@dataclass(eq=False)
class ClaimUnreadable(MalformedInput):
    claimed: str
    code = "claim-unreadable"
    template = "claimed result {claimed!r} does not fit the hands of this format"


@dataclass(eq=False)
class FromTheFuture(MalformedInput):
    """Evidence cannot come from after now. Nothing is recorded, so it may be sent again in its time."""

    occurred_at: str
    now: str
    code = "from-the-future"
    template = "occurred_at {occurred_at} lies after the ledger's clock {now}"


@dataclass(eq=False)
class NotYetReceived(MalformedInput):
    """Eight weeks run from when a dispute was received, and that is not after it was reported."""

    received_at: str
    occurred_at: str
    code = "not-yet-received"
    template = "a dispute reported at {occurred_at} cannot have been received at {received_at}"


@dataclass(eq=False)
class NotWrittenOver(MalformedInput):
    """The file that is to be written has a ledger in it."""

    path: str
    reason: str
    code = "not-written-over"
    template = "{path} is not written over: {reason}"


@dataclass(eq=False)
class ExtraMissing(MalformedInput):
    """What was asked for needs a library that is not installed."""

    extra: str
    library: str
    code = "extra-missing"
    template = "{library} is not installed; `pip install baccarat-ledger[{extra}]` brings it"


@dataclass(eq=False)
class LineTooLong(MalformedInput):
    limit_bytes: int
    code = "line-too-long"
    template = "the line is longer than {limit_bytes} bytes"


@dataclass(eq=False)
class NotJson(MalformedInput):
    reason: str
    code = "not-json"
    template = "not a JSON object: {reason}"


@dataclass(eq=False)
class Unreadable(MalformedInput):
    """Findings of the reader, each with its position in the line, joined."""

    findings: str
    code = "unreadable"
    template = "{findings}"
