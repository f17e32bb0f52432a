"""The playing through of a tape, command by command, in order.

A command that cannot be obeyed is passed over whole. Where the contract is silent, the README says what was
decided.
"""

from __future__ import annotations

from collections.abc import Callable

from .cards import results_of
from .notebook import (
    Accepted,
    Bank,
    Command,
    Coup,
    CoupKey,
    RowKey,
    Shoe,
    Table,
    accepted_stake,
    agrees,
    coup_key,
    is_irregular,
    lost_stake,
    on_missing_hand,
    settled_lines,
    shoe_key,
    two_approvers,
)
from .regulation6 import CHEMIN_DE_FER, DEFAULT_PROFILE, DEFAULT_TERMS


class Night:
    """Every table, shoe and coup that the tape has spoken of so far."""

    def __init__(self) -> None:
        """Begin before the first command."""
        self.seen: set[str] = set()
        self.formats: dict[tuple[str, str, str], str] = {}
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
            "record-coup": self.record_coup,
            "open-coup": self.open_coup,
            "place-wagers": self.place_wagers,
            "cancel-wagers": self.cancel_wagers,
            "close-wagers": self.close_wagers,
            "deal-hands": self.deal_hands,
            "settle-coup": self.settle_coup,
            "correct-hands": self.correct_hands,
            "void-coup": self.void_coup,
            "count-drop": self.count_drop,
        }
        action = actions.get(command["command"])
        if action is not None:
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

    # Tables, shifts, shoes, drops

    def open_table(self, command: Command) -> None:
        """Open a table for a gaming day; a table opens once a day and only when it is closed."""
        name = (command.get("premises", "main"), command["table"])
        day = (*name, command["gaming_day"])
        if self.open_table_of(command) is not None or day in self.formats:
            return
        self.formats[day] = command["format"]
        self.tables[name] = Table(
            premises=name[0],
            name=name[1],
            gaming_day=command["gaming_day"],
            shift=command.get("shift", "1"),
            format=command["format"],
            profile=command.get("profile", DEFAULT_PROFILE),
            terms={**DEFAULT_TERMS, **command.get("terms", {})},
            limits=command.get("limits", {}),
        )

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
        """Add a counted drop to the shift in force, or to the last one when the table has closed."""
        table = self.table_of(command)
        if table is not None:
            key = table.row_key()
            self.drops[key] = self.drops.get(key, 0) + command["amount"]

    # The bank at chemin de fer

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
        if table is None or table.bank is not None or command["capacity"] != "player":
            return
        table.bank = Bank(command["holder"], command["sum"])

    def pass_bank(self, command: Command) -> None:
        """Let the standing bank pass to another player."""
        table = self.table_free_for_bank(command)
        if table is None or table.bank is None or command["capacity"] != "player":
            return
        # 6(5),(6) "give up being banker": a bank that must pass does not pass to the one who held it.
        if table.bank.must_pass and command["holder"] == table.bank.holder:
            return
        table.bank = Bank(command["holder"], command["sum"])

    def retire_bank(self, command: Command) -> None:
        """Let the banker retire: no bank stands until one is taken."""
        table = self.table_free_for_bank(command)
        if table is not None:
            table.bank = None

    def move_bank(self, coup: Coup) -> None:
        """Grow or shrink the bank by what a settled coup won or lost, and mark a losing bank."""
        bank = coup.table.bank
        if bank is None:
            return
        result = results_of(coup.hands)["player"]
        if result == "L":
            bank.sum += sum(lost_stake(coup, line) for line in coup.lines)
        elif result == "W":
            bank.sum -= sum(line["winnings"] for line in coup.lines)
            bank.must_pass = True

    # Coups

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
        cover = None
        if table.format == CHEMIN_DE_FER:
            if table.bank is None or table.bank.must_pass or self.coup_in_hand(table):
                return
            cover = table.bank.sum
        self.coups[coup_key(command)] = Coup(table, table.row_key(), shoe.decks, cover)

    def place_wagers(self, command: Command) -> None:
        """Accept the wagers that the law, the terms, the limits and the bank allow, in their order."""
        coup = self.coup_of(command, "open")
        if coup is not None:
            for wager in command["wagers"]:
                covered = accepted_stake(coup, wager)
                if covered > 0:
                    coup.accepted.append(Accepted(wager, covered))

    def cancel_wagers(self, command: Command) -> None:
        """Cancel wagers by mutual consent, reg 2(2): all those named, or none if one is not there."""
        coup = self.coup_of(command, "open", "closed")
        if coup is None:
            return
        standing = {item.wager["id"] for item in coup.accepted}
        named = set(command["wagers"])
        if named <= standing:
            coup.accepted = [item for item in coup.accepted if item.wager["id"] not in named]

    def close_wagers(self, command: Command) -> None:
        """Take no more wagers."""
        coup = self.coup_of(command, "open")
        if coup is not None:
            coup.state = "closed"

    def deal_hands(self, command: Command) -> None:
        """Deal the hands; wagers on a hand not dealt go back, and irregular hands hold the coup."""
        coup = self.coup_of(command, "closed")
        if coup is None:
            return
        coup.hands = command["hands"]
        coup.accepted = [item for item in coup.accepted if not on_missing_hand(item, coup.hands)]
        coup.state = "held" if is_irregular(coup.table.format, coup.hands) else "dealt"

    def settle_coup(self, command: Command) -> None:
        """Settle a dealt coup and move the bank at chemin de fer."""
        coup = self.coup_of(command, "dealt")
        if coup is not None:
            coup.state = "settled"
            coup.lines = settled_lines(coup)
            self.move_bank(coup)

    def correct_hands(self, command: Command) -> None:
        """Settle a held or settled coup anew from corrected hands; the bank of later coups stays."""
        coup = self.coup_of(command, "held", "settled")
        if coup is None or not two_approvers(command):
            return
        if is_irregular(coup.table.format, command["hands"]):
            return
        coup.hands = command["hands"]
        coup.state = "settled"
        coup.lines = settled_lines(coup)

    def void_coup(self, command: Command) -> None:
        """Make a coup void by ruling: every accepted stake goes back."""
        coup = self.coup_of(command, "open", "closed", "dealt", "held", "settled")
        if coup is not None and two_approvers(command):
            coup.state = "void"
            coup.lines = []
