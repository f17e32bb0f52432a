"""What the commands about a table touch, and which decisions they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger import commands, errors
from ledger.aggregates import day as days
from ledger.aggregates import night as nights
from ledger.aggregates import shoe as shoes
from ledger.aggregates import table as tables
from ledger.aggregates.draft import Draft
from ledger.handlers.streams import Handler, Streams
from ledger.terms.cards import cards


def open_table(streams: Streams, command: commands.OpenTable) -> Draft[Any]:
    """A table opens for its gaming day."""
    night, last = streams.new_night(command)
    nights.open_table(night, last, command)
    days.list_table(streams.day(command.premises, command.gaming_day), night.state)
    return night


def start_shoe(streams: Streams, command: commands.StartShoe) -> Draft[Any]:
    """A shoe comes into use; cards burnt face up are seen."""
    table = streams.table(command.premises, command.table)
    shoe = streams.shoe(command.premises, command.table, command.shoe)
    nights.start_shoe(table, command)
    if shoe.version:
        raise errors.ShoeIdUsed(shoe.stream)
    burned = cards(command.burned or "")
    shoes.see_cards(shoe, burned, command.decks, None, command.burned_face_down)
    return table


def on_night(decide: Callable[[Draft[tables.Table], Any], None]) -> Handler:
    """A handler for what comes to light of a night, perhaps when the table has opened for another.

    Its day must not be sealed.
    """

    def handle(streams: Streams, command: commands.CountDrop | commands.VoidSlip) -> Draft[Any]:
        if command.gaming_day is None:
            table = streams.table(command.premises, command.table)
        else:
            table = streams.night(command.premises, command.table, command.gaming_day)
        decide(table, command)
        days.check_unsealed(streams.day(command.premises, table.state.night.gaming_day))
        return table

    return handle


def end_shoe(streams: Streams, command: commands.EndShoe) -> Draft[Any]:
    """A shoe goes out of use."""
    table = streams.table(command.premises, command.table)
    nights.end_shoe(table, command.shoe)
    return table


def on_table(decide: Callable[[Draft[tables.Table], Any], None]) -> Handler:
    """A handler for a decision that concerns the table alone."""

    def handle(streams: Streams, command: Any) -> Draft[Any]:
        table = streams.table(command.premises, command.table)
        decide(table, command)
        return table

    return handle
