"""It can be read, and the law, the terms or the state of the table say no. Recorded."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.root import LedgerError


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
class ShoeOverdrawn(Refusal):
    """More cards than the shoe has left, those burnt unseen counted."""

    cards: int
    left: int
    decks: int
    code = "shoe-overdrawn"
    template = "a shoe of {decks} decks has {left} cards left, not {cards}"


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
class NoOption(Refusal):
    """A decision on a third card where the rules leave nobody one."""

    hand: str
    code = "no-option"
    template = "nobody has an option as to a third card for {hand} at this table"
    paragraph = "6(7)(c)"


@dataclass(eq=False)
class KindNotAvailable(Refusal):
    """6(4) and 6(7): which kinds of wager a table may offer."""

    kind: str
    format: str
    paragraph: str | None
    code = "kind-not-available"
    template = "no {kind} wager may be taken at {format}, so none can be on offer"


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
class SlipNumberUsed(Refusal):
    slip: str
    code = "slip-number-used"
    template = "slip {slip} has been used at this table today"
