"""The recordings as the ledger takes them: roads as letters, coups as hands.

They lie beside the repository, or where `BACCARAT_LEDGER_REAL_DATA` says. Nobody gave leave to republish
them, so they are read where they are.
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import NamedTuple

BESIDE = Path(__file__).parents[2].parent / "shared" / "data" / "real"
FOLDER = Path(os.environ.get("BACCARAT_LEDGER_REAL_DATA", BESIDE))
MISSING = (
    "" if FOLDER.is_dir() else f"no recordings in {FOLDER}; BACCARAT_LEDGER_REAL_DATA says where they are"
)

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
WINNERS = {"P": "player", "B": "banker", "T": "tie"}
"""A road's letters, in the words of a claim."""


class Recorded(NamedTuple):
    """A coup with its cards."""

    number: int
    hands: dict[str, str]


def table(name: str) -> list[dict[str, str]]:
    """A comma-separated recording, a row for a line."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def shoe() -> list[Recorded]:
    """The shoe of 75 coups, by ranks."""
    coups = json.loads((FOLDER / "jackchang_shoe-75-coups.json").read_text(encoding="utf-8"))
    return [
        Recorded(coup["id"], {name: " ".join(coup[name]) for name in ("player", "banker")}) for coup in coups
    ]


def card_of(code: str) -> str:
    """A card coded 1 to 52: the ace of one suit first."""
    return RANKS[(int(code) - 1) % 13]


def lobby_coups() -> dict[str, tuple[Recorded, str]]:
    """The four coups of the live lobby with cards, by table, and the last letter of that table's road."""
    coups = {}
    for row in table("live-lobby_2020-09-02_card-codes.csv"):
        at_table = {
            name: " ".join(map(card_of, row[f"{name}_codes"].split())) for name in ("player", "banker")
        }
        coups[row["table"]] = Recorded(1, at_table), row["road_last"]
    return coups
