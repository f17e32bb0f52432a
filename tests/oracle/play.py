"""The playing through of a tape, command by command, in order.

A command that cannot be obeyed is passed over whole. Where the contract is silent, the README says what was
decided.
"""

from __future__ import annotations

from collections.abc import Callable

from .bank import (
    at_the_table,
    banco_stake,
    bankers_seat,
    banks_and_sits,
    begin_bank,
    interests_bar,
    may_call,
    move_bank,
    note,
    seat_of,
)
from .notebook import (
    Accepted,
    Command,
    Coup,
    CoupKey,
    RowKey,
    Shoe,
    Table,
    agrees,
    coup_key,
    covered_stake,
    is_irregular,
    may_be_had,
    on_missing_hand,
    settled_lines,
    shoe_key,
    table_opened,
)
from .regulation6 import CHEMIN_DE_FER, bank_is_short, round_the_table
from .ruling import approved, hands_may_be, same_hands


class Night:
    """Every table, shoe and coup that the tape has spoken of so far."""

    def __init__(self) -> None:
        """Begin before the first command."""
        self.seen: set[str] = set()
        self.nights: dict[tuple[str, str, str], Table] = {}
        self.tables: dict[tuple[str, str], Table] = {}
        self.shoes: dict[tuple[str, str, str], Shoe] = {}
        self.coups: dict[CoupKey, Coup] = {}
        self.drops: dict[RowKey, int] = {}

    def obey(self, command: Command) -> None:
        """Carry out one command; a repeated id and a command without effect on the P&L do nothing."""
        if command["id"] in self.seen:
            return
        self.seen.add(command["id"])
        actions: dict[str, Callable[[Command], None]] = {
            "open-table": self.open_table,
            "close-table": self.close_table,
            "change-shift": self.change_shift,
            "start-shoe": self.start_shoe,
            "end-shoe": self.end_shoe,
            "take-bank": self.take_bank,
            "pass-bank": self.pass_bank,
            "retire-bank": self.retire_bank,
            "declare-interest": self.note_at_table,
            "withdraw-interest": self.note_at_table,
            "seat-player": self.note_at_table,
            "unseat-player": self.note_at_table,
            "change-offer": self.note_at_table,
            "call-banco": self.call_banco,
            "record-coup": self.record_coup,
            "open-coup": self.open_coup,
            "place-wagers": self.place_wagers,
            "cancel-wagers": self.cancel_wagers,
            "close-wagers": self.close_wagers,
            "deal-hands": self.deal_hands,
            "settle-coup": self.settle_coup,
            "correct-hands": self.correct_hands,
            "correct-coup": self.correct_coup,
            "void-coup": self.void_coup,
            "count-drop": self.count_drop,
        }
        if action := actions.get(command["command"]):
            action(command)

    # Finding what a command speaks of

    def table_of(self, command: Command) -> Table | None:
        """Return the table of a command, open or closed."""
        return self.tables.get((command.get("premises", "main"), command["table"]))

    def open_table_of(self, command: Command) -> Table | None:
        """Return the table of a command if it stands open."""
        table = self.table_of(command)
        return table if table is not None and table.is_open else None

    def coup_of(self, command: Command, *states: str) -> Coup | None:
        """Return the coup of a command if it is in one of the states."""
        coup = self.coups.get(coup_key(command))
        return coup if coup is not None and coup.state in states else None

    def coup_in_hand(self, table: Table) -> bool:
        """Say whether a coup has begun at the table and not ended."""
        return any(coup.table is table and coup.in_hand() for coup in self.coups.values())

    def open_table(self, command: Command) -> None:
        """Open a table for a gaming day; a table opens once a day and only when it is closed."""
        name = (command.get("premises", "main"), command["table"])
        day = (*name, command["gaming_day"])
        if self.open_table_of(command) is not None or day in self.nights:
            return
        self.nights[day] = self.tables[name] = table_opened(command)

    def close_table(self, command: Command) -> None:
        """Close a table, once its final coup has ended."""
        table = self.open_table_of(command)
        if table is not None and not self.coup_in_hand(table):
            table.is_open = False

    def change_shift(self, command: Command) -> None:
        """Put another shift in force; coups already open stay with theirs."""
        table = self.open_table_of(command)
        if table is not None:
            table.shift = command["shift"]
            table.shifts.append(command["shift"])

    def start_shoe(self, command: Command) -> None:
        """Start a shoe at an open table; a shoe starts once."""
        key = shoe_key(command)
        if self.open_table_of(command) is not None and key not in self.shoes:
            self.shoes[key] = Shoe(command["decks"])

    def end_shoe(self, command: Command) -> None:
        """End a shoe: no further coup opens from it."""
        shoe = self.shoes.get(shoe_key(command))
        if shoe is not None:
            shoe.ended = True

    def count_drop(self, command: Command) -> None:
        """Add a counted drop to the shift and day it names, if there were such, or to the last ones."""
        table = self.table_of(command)
        if "gaming_day" in command:
            table = self.nights.get(
                (command.get("premises", "main"), command["table"], command["gaming_day"])
            )
        if table is not None and command.get("shift") in (None, *table.shifts):
            key = table.row_key(command.get("shift"))
            self.drops[key] = self.drops.get(key, 0) + command["amount"]

    def table_free_for_bank(self, command: Command) -> Table | None:
        """Return the chemin de fer table of a command, if no coup is in hand to keep the bank there."""
        table = self.open_table_of(command)
        if table is None or table.format != CHEMIN_DE_FER or self.coup_in_hand(table):
            return None
        return table

    def take_bank(self, command: Command) -> None:
        """Let a player take a bank that nobody holds."""
        table = self.table_free_for_bank(command)
        # 6(6) "neither the holder of the licence nor any person acting on his behalf shall hold the bank".
        if table is None or table.bank is not None or command.get("capacity", "player") != "player":
            return
        # 6(6) "give up being banker": who has just lost it does not take it again.
        if command["holder"] != table.lost_by and at_the_table(table, command["holder"]):
            begin_bank(table, command)

    def pass_bank(self, command: Command) -> None:
        """Let the standing bank pass to another player."""
        table = self.table_free_for_bank(command)
        if table is None or table.bank is None or command.get("capacity", "player") != "player":
            return
        # 6(5),(6) "give up being banker": a bank does not pass to the one who held it.
        if command["holder"] != table.bank.holder and at_the_table(table, command["holder"]):
            begin_bank(table, command)

    def retire_bank(self, command: Command) -> None:
        """Let the banker retire: no bank stands until one is taken."""
        table = self.table_free_for_bank(command)
        if table is not None:
            table.bank = None

    def note_at_table(self, command: Command) -> None:
        """Note who has a share in the bank, who sits where and what is on offer."""
        table = self.open_table_of(command)
        if table is None:
            return
        leaves_a_bank = command["command"] == "unseat-player" and banks_and_sits(table, command["patron"])
        if leaves_a_bank and self.coup_in_hand(table):
            return
        if leaves_a_bank:
            table.bank = None
        note(table, command)

    def record_coup(self, command: Command) -> None:
        """Take a whole coup at once: the same as every step in turn."""
        table = self.open_table_of(command)
        if table is None or coup_key(command) in self.coups or not agrees(command, table):
            return
        self.open_coup(command)
        if coup_key(command) in self.coups:
            self.place_wagers(command)
            self.close_wagers(command)
            self.deal_hands(command)
            self.settle_coup(command)

    def open_coup(self, command: Command) -> None:
        """Open a coup: its number is new, its shoe runs and, at chemin de fer, a bank stands."""
        table = self.open_table_of(command)
        shoe = self.shoes.get(shoe_key(command))
        if table is None or shoe is None or shoe.ended or coup_key(command) in self.coups:
            return
        if interests_bar(table):
            return
        cover = None
        if table.format == CHEMIN_DE_FER:
            if table.bank is None or table.bank.must_pass or self.coup_in_hand(table):
                return
            cover = table.bank.sum
        coup = Coup(table, table.row_key(), shoe.decks, cover, offer=table.offer)
        coup.recorders.add(command["actor"])
        self.coups[coup_key(command)] = coup

    def place_wagers(self, command: Command) -> None:
        """Accept the wagers that the law, the terms, the limits and the bank allow.

        In the order offered; by seats where the bank is short.
        """
        coup = self.coup_of(command, "open", "closed", "dealt", "held")
        if coup is None:
            return
        # Who reports wagers is a recorder of the coup, whether they are taken or not.
        if command["wagers"]:
            coup.recorders.add(command["actor"])
        if coup.state != "open":
            return
        wagers = [wager for wager in command["wagers"] if may_be_had(coup, wager)]
        left, table = coup.cover_left(), coup.table
        if left is not None and bank_is_short(wagers, left, table.terms):
            wagers = round_the_table(wagers, bankers_seat(table), table.seats or {})
        for wager in wagers:
            covered = covered_stake(coup, wager)
            if covered > 0:
                coup.accepted.append(Accepted(wager, covered))
                coup.ids.add(wager["id"])

    def call_banco(self, command: Command) -> None:
        """Let a player cover the bank, or half of it, before anybody has staked."""
        coup = self.coup_of(command, "open")
        if coup is None or coup.cover is None or not may_call(coup, command):
            return
        stake = banco_stake(command.get("call", "banco"), coup.cover, coup.table.terms["unit"])
        wager = {"id": command["wager"], "kind": "player", "stake": stake}
        coup.accepted = [Accepted(wager, stake)]
        coup.ids.add(command["wager"])
        coup.banco = {**command, "seat": seat_of(coup.table, command["patron"], command["seat"])}
        coup.recorders.add(command["actor"])

    def cancel_wagers(self, command: Command) -> None:
        """Cancel wagers by mutual consent, reg 2(2): all those named, or none if one is not there."""
        coup = self.coup_of(command, "open", "closed")
        if coup is None:
            return
        standing = {item.wager["id"] for item in coup.accepted}
        named = set(command["wagers"])
        if named <= standing:
            coup.recorders.add(command["actor"])
            coup.accepted = [item for item in coup.accepted if item.wager["id"] not in named]
            if coup.banco is not None and coup.banco["wager"] in named:
                coup.banco = None

    def close_wagers(self, command: Command) -> None:
        """Take no more wagers; those on a hand that will not be dealt go back, reg 2(2)."""
        coup = self.coup_of(command, "open")
        if coup is not None:
            coup.state = "closed"
            coup.recorders.add(command["actor"])
            in_play = dict.fromkeys(command.get("hands_in_play") or ["player", "hand-1", "hand-2"], "")
            coup.accepted = [item for item in coup.accepted if not on_missing_hand(item, in_play)]

    def deal_hands(self, command: Command) -> None:
        """Deal the hands; wagers on a hand not dealt go back, and irregular hands hold the coup."""
        coup = self.coup_of(command, "closed")
        if coup is None:
            return
        coup.recorders.add(command["actor"])
        coup.hands = command["hands"]
        coup.accepted = [item for item in coup.accepted if not on_missing_hand(item, coup.hands)]
        coup.state = "held" if is_irregular(coup.table.format, coup.hands) else "dealt"

    def settle_coup(self, command: Command) -> None:
        """Settle a dealt coup and move the bank at chemin de fer."""
        coup = self.coup_of(command, "dealt")
        if coup is not None:
            coup.recorders.add(command["actor"])
            coup.state = "settled"
            coup.lines = settled_lines(coup)
            move_bank(coup)

    def correct_hands(self, command: Command) -> None:
        """Settle a held coup from the hands that a ruling gives it."""
        coup = self.coup_of(command, "held")
        if coup is not None and approved(command, coup) and hands_may_be(coup, command["hands"]):
            coup.hands = command["hands"]
            coup.state = "settled"
            coup.lines = settled_lines(coup)

    def correct_coup(self, command: Command) -> None:
        """Settle a settled coup anew from other hands; the bank and later coups stay as they were."""
        coup = self.coup_of(command, "settled")
        if coup is None or not approved(command, coup) or not hands_may_be(coup, command["hands"]):
            return
        if not same_hands(coup.hands, command["hands"]):
            coup.hands = command["hands"]
            coup.lines = settled_lines(coup)

    def void_coup(self, command: Command) -> None:
        """Make a coup void by ruling, settled or not: every accepted stake goes back."""
        coup = self.coup_of(command, "open", "closed", "dealt", "held", "settled")
        if coup is not None and approved(command, coup):
            coup.state = "void"
            coup.lines = []
