"""One handler a command: which streams it touches, and which decisions it takes on them, in order.

The table at the foot is the whole map from commands to what they do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Protocol

from ledger import commands, errors
from ledger.aggregates import banco as bancos
from ledger.aggregates import bank as banks
from ledger.aggregates import coup as coups
from ledger.aggregates import dispute as disputes
from ledger.aggregates import ruling as rulings
from ledger.aggregates import shoe as shoes
from ledger.aggregates import steps
from ledger.aggregates import table as tables
from ledger.aggregates.draft import Draft, Folded
from ledger.terms.cards import Card, cards
from ledger.terms.formats import check_hands
from ledger.terms.hands import BANKER, Hand, Result, in_dealt_order
from ledger.terms.house import BankedBy


class Streams(Protocol):
    """What a handler asks of the application: drafts of the streams it decides on."""

    def table(self, premises: str, table: str) -> Draft[tables.Table]:
        """The latest gaming day of a table. Raises: TableNotOpen when it never opened."""

    def night(self, premises: str, table: str, gaming_day: date) -> Draft[tables.Table]:
        """One gaming day of a table, whether it ever opened for it or not."""

    def new_night(
        self, command: commands.OpenTable
    ) -> tuple[Draft[tables.Table], Folded[tables.Table] | None]:
        """The gaming day to be opened, and the latest one the table opened for."""

    def shoe(self, premises: str, table: str, shoe: str) -> Draft[shoes.Shoe]:
        """What has been seen of a shoe."""

    def coup(
        self, premises: str, table: str, shoe: str, number: int, *, new: bool = False
    ) -> Draft[coups.Coup]:
        """A coup; `new` when it is expected not to be in the record yet, which the save will check."""


def open_table(streams: Streams, command: commands.OpenTable) -> Draft[Any]:
    """A table opens for its gaming day."""
    night, last = streams.new_night(command)
    tables.open_table(night, last, command)
    return night


def start_shoe(streams: Streams, command: commands.StartShoe) -> Draft[Any]:
    """A shoe comes into use; cards burnt face up are seen."""
    table = streams.table(command.premises, command.table)
    shoe = streams.shoe(command.premises, command.table, command.shoe)
    tables.start_shoe(table, command)
    if shoe.folded.version:
        raise errors.ShoeIdUsed(shoe.stream)
    burned = cards(command.burned or "")
    shoes.see_cards(shoe, burned, command.decks, None)
    return table


def count_drop(streams: Streams, command: commands.CountDrop) -> Draft[Any]:
    """A cash box is counted, perhaps when the table has opened for another day."""
    if command.gaming_day is None:
        table = streams.table(command.premises, command.table)
    else:
        table = streams.night(command.premises, command.table, command.gaming_day)
    tables.count_drop(table, command)
    return table


def end_shoe(streams: Streams, command: commands.EndShoe) -> Draft[Any]:
    """A shoe goes out of use."""
    table = streams.table(command.premises, command.table)
    tables.end_shoe(table, command.shoe)
    return table


def on_table(decide: Callable[[Draft[tables.Table], Any], None]) -> Handler:
    """A handler for a decision that concerns the table alone."""

    def handle(streams: Streams, command: Any) -> Draft[Any]:
        table = streams.table(command.premises, command.table)
        decide(table, command)
        return table

    return handle


# --- Coups -------------------------------------------------------------------------------------------


def _coup_of(streams: Streams, command: Any) -> Draft[coups.Coup]:
    return streams.coup(command.premises, command.table, command.shoe, command.number)


def _check_stated(table: tables.Table, command: commands.RecordCoup) -> None:
    """What the line states of the conditions must be what the table plays under."""
    night = table.night
    bank = table.bank.sum if table.bank else None
    for field, table_has in (
        ("format", night.format),
        ("profile", night.profile),
        ("terms", night.terms),
        ("bank", bank),
    ):
        stated = getattr(command, field)
        if stated is not None and stated != table_has:
            raise errors.ConditionsDiffer(field, str(stated), str(table_has))


def record_coup(streams: Streams, command: commands.RecordCoup) -> Draft[Any]:
    """A whole coup at once: the steps below, in a row."""
    table = streams.table(command.premises, command.table)
    tables.shoe_in_use(table, command.shoe)
    _check_stated(table.state, command)
    check_hands(table.state.format, command.hands)
    coup = open_coup(streams, command)
    place_wagers(streams, command)
    steps.close_wagers(coup, [name for name in command.hands if name != BANKER])
    deal_hands(streams, command)
    if coup.state.stage is coups.Stage.DEALT:
        settle_coup(streams, command)
    return coup


def open_coup(streams: Streams, command: commands.OpenCoup | commands.RecordCoup) -> Draft[coups.Coup]:
    """A coup opens under the table's conditions; a player's bank stands for it."""
    table = streams.table(command.premises, command.table)
    shoe = tables.shoe_in_use(table, command.shoe)
    coup = streams.coup(command.premises, command.table, command.shoe, command.number, new=True)
    if coup.state.stage is not coups.Stage.NEW:
        raise errors.CoupNumberUsed(coup.stream)
    bank = banks.bank_that_stands(table)
    pinned = tables.conditions(table, shoe, bank)
    steps.open_coup(
        coup,
        premises=command.premises,
        table=command.table,
        shoe=command.shoe,
        number=command.number,
        conditions=pinned,
        limits=table.state.night.limits,
        offer=table.state.offer,
        may_approve=table.state.night.may_approve,
    )
    if bank is not None:
        banks.commit_bank(table, coup.stream, bank)
    return coup


def place_wagers(streams: Streams, command: commands.PlaceWagers | commands.RecordCoup) -> Draft[Any]:
    """Wagers are offered; each is accepted or refused."""
    coup = _coup_of(streams, command)
    table = streams.table(command.premises, command.table)
    if coup.state.stage is coups.Stage.OPEN:
        # The table's close is the last moment for a wager, also in a coup that is dealt after it.
        tables.check_open(table)
        if table.state.night.gaming_day != coup.state.conditions.gaming_day:
            raise errors.TableNotOpen(command.table)
    steps.place_wagers(coup, command.wagers)
    return coup


def call_banco(streams: Streams, command: commands.CallBanco) -> Draft[Any]:
    """A player asks for the bank."""
    coup = _coup_of(streams, command)
    table = streams.table(command.premises, command.table)
    bancos.call_banco(coup, table.state, command)
    return coup


def cancel_wagers(streams: Streams, command: commands.CancelWagers) -> Draft[Any]:
    """Wagers go back by mutual consent."""
    coup = _coup_of(streams, command)
    steps.cancel_wagers(coup, command.wagers)
    return coup


def close_wagers(streams: Streams, command: commands.CloseWagers) -> Draft[Any]:
    """No more wagers."""
    coup = _coup_of(streams, command)
    steps.close_wagers(coup, command.hands_in_play)
    return coup


def deal_hands(streams: Streams, command: commands.DealHands | commands.RecordCoup) -> Draft[Any]:
    """The cards are out, and gone from the shoe."""
    coup = _coup_of(streams, command)
    shoe = streams.shoe(command.premises, command.table, command.shoe)
    steps.deal_hands(coup, command.hands, command.claimed, command.decisions)
    shoes.see_cards(shoe, _drawn(command.hands), coup.state.conditions.decks, command.number)
    return coup


def settle_coup(streams: Streams, command: commands.SettleCoup | commands.RecordCoup) -> Draft[Any]:
    """Every wager ends, and the bank that stood for the coup with it."""
    coup = _coup_of(streams, command)
    banker_win = steps.settle_coup(coup)
    if coup.state.conditions.banked_by is BankedBy.PLAYER:
        banco = coup.state.banco
        banks.settle_bank(
            streams.table(command.premises, command.table),
            coup.stream,
            banker_win=banker_win,
            opposing_hand_won=Result.WINS in coup.state.results.values(),
            banco_by=banco.patron if banco else None,
        )
    return coup


def _drawn(hands: Mapping[str, Hand]) -> tuple[Card, ...]:
    return tuple(card for _, card in in_dealt_order(hands))


def _reread(
    streams: Streams, command: commands.CorrectHands | commands.CorrectCoup, was: Mapping[str, Hand]
) -> None:
    """The shoe must have held the cards that a ruling names in place of those that were recorded."""
    shoe = streams.shoe(command.premises, command.table, command.shoe)
    coup = _coup_of(streams, command)
    decks = coup.state.conditions.decks
    shoes.reread_cards(shoe, _drawn(was), _drawn(command.hands), decks, command.number)


def correct_hands(streams: Streams, command: commands.CorrectHands) -> Draft[Any]:
    """A ruling gives a held coup its hands, and it settles."""
    coup = _coup_of(streams, command)
    was = coup.state.hands
    rulings.correct_hands(coup, command.hands, command.reason, command.approvers, command.evidence)
    _reread(streams, command, was)
    steps.settle_coup(coup)
    return coup


def correct_coup(streams: Streams, command: commands.CorrectCoup) -> Draft[Any]:
    """A ruling settles a coup anew."""
    coup = _coup_of(streams, command)
    was = coup.state.hands
    rulings.correct_coup(coup, command.hands, command.reason, command.approvers, command.evidence)
    _reread(streams, command, was)
    return coup


def on_coup(decide: Callable[[Draft[coups.Coup], Any], None]) -> Handler:
    """A handler for a decision that concerns the coup alone."""

    def handle(streams: Streams, command: Any) -> Draft[Any]:
        coup = _coup_of(streams, command)
        decide(coup, command)
        return coup

    return handle


def void_coup(streams: Streams, command: commands.VoidCoup) -> Draft[Any]:
    """A ruling ends a coup that does not count; the bank that stood for it is free again."""
    coup = _coup_of(streams, command)
    rulings.void_coup(coup, command.reason, command.approvers, command.evidence)
    if coup.state.conditions.banked_by is BankedBy.PLAYER:
        table = streams.table(command.premises, command.table)
        banks.settle_bank(table, coup.stream)
    return coup


Handler = Callable[[Streams, Any], Draft[Any]]

HANDLERS: Mapping[type[commands.Command], Handler] = {
    commands.OpenTable: open_table,
    commands.ChangeShift: on_table(tables.change_shift),
    commands.StartShoe: start_shoe,
    commands.EndShoe: end_shoe,
    commands.TakeBank: on_table(banks.take_bank),
    commands.PassBank: on_table(banks.pass_bank),
    commands.RetireBank: on_table(banks.retire_bank),
    commands.DeclareInterest: on_table(banks.declare_interest),
    commands.WithdrawInterest: on_table(banks.withdraw_interest),
    commands.SeatPlayer: on_table(tables.seat_player),
    commands.UnseatPlayer: on_table(tables.unseat_player),
    commands.ChangeOffer: on_table(tables.change_offer),
    commands.TakeCharge: on_table(tables.take_charge),
    commands.FillChips: on_table(tables.move_chips),
    commands.CreditChips: on_table(tables.move_chips),
    commands.CountDrop: count_drop,
    commands.CloseTable: on_table(tables.close_table),
    commands.RecordCoup: record_coup,
    commands.OpenCoup: open_coup,
    commands.PlaceWagers: place_wagers,
    commands.CallBanco: call_banco,
    commands.CancelWagers: cancel_wagers,
    commands.CloseWagers: close_wagers,
    commands.DealHands: deal_hands,
    commands.SettleCoup: settle_coup,
    commands.CorrectHands: correct_hands,
    commands.CorrectCoup: correct_coup,
    commands.VoidCoup: void_coup,
    commands.RaiseDispute: on_coup(disputes.raise_dispute),
    commands.ResolveDispute: on_coup(disputes.resolve_dispute),
}
"""Every command, and what it does. The draft a handler returns is the stream the command was about."""
