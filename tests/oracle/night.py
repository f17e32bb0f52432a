"""The profit and loss of a night, worked out from the tape alone.

The tape is played through first and nothing is added up on the way. At the end each coup is in one final
state, and the rows are added up from those, so that no ruling ever has to take a figure back.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from .enumeration import edge
from .notebook import Command, Coup, RowKey, lost_stake
from .play import Night
from .regulation6 import PUNTO_BANCO

Row = dict[str, Any]


def empty_row(key: RowKey, is_punto_banco: bool) -> Row:
    """Return a row with nothing counted; fractions are still fractions."""
    names = ("premises", "table", "gaming_day", "shift", "banked_by")
    row: Row = dict(zip(names, key, strict=True))
    row.update(dict.fromkeys(("coups", "voided", "held", "wagers", "handle", "lost_stakes", "winnings"), 0))
    row.update(
        dict.fromkeys(("win", "banker_win", "void_stakes", "stand_off_stakes", "voided_coup_stakes"), 0)
    )
    row["remainder"] = Fraction(0)
    row["theoretical_win"] = Fraction(0) if is_punto_banco else None
    row["drop"] = None
    row["hold"] = None
    return row


def add_coup(row: Row, coup: Coup) -> None:
    """Count one coup in its row, by the state that the night left it in."""
    if coup.state == "held":
        row["held"] += 1
    elif coup.state == "void":
        row["voided"] += 1
        row["voided_coup_stakes"] += sum(item.covered for item in coup.accepted)
    elif coup.state == "settled":
        row["coups"] += 1
        for line in coup.lines:
            add_line(row, coup, line)


def add_line(row: Row, coup: Coup, line: dict[str, Any]) -> None:
    """Count one settled wager in its row."""
    row["wagers"] += 1
    row["handle"] += line["covered"]
    row["winnings"] += line["winnings"]
    row["remainder"] += Fraction(line["remainder"])
    row["lost_stakes"] += lost_stake(coup, line)
    if line["outcome"] == "void":
        row["void_stakes"] += line["covered"]
    if line["outcome"] == "stand-off":
        row["stand_off_stakes"] += line["covered"]
    if coup.table.format == PUNTO_BANCO:
        house_edge = edge(coup.decks, line["kind"], coup.table.terms["banker_on_draw"])
        row["theoretical_win"] += line["covered"] * house_edge


def finish_row(row: Row, drop: int | None) -> None:
    """Work out the win and the hold, and write the fractions out."""
    result = row["lost_stakes"] - row["winnings"]
    row["banker_win" if row["banked_by"] == "player" else "win"] = result
    row["drop"] = drop
    if drop is not None and drop != 0:
        row["hold"] = str(Fraction(row["win"], drop))
    row["remainder"] = str(row["remainder"])
    if row["theoretical_win"] is not None:
        row["theoretical_win"] = str(row["theoretical_win"])


def pnl(lines: Iterable[Command]) -> list[Row]:
    """Return the P&L rows of a tape, one for each shift with a coup ended or held or a drop counted."""
    night = Night()
    for line in lines:
        night.obey(line)
    ended = [coup for coup in night.coups.values() if not coup.in_hand()]
    keys = sorted({coup.row_key for coup in ended} | set(night.drops))
    rows = {key: empty_row(key, night.nights[key[:3]].format == PUNTO_BANCO) for key in keys}
    for coup in ended:
        add_coup(rows[coup.row_key], coup)
    for key, row in rows.items():
        finish_row(row, night.drops.get(key))
    return list(rows.values())
