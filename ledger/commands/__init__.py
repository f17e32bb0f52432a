"""Commands: what a table system, a tape or a person asks the ledger to do. Plain values.

A tape is NDJSON of these, one a line, `command` saying which. The id makes each of them run once, for ever.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from ledger.commands.access import (
    IssueKey,
    RevokeKey,
)
from ledger.commands.base import LedgerCommand, TableCommand
from ledger.commands.coup import (
    CallBanco,
    CancelWagers,
    Claim,
    CloseWagers,
    CorrectCoup,
    CorrectHands,
    CoupCommand,
    DealHands,
    OpenCoup,
    PlaceWagers,
    RaiseDispute,
    RecordCoup,
    ResolveDispute,
    SettleCoup,
    VoidCoup,
)
from ledger.commands.day import (
    BookAdjustment,
    CloseDay,
    RecordCount,
)
from ledger.commands.digest import digest_of
from ledger.commands.table import (
    ChangeOffer,
    ChangeShift,
    CloseTable,
    CountDrop,
    CountFloat,
    CreditChips,
    DeclareInterest,
    EndShoe,
    FillChips,
    FloatCount,
    OpenTable,
    PassBank,
    RetireBank,
    SeatPlayer,
    StartShoe,
    TakeBank,
    TakeCharge,
    UnseatPlayer,
    VoidSlip,
    WithdrawInterest,
)

__all__ = [
    "TAPE_LINE",
    "BookAdjustment",
    "CallBanco",
    "CancelWagers",
    "ChangeOffer",
    "ChangeShift",
    "Claim",
    "CloseDay",
    "CloseTable",
    "CloseWagers",
    "Command",
    "CorrectCoup",
    "CorrectHands",
    "CountDrop",
    "CountFloat",
    "CoupCommand",
    "CreditChips",
    "DealHands",
    "DeclareInterest",
    "EndShoe",
    "FillChips",
    "FloatCount",
    "IssueKey",
    "LedgerCommand",
    "OpenCoup",
    "OpenTable",
    "PassBank",
    "PlaceWagers",
    "RaiseDispute",
    "RecordCount",
    "RecordCoup",
    "ResolveDispute",
    "RetireBank",
    "RevokeKey",
    "SeatPlayer",
    "SettleCoup",
    "StartShoe",
    "TableCommand",
    "TakeBank",
    "TakeCharge",
    "UnseatPlayer",
    "VoidCoup",
    "VoidSlip",
    "WithdrawInterest",
    "digest_of",
]

Command = (
    OpenTable
    | ChangeShift
    | StartShoe
    | EndShoe
    | TakeBank
    | PassBank
    | RetireBank
    | DeclareInterest
    | WithdrawInterest
    | SeatPlayer
    | UnseatPlayer
    | ChangeOffer
    | TakeCharge
    | FillChips
    | CreditChips
    | VoidSlip
    | CountFloat
    | CountDrop
    | CloseTable
    | RecordCoup
    | OpenCoup
    | PlaceWagers
    | CallBanco
    | CancelWagers
    | CloseWagers
    | DealHands
    | SettleCoup
    | CorrectHands
    | CorrectCoup
    | VoidCoup
    | RaiseDispute
    | ResolveDispute
    | RecordCount
    | CloseDay
    | BookAdjustment
    | IssueKey
    | RevokeKey
)

TAPE_LINE: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="command")])
"""Reads one line of a tape."""
