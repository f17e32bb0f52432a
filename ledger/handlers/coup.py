"""What the commands about a coup touch, and which decisions they take, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from ledger import commands, errors
from ledger.aggregates import banco as bancos
from ledger.aggregates import bank as banks
from ledger.aggregates import coup as coups
from ledger.aggregates import day as days
from ledger.aggregates import night as nights
from ledger.aggregates import ruling as rulings
from ledger.aggregates import shoe as shoes
from ledger.aggregates import steps
from ledger.aggregates import table as tables
from ledger.aggregates.draft import Draft
from ledger.handlers.streams import Handler, Streams
from ledger.terms.formats import check_hands
from ledger.terms.hands import BANKER, Hand, Result, cards_drawn
from ledger.terms.house import BankedBy
from ledger.terms.plain import made_plain, write


def _coup_of(streams: Streams, command: Any) -> Draft[coups.Coup]:
    return streams.coup(command.premises, command.table, command.shoe, command.number)


def _check_stated(table: tables.Table, command: commands.RecordCoup) -> None:
    """What the line states of the conditions must be what the table plays under."""
    night = table.night
    for field, stated, table_has in (
        ("format", command.format, night.format),
        ("profile", command.profile, night.profile),
        ("terms", command.terms and made_plain(command.terms), table.terms),
        ("bank", command.bank, table.bank.sum if table.bank else None),
    ):
        if stated is not None and stated != table_has:
            raise errors.ConditionsDiffer(field, _told(stated), _told(table_has))


def _told(condition: Any) -> str:
    return condition if isinstance(condition, str) else write(condition).decode()


def record_coup(streams: Streams, command: commands.RecordCoup) -> Draft[Any]:
    """A whole coup at once: the steps below, in a row."""
    table = streams.table(command.premises, command.table)
    nights.shoe_in_use(table, command.shoe)
    _check_stated(table.state, command)
    check_hands(table.state.format, command.hands)
    coup = _open(streams, table, command)
    _place(coup, table, command)
    steps.close_wagers(coup, [name for name in command.hands if name != BANKER])
    _deal(streams, coup, command)
    if coup.state.stage is coups.Stage.DEALT:
        _settle(streams, coup, command)
    return coup


def open_coup(streams: Streams, command: commands.OpenCoup) -> Draft[coups.Coup]:
    """A coup opens under the table's conditions; a player's bank stands for it."""
    return _open(streams, streams.table(command.premises, command.table), command)


def _open(
    streams: Streams, table: Draft[tables.Table], command: commands.OpenCoup | commands.RecordCoup
) -> Draft[coups.Coup]:
    shoe = nights.shoe_in_use(table, command.shoe)
    coup = streams.coup(command.premises, command.table, command.shoe, command.number, new=True)
    if coup.state.stage is not coups.Stage.NEW:
        raise errors.CoupNumberUsed(coup.stream)
    bank = banks.bank_that_stands(table)
    night = table.state.night
    steps.open_coup(
        coup,
        premises=command.premises,
        table=command.table,
        shoe=command.shoe,
        number=command.number,
        conditions=nights.conditions(table, shoe, bank),
        limits=night.limits,
        offer=table.state.offer,
        may_approve=night.may_approve,
    )
    if bank is not None:
        banks.commit_bank(table, coup.stream, bank)
    return coup


def place_wagers(streams: Streams, command: commands.PlaceWagers) -> Draft[Any]:
    """Wagers are offered; each is accepted or refused."""
    coup = _coup_of(streams, command)
    _place(coup, streams.table(command.premises, command.table), command)
    return coup


def _place(
    coup: Draft[coups.Coup],
    table: Draft[tables.Table],
    command: commands.PlaceWagers | commands.RecordCoup,
) -> None:
    if coup.state.stage is coups.Stage.OPEN:
        # The table's close is the last moment for a wager, also in a coup that is dealt after it.
        tables.check_open(table)
        if table.state.night.gaming_day != coup.state.conditions.gaming_day:
            raise errors.TableNotOpen(command.table)
    steps.place_wagers(coup, command.wagers, banks.bankers_seat(table.state), table.state.seats)


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


def deal_hands(streams: Streams, command: commands.DealHands) -> Draft[Any]:
    """The cards are out, and gone from the shoe."""
    coup = _coup_of(streams, command)
    _deal(streams, coup, command)
    return coup


def _deal(
    streams: Streams, coup: Draft[coups.Coup], command: commands.DealHands | commands.RecordCoup
) -> None:
    shoe = streams.shoe(command.premises, command.table, command.shoe)
    steps.deal_hands(coup, command.hands, command.claimed, command.decisions)
    shoes.see_cards(shoe, cards_drawn(command.hands), coup.state.conditions.decks, command.number)


def settle_coup(streams: Streams, command: commands.SettleCoup) -> Draft[Any]:
    """Every wager ends, and the bank that stood for the coup with it."""
    coup = _coup_of(streams, command)
    _settle(streams, coup, command)
    return coup


def _settle(
    streams: Streams, coup: Draft[coups.Coup], command: commands.SettleCoup | commands.RecordCoup
) -> None:
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


def _reread(
    streams: Streams, command: commands.CorrectHands | commands.CorrectCoup, was: Mapping[str, Hand]
) -> None:
    """The shoe must have held the cards that a ruling names in place of those that were recorded."""
    shoe = streams.shoe(command.premises, command.table, command.shoe)
    coup = _coup_of(streams, command)
    decks = coup.state.conditions.decks
    shoes.reread_cards(shoe, cards_drawn(was), cards_drawn(command.hands), decks, command.number)


def _booked_on(streams: Streams, coup: Draft[coups.Coup]) -> date | None:
    """The open gaming day on which to book a ruling, where the coup's own is sealed."""
    opened = coup.state.opened
    if opened is None:
        return None
    if not streams.day(opened.premises, opened.conditions.gaming_day).state.sealed:
        return None
    return date.fromisoformat(days.day_of(streams.open_day(opened.premises)))


def before_seal(handler: Handler) -> Handler:
    """A handler for a step of a coup: none is taken once the coup's gaming day is sealed.

    A day is sealed only with all its tables closed, so while the coup's is open nothing more is asked. What
    was left unfinished for all that can be ruled void, on an open day.
    """

    def handle(streams: Streams, command: Any) -> Draft[Any]:
        opened = _coup_of(streams, command).state.opened
        if opened is not None:
            gaming_day = opened.conditions.gaming_day
            if streams.night(opened.premises, opened.table, gaming_day).state.closed:
                days.check_unsealed(streams.day(opened.premises, gaming_day))
        return handler(streams, command)

    return handle


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
    booked_on = _booked_on(streams, coup)
    rulings.correct_coup(
        coup, command.hands, command.reason, command.approvers, command.evidence, booked_on=booked_on
    )
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
    booked_on = _booked_on(streams, coup)
    rulings.void_coup(coup, command.reason, command.approvers, command.evidence, booked_on=booked_on)
    if coup.state.conditions.banked_by is BankedBy.PLAYER:
        table = streams.table(command.premises, command.table)
        banks.settle_bank(table, coup.stream)
    return coup
