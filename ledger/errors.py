"""Every way the ledger says no: one root, one class per reason, its facts as attributes.

A leaf module: it imports nothing of ours, so that any room may raise from it.

Three families, because their consequences differ:

* `MalformedInput`: what came in cannot be read. A clear error, and no event.
* `Refusal`: it can be read, and the law or the table's terms say no. A refusal is a fact: it is recorded.
* `Conflict`: the record itself stands in the way (an id used for something else). No event.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar


class LedgerError(Exception):
    """The root. `code` is stable and for programs, `str()` is for people, the fields are the facts.

    Subclasses are dataclasses; `template` is filled with their fields. `paragraph` is the paragraph of the
    regulation (or the term of the table) that decides, where one does.
    """

    code: ClassVar[str] = "ledger-error"
    template: ClassVar[str] = ""
    paragraph: str | None = None

    def facts(self) -> dict[str, Any]:
        """The fields of this error by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.template.format(**self.facts())


# --- Malformed input: nothing is recorded -------------------------------------------------------------


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


# --- Refusals: recorded ------------------------------------------------------------------------------


class Refusal(LedgerError):
    """The law, the terms or the state of the table say no. The refusal is recorded with its reason."""

    code = "refused"


@dataclass(eq=False)
class TableNotOpen(Refusal):
    table: str
    code = "table-not-open"
    template = "table {table} is not open"


@dataclass(eq=False)
class TableStillOpen(Refusal):
    table: str
    gaming_day: str
    code = "table-still-open"
    template = "table {table} is still open for gaming day {gaming_day}"


@dataclass(eq=False)
class GamingDayOver(Refusal):
    """A table opens once a gaming day, and its days go forward."""

    table: str
    gaming_day: str
    last: str
    code = "gaming-day-over"
    template = "table {table} cannot open for {gaming_day}: it last opened for {last}"


@dataclass(eq=False)
class GamingDayImplausible(Refusal):
    gaming_day: str
    occurred_at: str
    code = "gaming-day-implausible"
    template = "gaming day {gaming_day} is not the day of {occurred_at}, the day before or the day after"


@dataclass(eq=False)
class ProfileNotInForce(Refusal):
    profile: str
    gaming_day: str
    code = "profile-not-in-force"
    template = "profile {profile} was not in force on {gaming_day}"


@dataclass(eq=False)
class ShoeIdUsed(Refusal):
    shoe: str
    code = "shoe-id-used"
    template = "{shoe} has been dealt from before; every shoe has an id of its own"


@dataclass(eq=False)
class ShoeInUse(Refusal):
    shoe: str
    code = "shoe-in-use"
    template = "shoe {shoe} is still in use at this table; end it first"


@dataclass(eq=False)
class ShoeNotInUse(Refusal):
    shoe: str
    in_use: str
    code = "shoe-not-in-use"
    template = "shoe {shoe} is not in use at this table; in use: {in_use}"


@dataclass(eq=False)
class CardNotInShoe(Refusal):
    """More of one card than the decks of the shoe hold."""

    card: str
    decks: int
    code = "card-not-in-shoe"
    template = "a shoe of {decks} decks has no further {card}"


@dataclass(eq=False)
class CoupNumberUsed(Refusal):
    coup: str
    code = "coup-number-used"
    template = "{coup} is already in the record"


@dataclass(eq=False)
class NoSuchCoup(Refusal):
    coup: str
    code = "no-such-coup"
    template = "{coup} is not in the record"


@dataclass(eq=False)
class CoupNotReady(Refusal):
    """The step does not follow from where the coup stands."""

    coup: str
    stage: str
    step: str
    code = "coup-not-ready"
    template = "{coup} is {stage}: cannot {step}"


@dataclass(eq=False)
class CoupHeld(Refusal):
    coup: str
    code = "coup-held"
    template = "{coup} is irregular and held: only a ruling with two approvers ends it"


