"""Why the bank is not theirs, nor a share in it, nor a call on it. Recorded, as every refusal is."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.refusals import Refusal


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
