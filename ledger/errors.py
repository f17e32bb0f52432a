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

    Subclasses are dataclasses; `template` is filled with their fields, but never with who a patron is.
    `paragraph` is the paragraph of the regulation (or the term of the table) that decides, where one does.
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
    template = "no {capacity} may hold the bank at {format}"


@dataclass(eq=False)
class InterestNotAllowed(Refusal):
    """6(5)(b) and 6(6): who may have a share or interest in the bank. The next coup is refused."""

    person: str
    capacity: str
    paragraph: str | None
    code = "interest-not-allowed"
    template = "somebody ({capacity}) has an interest in the bank: it may not stand"


@dataclass(eq=False)
class InterestUnknown(Refusal):
    person: str
    code = "interest-unknown"
    template = "that person has no declared interest in the bank"


@dataclass(eq=False)
class NotAtTable(Refusal):
    """Where the table's seats are reported, the bank goes to nobody who has none."""

    patron: str
    code = "not-at-table"
    template = "that player is not at this table"


@dataclass(eq=False)
class SeatTaken(Refusal):
    seat: int
    patron: str
    code = "seat-taken"
    template = "seat {seat} is taken"


@dataclass(eq=False)
class NoBanco(Refusal):
    """Banco is called on a bank that a player holds, before anybody has staked."""

    reason: str
    code = "no-banco"
    template = "no banco: {reason}"


@dataclass(eq=False)
class BancoStands(Refusal):
    patron: str
    code = "banco-stands"
    template = "another has called banco and comes first"


@dataclass(eq=False)
class NoOption(Refusal):
    """A decision on a third card where the rules leave nobody one."""

    hand: str
    code = "no-option"
    template = "nobody has an option as to a third card for {hand} at this table"
    paragraph = "6(7)(c)"


@dataclass(eq=False)
class NothingToCorrect(Refusal):
    coup: str
    code = "nothing-to-correct"
    template = "{coup} is settled by these hands already"


@dataclass(eq=False)
class ApproverWithoutRight(Refusal):
    approver: str
    may_approve: str
    code = "approver-without-right"
    template = "{approver} may not approve a ruling at this table; those who may: {may_approve}"


@dataclass(eq=False)
class DisputeIdUsed(Refusal):
    dispute: str
    code = "dispute-id-used"
    template = "dispute {dispute} has been raised before"


@dataclass(eq=False)
class NoSuchDispute(Refusal):
    dispute: str
    code = "no-such-dispute"
    template = "no dispute {dispute} stands on this coup"


@dataclass(eq=False)
class NoBank(Refusal):
    table: str
    code = "no-bank"
    template = "nobody holds the bank at table {table}"


@dataclass(eq=False)
class BankTakenAlready(Refusal):
    holder: str
    code = "bank-taken"
    template = "the bank is held: it must pass to another, or retire, first"


@dataclass(eq=False)
class BankMustPass(Refusal):
    """The rule that makes chemin de fer what 6(5) and 6(6) describe: a losing banker gives up at once."""

    holder: str
    code = "bank-must-pass"
    template = "the bank has lost: it must pass to another before the next coup"
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
    template = "other writers were first {attempts} times running; send the command again"


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


# --- The seal ----------------------------------------------------------------------------------------


@dataclass(eq=False)
class KeyMalformed(MalformedInput):
    """The text of a key cannot be read. The text is no fact of this error: it may hold a secret."""

    reason: str
    code = "key-malformed"
    template = "not a key of a signed note: {reason}"


@dataclass(eq=False)
class NoteMalformed(MalformedInput):
    reason: str
    code = "note-malformed"
    template = "not a signed note: {reason}"


@dataclass(eq=False)
class CheckpointMalformed(MalformedInput):
    reason: str
    code = "checkpoint-malformed"
    template = "not a checkpoint: {reason}"


class SealError(LedgerError):
    """What was sealed does not hold, or is not shown to hold."""

    code = "seal-error"


@dataclass(eq=False)
class LeafUnreadable(SealError):
    """A column of a stored event holds what no event has."""

    sequence: int
    reason: str
    code = "leaf-unreadable"
    template = "event {sequence} has no leaf: {reason}"


@dataclass(eq=False)
class LeafDiffers(SealError):
    """The stored event is not the one that was sealed."""

    sequence: int
    sealed: str
    found: str
    code = "leaf-differs"
    template = "event {sequence} is not what was sealed: leaf hash {found}, sealed {sealed}"


@dataclass(eq=False)
class RecordGap(SealError):
    """The sequence of the record has a hole, or its end is missing."""

    expected: int
    found: int | None
    code = "record-gap"
    template = "event {expected} is missing from the record; the next there is {found}"


@dataclass(eq=False)
class SealDamaged(SealError):
    """The seal's own tables do not hold together."""

    place: str
    reason: str
    code = "seal-damaged"
    template = "{place} of the seal is damaged: {reason}"


@dataclass(eq=False)
class SealMoved(SealError):
    """Another sealer was first: nothing of the page was written."""

    expected_size: int
    code = "seal-moved"
    template = "the seal is no longer at size {expected_size}"


@dataclass(eq=False)
class NotSealed(SealError):
    """What is asked for lies beyond the sealed tree, or beyond the smaller tree named with it."""

    asked: int
    sealed: int
    code = "not-sealed"
    template = "asked for {asked} where {sealed} events are sealed"