@dataclass(eq=False)
class StillIrregular(Refusal):
    coup: str
    rule: str
    detail: str
    code = "still-irregular"
    template = "the corrected hands of {coup} still break the tableau ({rule}): {detail}"


@dataclass(eq=False)
class ApproversNotIndependent(Refusal):
    """A ruling takes two persons, distinct from each other and from whoever recorded the coup."""

    approvers: str
    recorded_by: str
    code = "approvers-not-independent"
    template = "a ruling needs two approvers distinct from each other and from {recorded_by}; got {approvers}"


@dataclass(eq=False)
class ConditionsDiffer(Refusal):
    """The coup's line states a format, profile, terms or bank that the table is not playing under."""

    field: str
    stated: str
    table_has: str
    code = "conditions-differ"
    template = "the line says {field} {stated}, the table plays under {table_has}"


@dataclass(eq=False)
class WagerUnknown(Refusal):
    wager: str
    code = "wager-unknown"
    template = "wager {wager!r} was not accepted in this coup"


@dataclass(eq=False)
class BankMayNotStand(Refusal):
    """6(5) and 6(6): who may hold the bank."""

    capacity: str
    format: str
    paragraph: str | None
    code = "bank-may-not-stand"
    template = "a {capacity} may not hold the bank at {format}"


@dataclass(eq=False)
class NoBank(Refusal):
    table: str
    code = "no-bank"
    template = "nobody holds the bank at table {table}"


@dataclass(eq=False)
class BankTakenAlready(Refusal):
    holder: str
    code = "bank-taken"
    template = "{holder} holds the bank; it must pass or retire first"


@dataclass(eq=False)
class BankMustPass(Refusal):
    """The rule that makes chemin de fer what 6(5) and 6(6) describe: a losing banker gives up at once."""

    holder: str
    code = "bank-must-pass"
    template = "{holder} has lost the bank: it must pass before the next coup"
    paragraph = "6(6)"


@dataclass(eq=False)
class BankCommitted(Refusal):
    coup: str
    code = "bank-committed"
    template = "the bank stands for {coup} until that coup is settled"


@dataclass(eq=False)
class SlipNumberUsed(Refusal):
    slip: str
    code = "slip-number-used"
    template = "slip {slip} has been used at this table today"


# --- Conflicts: the record stands in the way -----------------------------------------------------------


class Conflict(LedgerError):
    """What is asked contradicts what is recorded. Nothing is recorded of it."""

    code = "conflict"


@dataclass(eq=False)
class CommandIdUsed(Conflict):
    """The same command id with other content: never run, never overwritten."""

    command: str
    code = "command-id-used"
    template = "command id {command!r} was used before for something else"


@dataclass(eq=False)
class LedgerBusy(Conflict):
    attempts: int
    code = "ledger-busy"
    template = "other writers were first {attempts} times running; nothing was recorded, send it again"


# --- The store ---------------------------------------------------------------------------------------


class RecordError(LedgerError):
    """The stored record cannot be read as it should."""

    code = "record-error"


@dataclass(eq=False)
class UnknownTopic(RecordError):
    topic: str
    code = "unknown-topic"
    template = "stored topic {topic!r} is not in the catalogue of this version"


@dataclass(eq=False)
class EventUnreadable(RecordError):
    stream: str
    version: int
    topic: str
    reason: str
    code = "event-unreadable"
    template = "event {version} of {stream} ({topic}) cannot be read: {reason}"


@dataclass(eq=False)
class PositionMoved(RecordError):
    """Another runner moved this projection: nothing of the batch was written."""

    projection: str
    expected_position: int
    code = "position-moved"
    template = "projection {projection} is no longer at position {expected_position}"


@dataclass(eq=False)
class NotALedger(RecordError):
    path: str
    reason: str
    code = "not-a-ledger"
    template = "{path} cannot be used as a ledger: {reason}"
