"""Every command, and what it does: which streams it touches, and which decisions it takes on them."""

from __future__ import annotations

from collections.abc import Mapping

from ledger import commands
from ledger.aggregates import bank as banks
from ledger.aggregates import chips
from ledger.aggregates import dispute as disputes
from ledger.aggregates import night as nights
from ledger.handlers.access import issue_key, revoke_key
from ledger.handlers.coup import (
    before_seal,
    call_banco,
    cancel_wagers,
    close_wagers,
    correct_coup,
    correct_hands,
    deal_hands,
    on_coup,
    open_coup,
    place_wagers,
    record_coup,
    settle_coup,
    void_coup,
)
from ledger.handlers.day import book_adjustment, close_day, record_count
from ledger.handlers.streams import Handler, Streams
from ledger.handlers.table import end_shoe, on_night, on_table, open_table, start_shoe

__all__ = ["HANDLERS", "Handler", "Streams"]

HANDLERS: Mapping[type[commands.Command], Handler] = {
    commands.OpenTable: open_table,
    commands.ChangeShift: on_table(nights.change_shift),
    commands.StartShoe: start_shoe,
    commands.EndShoe: end_shoe,
    commands.TakeBank: on_table(banks.take_bank),
    commands.PassBank: on_table(banks.pass_bank),
    commands.RetireBank: on_table(banks.retire_bank),
    commands.DeclareInterest: on_table(banks.declare_interest),
    commands.WithdrawInterest: on_table(banks.withdraw_interest),
    commands.SeatPlayer: on_table(nights.seat_player),
    commands.UnseatPlayer: on_table(nights.unseat_player),
    commands.ChangeOffer: on_table(nights.change_offer),
    commands.TakeCharge: on_table(nights.take_charge),
    commands.FillChips: on_table(chips.move_chips),
    commands.CreditChips: on_table(chips.move_chips),
    commands.VoidSlip: on_night(chips.void_slip),
    commands.CountFloat: on_table(chips.count_float),
    commands.CountDrop: on_night(chips.count_drop),
    commands.CloseTable: on_table(nights.close_table),
    commands.RecordCoup: record_coup,
    commands.OpenCoup: open_coup,
    commands.PlaceWagers: place_wagers,
    commands.CallBanco: call_banco,
    commands.CancelWagers: before_seal(cancel_wagers),
    commands.CloseWagers: before_seal(close_wagers),
    commands.DealHands: before_seal(deal_hands),
    commands.SettleCoup: before_seal(settle_coup),
    commands.CorrectHands: before_seal(correct_hands),
    commands.CorrectCoup: correct_coup,
    commands.VoidCoup: void_coup,
    commands.RaiseDispute: on_coup(disputes.raise_dispute),
    commands.ResolveDispute: on_coup(disputes.resolve_dispute),
    commands.RecordCount: record_count,
    commands.CloseDay: close_day,
    commands.BookAdjustment: book_adjustment,
    commands.IssueKey: issue_key,
    commands.RevokeKey: revoke_key,
}
"""Every command, and what it does. The draft a handler returns is the stream the command was about."""
