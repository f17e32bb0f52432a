"""The bank: whether it may stand, who comes first when several ask for it, and how a coup moves it."""

from __future__ import annotations

from .cards import results_of
from .notebook import Bank, Command, Coup, Table, lost_stake
from .regulation6 import CHEMIN_DE_FER, kind_not_available

RANKS = ("suivi", "banco", "with-the-table")


def interests_bar(table: Table) -> bool:
    """Say whether somebody who may not have one has a share or interest in the bank."""
    for capacity in table.interests.values():
        if table.format == CHEMIN_DE_FER:
            # 6(6) "neither the holder of the licence nor any person acting on his behalf ... any share".
            if capacity in ("licence-holder", "employee"):
                return True
        # 6(5)(b) "no person other than the holder of the licence shall have any share or interest".
        elif capacity != "licence-holder":
            return True
    return False


def at_the_table(table: Table, patron: str) -> bool:
    """Say whether a player sits there, as far as the table reports who does."""
    return table.seats is None or patron in table.seats


def seat_of(table: Table, patron: str, said: int) -> int:
    """Return where somebody sits: where the table has seated them, else where they are said to."""
    return (table.seats or {}).get(patron, said)


def banks_and_sits(table: Table, patron: str) -> bool:
    """Say whether a seated player holds the bank."""
    return table.bank is not None and table.bank.holder == patron and patron in (table.seats or {})


def begin_bank(table: Table, command: Command) -> None:
    """Begin a player's bank: nobody has a share in it, or a suivi against it, from the one before."""
    seats = table.seats or {}
    seat = seats.get(command["holder"], command.get("seat"))
    table.bank = Bank(command["holder"], command["sum"], seat)
    table.lost_by = None
    table.suivi = None
    table.interests = {}


def bankers_seat(table: Table) -> int | None:
    """Return where the banker sits: where he was said to when the bank began, else where he was seated."""
    if table.bank is None:
        return None
    if table.bank.seat is not None:
        return table.bank.seat
    return (table.seats or {}).get(table.bank.holder)


def seats_from_the_banker(table: Table, seat: int) -> int:
    """Count the seats from the banker's right, round; the banker's own comes last."""
    bankers = bankers_seat(table)
    if bankers is None:
        return seat
    return seat - bankers if seat > bankers else seat - bankers + 100


def comes_first(table: Table, asked: Command, standing: Command) -> bool:
    """Say whether a call has more right than the one that stands."""
    ranks = [RANKS.index(call.get("call", "banco")) for call in (asked, standing)]
    if ranks[0] != ranks[1]:
        return ranks[0] < ranks[1]
    return seats_from_the_banker(table, asked["seat"]) < seats_from_the_banker(table, standing["seat"])


def banco_stake(call: str, sum_at_risk: int, unit: int) -> int:
    """Return what a call covers: the whole bank or the larger half of it, in units that can be paid."""
    units = sum_at_risk // unit
    if call == "with-the-table":
        units = (units + 1) // 2
    return units * unit


def may_call(coup: Coup, command: Command) -> bool:
    """Say whether a player may ask for the bank of an open coup now."""
    table = coup.table
    if not coup.cover or table.bank is None or table.bank.holder == command["patron"]:
        return False
    if not at_the_table(table, command["patron"]):
        return False
    command = {**command, "seat": seat_of(table, command["patron"], command["seat"])}
    call = command.get("call", "banco")
    if call == "suivi" and table.suivi != command["patron"]:
        return False
    standing = coup.banco
    staked = [item.wager["id"] for item in coup.accepted]
    if staked != ([standing["wager"]] if standing else []) or command["wager"] in coup.ids:
        return False
    if standing is not None and not comes_first(table, command, standing):
        return False
    stake = banco_stake(call, coup.cover, table.terms["unit"])
    limit = table.limits.get("player", {})
    if stake < limit.get("min", 0) or stake > limit.get("max", stake):
        return False
    return stake > 0 and (coup.offer is None or "player" in coup.offer)


def move_bank(coup: Coup) -> None:
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
    coup.table.lost_by = bank.holder if bank.must_pass else None
    # The suivi is the right of whoever lost the last banco; where nothing moved it does not either.
    if result == "W" or any(line["outcome"] == "lost" for line in coup.lines):
        coup.table.suivi = coup.banco["patron"] if coup.banco and result == "L" else None


def note(table: Table, command: Command) -> None:
    """Write down a share in the bank, a seat or an offer; a seat that somebody else has is not given."""
    name = command["command"]
    if name == "declare-interest":
        table.interests[command["person"]] = command["capacity"]
    elif name == "withdraw-interest":
        table.interests.pop(command["person"], None)
    elif name == "change-offer":
        # 6(4), 6(7): what may be had in no coup of the table is not offered. One hand may be in play.
        if not any(kind_not_available(table.format, kind, 1) for kind in command["kinds"]):
            table.offer = command["kinds"]
    elif name == "unseat-player":
        (table.seats or {}).pop(command["patron"], None)
    else:
        seats = table.seats or {}
        others = {seat for patron, seat in seats.items() if patron != command["patron"]}
        if command["seat"] not in others:
            table.seats = {**seats, command["patron"]: command["seat"]}
