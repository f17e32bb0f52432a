"""Several writers at one coup of chemin de fer: whoever is overtaken, the bank covers what was accepted."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.application import Ledger
from ledger.events.base import LedgerEvent
from ledger.events.command import CommandRecorded
from ledger.events.coup import WagersCancelled, WagersPlaced
from tests.application.writers import insist, meanwhile
from tests.oracle.play import Night as OracleNight
from tests.tabletalk import Night, all_events, command, open_ledger, play

Line = dict[str, Any]
COUP = "coup/main/T1/S1/1"
WRITERS = 3
Step = tuple[int, bool, Line]
"""Which writer, whether the next step happens between this one's decision and its save, and the command."""


@st.composite
def _line(draw: st.DrawFn, index: int) -> Line:
    """A stake, a call, or taking either back; ids are the patron's own or somebody's before."""
    night = Night("chemin-de-fer", prefix=f"s{index}-")
    seat = draw(st.integers(1, 6))
    name = draw(
        st.sampled_from(["place-wagers", "place-wagers", "call-banco", "call-banco", "cancel-wagers"])
    )
    if name == "place-wagers":
        stakes = draw(st.lists(st.integers(1, 700), min_size=1, max_size=3))
        offered = [
            {"id": f"w{index}-{place}", "kind": "player", "stake": stake, "patron": f"p-{seat}"}
            for place, stake in enumerate(stakes)
        ]
        return night.step(name, 1, wagers=offered)
    if name == "call-banco":
        kind = draw(st.sampled_from(["banco", "with-the-table"]))
        return night.step(name, 1, call=kind, patron=f"p-{seat}", seat=seat, wager=f"b{index}")
    earlier = draw(st.integers(0, index))
    return night.step(name, 1, wagers=[draw(st.sampled_from([f"w{earlier}-0", f"b{earlier}"]))])


@st.composite
def schedules(draw: st.DrawFn) -> list[Step]:
    """Steps of several writers, each of which the next may overtake; perhaps the close among them."""
    count = draw(st.integers(2, 9))
    lines = [draw(_line(index)) for index in range(count)]
    if draw(st.booleans()):
        close = Night("chemin-de-fer", prefix="close-").step("close-wagers", 1)
        lines.insert(draw(st.integers(count // 2, count)), close)
    return [(draw(st.integers(0, WRITERS - 1)), draw(st.booleans()), line) for line in lines]


@contextmanager
def writers() -> Iterator[list[Ledger]]:
    """Ledgers on one record, each with a memory of its own."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        opened = [open_ledger(Path(folder) / "ledger.sqlite") for _ in range(WRITERS)]
        for ledger in opened:
            stack.callback(ledger.close)
        yield opened


def act(ledgers: list[Ledger], todo: list[Step], busy: frozenset[int] = frozenset()) -> None:
    """The next step; where it is overtaken, the one after it happens before it is saved."""
    if not todo:
        return
    writer, overtaken, line = todo.pop(0)
    if overtaken and todo and todo[0][0] not in busy | {writer}:
        meanwhile(ledgers[writer], lambda: act(ledgers, todo, busy | {writer}))
    insist(ledgers[writer], line)


def accepted_after_each(events: list[LedgerEvent]) -> Iterator[dict[str, int]]:
    """The stakes that stand, after each event of the coup."""
    standing: dict[str, int] = {}
    for event in events:
        if isinstance(event, WagersPlaced):
            standing |= {wager.id: wager.stake for wager in event.wagers}
        if isinstance(event, WagersCancelled):
            standing = {wager: stake for wager, stake in standing.items() if wager not in event.wagers}
        yield standing


@settings(max_examples=40, deadline=None)
@given(bank=st.integers(1, 1500), schedule=schedules())
def test_accepted_stakes_never_exceed_the_bank(bank: int, schedule: list[Step]) -> None:
    """6(3), at no moment and under no schedule; and what stands is what one writer would have taken.

    The record says in what order the commands were obeyed: the oracle, told them in that order, accepts the
    same wagers for the same stakes.
    """
    opening = Night("chemin-de-fer").opens()
    opening.say("take-bank", holder="p-9", sum=bank, seat=3)
    opening.step("open-coup", 1)
    todo = list(schedule)
    with writers() as ledgers:
        assert all(answer.applied for answer in play(ledgers[0], opening))
        for ledger in ledgers:  # each has seen the coup as it opened
            ledger.run(command(opening.lines[-1]))
        while todo:
            act(ledgers, todo)
        events = all_events(ledgers[0])
    standing: dict[str, int] = {}
    for standing in accepted_after_each([event for event in events if event.stream == COUP]):
        assert sum(standing.values()) <= bank
    order = [event.cause for event in events if isinstance(event, CommandRecorded)]
    said = {line["id"]: line for _, _, line in schedule} | {line["id"]: line for line in opening.lines}
    oracle = OracleNight()
    for cause in order:
        oracle.obey(said[cause])
    (coup,) = oracle.coups.values()
    assert standing == {item.wager["id"]: item.covered for item in coup.accepted}
    assert sorted(order) == sorted(said)