@dataclass(eq=False)
class TreeShrunk(SealError):
    """Something sealed has fewer leaves than before: a tree only grows."""

    old_size: int
    new_size: int
    code = "tree-shrunk"
    template = "{old_size} events were sealed, and now there are {new_size}"


@dataclass(eq=False)
class RootDiffers(SealError):
    """Two trees of one size that are not the same."""

    size: int
    expected: str
    found: str
    code = "root-differs"
    template = "the root over {size} events is {found}, and should be {expected}"


@dataclass(eq=False)
class ProofInvalid(SealError):
    """An inclusion or a consistency proof that proves nothing."""

    proof: str
    reason: str
    code = "proof-invalid"
    template = "the {proof} proof does not hold: {reason}"


@dataclass(eq=False)
class SignatureInvalid(SealError):
    """The note names a key that we trust, and that key did not sign this text."""

    key: str
    code = "signature-invalid"
    template = "the signature said to be by {key} does not fit the note"


@dataclass(eq=False)
class KeyNotPinned(SealError):
    """Nobody whom we trust has signed."""

    signed_by: str
    pinned: str
    code = "key-not-pinned"
    template = "the note is signed by {signed_by}; trusted is {pinned}"


@dataclass(eq=False)
class OriginDiffers(SealError):
    """A checkpoint of another ledger."""

    expected: str
    found: str
    code = "origin-differs"
    template = "the checkpoint is of {found}, not of {expected}"


@dataclass(eq=False)
class BundleMalformed(MalformedInput):
    reason: str
    code = "bundle-malformed"
    template = "not a bundle of a coup: {reason}"


@dataclass(eq=False)
class BundleAltered(SealError):
    """A bundle that can be read, and that nobody made as it is."""

    reason: str
    code = "bundle-altered"
    template = "the bundle is not as it was made: {reason}"


@dataclass(eq=False)
class CoupNotWhole(SealError):
    """A bundle's events are not those of one coup from its first on."""

    stream: str
    reason: str
    code = "coup-not-whole"
    template = "the events are not those of {stream} from its first on: {reason}"


@dataclass(eq=False)
class CoupNotCovered(SealError):
    """Nobody has signed a checkpoint since the coup's last event."""

    stream: str
    sequence: int
    code = "coup-not-covered"
    template = (
        "no checkpoint has the last event of {stream} in it yet (event {sequence} of the record); "
        "`baccarat-ledger seal` signs one"
    )


# --- Verification ------------------------------------------------------------------------------------
# What `verify` finds. Positional arguments only: a finding may come from another process.


@dataclass(eq=False)
class EventDamaged(RecordError):
    sequence: int
    reason: str
    code = "event-damaged"
    template = "event {sequence} cannot be read: {reason}"


@dataclass(eq=False)
class ColumnDiffers(RecordError):
    """A column says other than the event's own bytes."""

    sequence: int
    column: str
    stored: str
    in_state: str
    code = "column-differs"
    template = "event {sequence} stands under {column} {stored!r} and says {in_state!r} itself"


@dataclass(eq=False)
class VersionBroken(RecordError):
    sequence: int
    stream: str
    version: int
    expected: int
    code = "version-broken"
    template = "event {sequence} is version {version} of {stream}, where version {expected} comes next"


@dataclass(eq=False)
class DoesNotFold(RecordError):
    """No decision of the ledger could have led to this event after those before it."""

    sequence: int
    stream: str
    reason: str
    code = "does-not-fold"
    template = "event {sequence} does not follow from the events of {stream} before it: {reason}"


@dataclass(eq=False)
class CauseBroken(RecordError):
    """Events come with the record of the command that brought them about, in one piece."""

    sequence: int
    cause: str
    reason: str
    code = "cause-broken"
    template = "event {sequence}, brought about by command {cause!r}: {reason}"


@dataclass(eq=False)
class StorageDamaged(RecordError):
    """The database holds something that the ledger did not put there, or lacks something."""

    place: str
    reason: str
    code = "storage-damaged"
    template = "{place}: {reason}"


@dataclass(eq=False)
class PositionImpossible(RecordError):
    projection: str
    position: str
    reason: str
    code = "position-impossible"
    template = "projection {projection} cannot be at position {position}: {reason}"


@dataclass(eq=False)
class ReadTableDiffers(RecordError):
    """A read table is not what the record adds up to. `None` stands for a row that is not there."""

    table: str
    kept: str | None
    rebuilt: str | None
    code = "read-table-differs"
    template = "{table} is not what the record adds up to: it has {kept}, the record gives {rebuilt}"


@dataclass(eq=False)
class CheckpointBad(SealError):
    """A checkpoint that is kept does not hold. `why` is the code of what is wrong with it."""

    size: str
    why: str
    reason: str
    code = "checkpoint-bad"
    template = "the checkpoint of {size} events does not hold: {reason}"


@dataclass(eq=False)
class NotSigned(SealError):
    """Sealed events that no checkpoint kept here has in it: a seal was cut short, or one was taken away."""

    sequence: int
    sealed: int
    code = "not-signed"
    template = "events {sequence} to {sealed} are sealed, and no checkpoint signs for them; seal again"


@dataclass(eq=False)
class NoCheckpoint(SealError):
    code = "no-checkpoint"
    template = "no checkpoint has been signed here; `baccarat-ledger seal` signs one"


@dataclass(eq=False)
class KeyFileUnusable(MalformedInput):
    """A file of a key or a checkpoint cannot be read or made."""

    path: str
    reason: str
    code = "key-file-unusable"
    template = "{path}: {reason}"
