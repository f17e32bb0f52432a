"""The floor: every table now, with its roads. Each panel is one query; what changes comes live."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from ledger.events.coup import CoupCorrected, CoupSettled, CoupVoided, IrregularityFound
from ledger.events.table import (
    BankPassed,
    BankRetired,
    BankTaken,
    ShiftChanged,
    ShoeEnded,
    ShoeStarted,
    TableClosed,
    TableOpened,
)
from ledger.terms.formats import format_named
from ledger.terms.identifiers import Name
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.pages import Page
from ops.console.road_drawing import Picture, bead_picture, road_picture
from ops.console.roads import SIDE_OF, Side, bead_plate, big_road, counts, streak
from ops.feed.roles import READERS
from ops.service.permissions import READ_PNL
from projections.floor.views import Dealt, TableNow, coups_of_last_shoes, tables_now, wins_of_last_days

FLOOR = READERS[TableOpened.TOPIC] & READERS[CoupSettled.TOPIC]
"""Whoever may read from the feed that a table opens and how its coups end."""
SEES_HOLDERS = READERS[BankTaken.TOPIC]

LIVE = ",".join(
    event.TOPIC
    for event in (
        TableOpened,
        ShiftChanged,
        ShoeStarted,
        ShoeEnded,
        BankTaken,
        BankPassed,
        BankRetired,
        TableClosed,
        CoupSettled,
        CoupCorrected,
        CoupVoided,
        IrregularityFound,
    )
)
"""The events that change what a table's card shows."""

_WORDS = {Side.BANKER: "banker", Side.OPPOSING: "player", Side.TIE: "tie"}
_STANDING = frozenset({"settled", "corrected"})


@dataclass(frozen=True)
class Road:
    """The roads of one opposing hand.

    Attributes:
        letter: what stands for that hand on them.
    """

    hand: str
    letter: str
    sides: Sequence[Side]

    @property
    def beads(self) -> Picture:
        """The bead plate."""
        return bead_picture(bead_plate(self.sides), self.letter_of)

    @property
    def big(self) -> Picture:
        """The big road."""
        return road_picture(big_road(self.sides))

    def word(self, side: Side) -> str:
        """What a side is called."""
        return self.hand.replace("-", " ") if side is Side.OPPOSING else _WORDS[side]

    def letter_of(self, side: Side) -> str:
        """The letter of a side."""
        return self.letter if side is Side.OPPOSING else side.value

    @property
    def summary(self) -> str:
        """The roads in words."""
        if not self.sides:
            return "no coup yet"
        counted = ", ".join(f"{self.word(side)} {count}" for side, count in counts(self.sides).items())
        run = streak(self.sides)
        return counted + (f"; last: {self.word(run[0])}, {run[1]} in a row" if run else "")

    @property
    def text(self) -> str:
        """Every result in order, as letters."""
        return " ".join(self.letter_of(side) for side in self.sides)


@dataclass(frozen=True)
class TableCard:
    """A table as the floor shows it. Minor units.

    Attributes:
        last: its last coup of this shoe.
        held: how many coups of this shoe wait for a ruling.
        win, handle: of its gaming day, where the house holds the bank; None: nothing settled yet.
    """

    now: TableNow
    roads: Sequence[Road]
    last: Dealt | None
    held: int
    win: int | None
    handle: int | None

    @property
    def by_house(self) -> bool:
        """Whether the house holds this bank."""
        return not format_named(self.now.format).loser_gives_up_bank


def cards_of(desk: Desk, table: str | None = None) -> list[TableCard]:
    """The tables of the premises, or one of them: three queries, however many there are."""
    premises = desk.premises
    with desk.reading() as statements:
        tables = tables_now(statements, premises, table)
        coups = coups_of_last_shoes(statements, premises, table)
        wins = wins_of_last_days(statements, premises, table) if desk.has(READ_PNL) else {}
    dealt: defaultdict[str, list[Dealt]] = defaultdict(list)
    for coup in coups:
        dealt[coup.table].append(coup)
    return [_card(now, dealt[now.table], wins) for now in tables]


def _card(
    now: TableNow, dealt: Sequence[Dealt], wins: Mapping[tuple[str, str], tuple[int, int]]
) -> TableCard:
    standing = [coup.results_by_hand() for coup in dealt if coup.state in _STANDING]
    hands = format_named(now.format).hand_names
    roads = [
        Road(
            hand,
            "P" if len(hands) == 1 else hand[-1],
            [SIDE_OF[results[hand]] for results in standing if hand in results],
        )
        for hand in hands
    ]
    win, handle = wins.get((now.table, "house"), (None, None))
    held = sum(coup.state == "held" for coup in dealt)
    return TableCard(now, roads, dealt[-1] if dealt else None, held, win, handle)


def _add(routes: APIRouter) -> None:
    @routes.get(PAGE.path, dependencies=[allow(PAGE.roles)])
    def floor(request: Request) -> Response:
        desk = Desk(request)
        cards = cards_of(desk)
        latest = max((card.now.gaming_day for card in cards), default="")
        return desk.page(
            "floor.html",
            PAGE.title,
            live=LIVE,
            lags={name: lag() for name, lag in desk.console.service.lags.items()},
            sees=_sees(desk),
            is_open=[card for card in cards if card.now.closed_at is None],
            closed=[card for card in cards if card.now.closed_at and card.now.gaming_day == latest],
        )

    @routes.get(f"{PAGE.path}/card", dependencies=[allow(PAGE.roles)])
    def card(request: Request, table: Annotated[Name, Query()]) -> Response:
        """One table's card, anew."""
        desk = Desk(request)
        return desk.part("floor_card.html", cards=cards_of(desk, table), live=LIVE, sees=_sees(desk))


def _sees(desk: Desk) -> dict[str, bool]:
    return {"holders": desk.has(SEES_HOLDERS), "win": desk.has(READ_PNL)}


PAGE = Page("floor", "Floor", FLOOR, "/at/{premises}/floor", _add, "f")
