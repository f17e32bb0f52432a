"""Which roles may do what: one table for what is written, one for what is read.

A command that others answer for as well takes them by their own credential: see `CONSENT`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ledger import commands
from ledger.terms.access import Role

PIT, CAGE, ACCOUNTING = frozenset({Role.PIT}), frozenset({Role.CAGE}), frozenset({Role.ACCOUNTING})
COMPLIANCE, AUDITOR, ADMIN = frozenset({Role.COMPLIANCE}), frozenset({Role.AUDITOR}), frozenset({Role.ADMIN})
EVERYBODY = frozenset(Role)

COMMAND_ROLES: Mapping[type[commands.Command], frozenset[Role]] = {
    commands.OpenTable: PIT,
    commands.ChangeShift: PIT,
    commands.StartShoe: PIT,
    commands.EndShoe: PIT,
    commands.TakeBank: PIT,
    commands.PassBank: PIT,
    commands.RetireBank: PIT,
    commands.DeclareInterest: PIT | COMPLIANCE,
    commands.WithdrawInterest: PIT | COMPLIANCE,
    commands.SeatPlayer: PIT,
    commands.UnseatPlayer: PIT,
    commands.ChangeOffer: PIT,
    commands.TakeCharge: PIT,
    commands.FillChips: PIT | CAGE,
    commands.CreditChips: PIT | CAGE,
    commands.VoidSlip: PIT | CAGE,
    commands.CountFloat: PIT,
    commands.CountDrop: CAGE,
    commands.CloseTable: PIT,
    commands.RecordCoup: PIT,
    commands.OpenCoup: PIT,
    commands.PlaceWagers: PIT,
    commands.CallBanco: PIT,
    commands.CancelWagers: PIT,
    commands.CloseWagers: PIT,
    commands.DealHands: PIT,
    commands.SettleCoup: PIT,
    commands.CorrectHands: PIT | COMPLIANCE,
    commands.CorrectCoup: PIT | COMPLIANCE,
    commands.VoidCoup: PIT | COMPLIANCE,
    commands.RaiseDispute: PIT | COMPLIANCE,
    commands.ResolveDispute: COMPLIANCE,
    commands.RecordCount: CAGE,
    commands.CloseDay: ACCOUNTING,
    commands.BookAdjustment: ACCOUNTING,
    commands.IssueKey: ADMIN,
    commands.RevokeKey: ADMIN,
}


class Consent(NamedTuple):
    """Who else answers for a command.

    Attributes:
        field: of the command; it names them.
        roles: what they must hold, one of these.
    """

    field: str
    roles: frozenset[Role]


CONSENT: Mapping[type[commands.Command], Consent] = {
    commands.CorrectHands: Consent("approvers", PIT | COMPLIANCE),
    commands.CorrectCoup: Consent("approvers", PIT | COMPLIANCE),
    commands.VoidCoup: Consent("approvers", PIT | COMPLIANCE),
    commands.BookAdjustment: Consent("approvers", ACCOUNTING | COMPLIANCE),
    commands.CloseDay: Consent("signed_by", ACCOUNTING | COMPLIANCE),
}
"""Commands in which persons are named who answer for it: each consents by a credential of their own."""
CONSENTING = frozenset[Role]().union(*(consent.roles for consent in CONSENT.values()))

READ_PNL = ACCOUNTING | COMPLIANCE | AUDITOR
READ_CAGE = CAGE | ACCOUNTING | AUDITOR
READ_COMPLIANCE = COMPLIANCE | AUDITOR
READ_COUP = PIT | ACCOUNTING | COMPLIANCE | AUDITOR
READ_PROOF = COMPLIANCE | AUDITOR
READ_COMMAND = PIT | COMPLIANCE | AUDITOR
"""What came of any command, as in the feed; whoever may send such a command sees it besides."""
READ_CHECKPOINT = EVERYBODY
