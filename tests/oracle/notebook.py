"""What a clerk's notebook holds of a night: tables, shoes, coups, and the small questions asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .cards import results_of
from .regulation6 import (
    BANQUE,
    CHEMIN_DE_FER,
    DEFAULT_PROFILE,
    DEFAULT_TERMS,
    PUNTO_BANCO,
    accepted_line,
    bank_covers,
    hand_not_in_play,
    kind_not_available,
    not_payable_exactly,
    punto_banco_tableau_breach,
)

Command = dict[str, Any]
RowKey = tuple[str, str, str, str, str]
CoupKey = tuple[str, str, str, int]


@dataclass
class Bank:
    """The bank at chemin de fer: who holds it and where, the sum at risk, and whether it must pass."""

    holder: str
    sum: int
    seat: int | None = None
    must_pass: bool = False


@dataclass
class Table:
    """One table on one gaming day."""

    premises: str
    name: str
    gaming_day: str
    shift: str
    format: str
    profile: str
    terms: dict[str, Any]
    limits: dict[str, dict[str, int]]
    may_approve: list[str]
    bank: Bank | None = None
    interests: dict[str, str] = field(default_factory=dict)
    seats: dict[str, int] | None = None
    offer: list[str] | None = None
    suivi: str | None = None
    lost_by: str | None = None
    is_open: bool = True
    shifts: list[str] = field(default_factory=list)
    """Those that it has had."""

    def row_key(self, shift: str | None = None) -> RowKey:
        """Return the key of the row that a shift adds to: the one in force, unless another is named."""
        banked_by = "player" if self.format == CHEMIN_DE_FER else "house"
        return (self.premises, self.name, self.gaming_day, shift or self.shift, banked_by)


@dataclass
class Shoe:
    """One shoe: how many decks it held, and whether it has ended."""

    decks: int
    ended: bool = False


@dataclass
class Accepted:
    """An accepted wager and the part of its stake that the bank covers."""

    wager: dict[str, Any]
    covered: int


@dataclass
class Coup:
    """One coup: state is open, closed, dealt, held, settled or void."""

    table: Table
    row_key: RowKey
    decks: int
    cover: int | None
    state: str = "open"
    offer: list[str] | None = None
    accepted: list[Accepted] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    banco: Command | None = None
    recorders: set[str] = field(default_factory=set)
    hands: dict[str, str] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def in_hand(self) -> bool:
        """Say whether the coup has begun and not come to an end or a ruling."""
        return self.state in ("open", "closed", "dealt")

    def cover_left(self) -> int | None:
        """Return what the bank still covers, or None when the house banks without a stated limit."""
        if self.cover is None:
            return None
        terms = self.table.terms
        return self.cover - sum(bank_covers(item.covered, self.cover, terms)[1] for item in self.accepted)


def table_opened(command: Command) -> Table:
    """Return the table that a command opens, with what the tape leaves out filled in."""
    return Table(
        premises=command.get("premises", "main"),
        name=command["table"],
        gaming_day=command["gaming_day"],
        shift=command.get("shift", "1"),
        format=command["format"],
        profile=command.get("profile", DEFAULT_PROFILE),
        terms={**DEFAULT_TERMS, **command.get("terms", {})},
        limits=command.get("limits", {}),
        may_approve=command.get("may_approve", []),
        shifts=[command.get("shift", "1")],
    )


def shoe_key(command: Command) -> tuple[str, str, str]:
    """Return what names a shoe."""
    return (command.get("premises", "main"), command["table"], command["shoe"])


def coup_key(command: Command) -> CoupKey:
    """Return what names a coup."""
    return (*shoe_key(command), command["number"])


def agrees(command: Command, table: Table) -> bool:
    """Say whether what a recorded coup says of its table is what the table says."""
    if command.get("format", table.format) != table.format:
        return False
    if command.get("profile", table.profile) != table.profile:
        return False
    if "terms" in command and {**DEFAULT_TERMS, **command["terms"]} != table.terms:
        return False
    if "bank" in command:
        return table.bank is not None and command["bank"] == table.bank.sum
    return True


def outside_limits(limits: dict[str, dict[str, int]], wager: dict[str, Any]) -> bool:
    """Say whether a stake lies outside the table's limits for its kind."""
    limit = limits.get(wager["kind"], {})
    if "min" in limit and wager["stake"] < limit["min"]:
        return True
    return "max" in limit and wager["stake"] > limit["max"]


def may_be_had(coup: Coup, wager: dict[str, Any]) -> bool:
    """Say whether a wager may be had here, if the bank covers it."""
    table = coup.table
    if wager["id"] in coup.ids:
        return False
    # Whether one or two hands are dealt at banque changes the paragraph of a refusal, never the refusal.
    hands_in_play = 2 if table.format == BANQUE else 1
    # 6(3) "a wager made with the banker": he makes none with himself.
    if table.bank is not None and wager.get("patron") == table.bank.holder:
        return False
    if kind_not_available(table.format, wager["kind"], hands_in_play) is not None:
        return False
    if coup.offer is not None and wager["kind"] not in coup.offer:
        return False
    if not_payable_exactly(wager["kind"], wager["stake"], table.terms):
        return False
    return not outside_limits(table.limits, wager)


def covered_stake(coup: Coup, wager: dict[str, Any]) -> int:
    """Return the part of an offered stake that the bank covers, beside what it has accepted."""
    left = coup.cover_left()
    stake: int = wager["stake"]
    return stake if left is None else bank_covers(stake, left, coup.table.terms)[0]


def on_missing_hand(item: Accepted, hands: dict[str, str]) -> bool:
    """Say whether a wager is on an opposing hand that was not dealt."""
    return hand_not_in_play(item.wager["kind"], list(hands))


def is_irregular(table_format: str, hands: dict[str, str]) -> bool:
    """Say whether third cards break the tableau; only punto banco has one."""
    if table_format != PUNTO_BANCO:
        return False
    return punto_banco_tableau_breach(hands["player"].split(), hands["banker"].split()) is not None


def settled_lines(coup: Coup) -> list[dict[str, Any]]:
    """Settle the accepted wagers of a coup; each line also keeps its kind and its covered stake."""
    results = results_of(coup.hands)
    lines = []
    for item in coup.accepted:
        if not on_missing_hand(item, coup.hands):
            line = accepted_line(item.wager, item.covered, results, coup.table.terms, coup.table.profile)
            lines.append({**line, "kind": item.wager["kind"], "covered": item.covered})
    return lines


def lost_stake(coup: Coup, line: dict[str, Any]) -> int:
    """Return what a line loses the bettor."""
    stake: int = line["covered"]
    return stake if line["outcome"] == "lost" else 0
