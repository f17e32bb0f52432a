"""Writers that run beside one another on one record, and the cards for them to report."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.errors import LedgerBusy
from tests.oracle.regulation6 import punto_banco_tableau_breach
from tests.tabletalk import command, open_ledger

Line = dict[str, Any]
PATIENCE = 100
"""How often a writer sends a command again when the others keep being first."""


def coups_of_a_shoe(seed: int, decks: int = 8) -> Iterator[str]:
    """Regular coups of punto banco, dealt from one shuffled shoe until it runs short."""
    ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    shoe = ranks * 4 * decks
    random.Random(seed).shuffle(shoe)
    while len(shoe) >= 6:
        player, banker = [shoe.pop(), shoe.pop()], [shoe.pop(), shoe.pop()]
        for hand in (player, banker):
            breach = punto_banco_tableau_breach(player, banker)
            owed = "player-must-draw" if hand is player else "banker-must-draw"
            if breach == owed:
                hand.append(shoe.pop())
        assert punto_banco_tableau_breach(player, banker) is None
        yield f"P {' '.join(player)} / B {' '.join(banker)}"


def insist(ledger: Ledger, line: Line) -> Answer:
    """The answer to a command, sent again while the ledger is busy: nothing was recorded of it then."""
    for _ in range(PATIENCE):
        try:
            return ledger.run(command(line))
        except LedgerBusy:
            continue
    msg = f"{line['id']} never got through"
    raise AssertionError(msg)


_start: list[Barrier] = []


def _arrive(barrier: Barrier) -> None:
    _start.append(barrier)


def _write(path: Path, lines: Sequence[Line]) -> list[Answer]:
    ledger = open_ledger(path)
    _start[0].wait(timeout=60)
    answers = [insist(ledger, line) for line in lines]
    ledger.close()
    return answers


def in_processes(path: Path, shares: Sequence[Sequence[Line]]) -> list[list[Answer]]:
    """Each share run by a process of its own, all starting together."""
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(len(shares))
    with context.Pool(len(shares), initializer=_arrive, initargs=(barrier,)) as pool:
        return pool.starmap(_write, [(path, share) for share in shares], chunksize=1)


def meanwhile(ledger: Ledger, act: Callable[[], object]) -> None:
    """Let `act` happen once between the ledger's next decision and its save."""
    recorder = ledger.recorder
    append = ledger.record.append

    def late(*arguments: Any) -> range:
        del recorder.append  # type: ignore[attr-defined]
        act()
        return append(*arguments)

    recorder.append = late  # type: ignore[attr-defined]
