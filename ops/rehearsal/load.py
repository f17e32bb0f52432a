"""Load: a plain, long tape of punto banco, for measuring how fast a ledger is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import Final

from ledger.regulation.profiles import DEFAULT_PROFILE, profile_named
from ledger.regulation.settle import settle
from ledger.terms.hands import BANKER, PLAYER, Result
from ledger.terms.house import Terms
from ledger.terms.wagers import Kind, Outcome, Wager
from ops.rehearsal.play import punto_banco, total, written
from ops.rehearsal.setting import Line
from ops.rehearsal.shoe import Shoe
from ops.rehearsal.tray import chips

FIRST_DAY = date(2008, 1, 1)
"""Long past, so that a ledger takes none of millions of coups for one from the future."""
COUPS_A_DAY = 300
"""At one table, which opens once a gaming day."""
OPENS = time(18, 0, tzinfo=UTC)
PACE = timedelta(seconds=100)
DECKS = 8
BEHIND_THE_CUT_CARD = 70
"""Cards. About seventy coups come before them."""
OPENER_A_WAGER = 3_000_000
"""The float is so much for each wager of a coup: no luck empties it."""
DENOMINATIONS = (10_000_000, 1_000_000, 100_000, 10_000, 2_500, 500, 100, 25)
PATRONS = 2_000
STAY_COUPS = 40
"""How many coups a patron keeps a seat, on average: about an hour."""
STAKES = (500, 1_000, 2_000, 2_500, 5_000, 10_000)
"""Minor units: multiples of 100, so that every wager is payable to the penny."""
KINDS = ("banker", "player", "tie")
SHARES = (48, 44, 8)
SIGNED_BY = ["dealer-01", "inspector-01"]


def _house_wins(kind: str, result: Result) -> int:
    """What the house wins of a stake of 100 (or loses, below zero)."""
    wager = Wager(id="w", kind=Kind(kind), stake=100)
    (line,) = settle((wager,), {PLAYER: result}, profile_named(DEFAULT_PROFILE), Terms())
    return line.stake if line.outcome is Outcome.LOST else -line.winnings


HOUSE_WINS_OF_100: Final = {(kind, result): _house_wins(kind, result) for kind in KINDS for result in Result}


def load(coups: int, wagers: int = 10, seed: int = 1, tables: int = 4) -> Iterator[Line]:
    """A tape of so many coups of punto banco, in order of time, at tables dealt side by side.

    A table deals 300 coups a gaming day at most, then its float is made up to what it opened with, it closes,
    its count comes out to the penny, and the next day begins. Premises and ids name the seed, so tapes of
    several seeds go into one ledger.

    Args:
        coups: how many in all. Days begin in 2008: four tables deal eight million before they catch up
            with today.
        wagers: on each coup.
        seed: the same seed deals the same tape.
        tables: dealt at the same time.

    Raises:
        ValueError: fewer coups or wagers than none, or no table.
    """
    if coups < 0 or wagers < 0 or tables < 1:
        raise ValueError(f"no tape of {coups} coups with {wagers} wagers at {tables} tables")
    return _days(coups, wagers, seed, tables)


def _days(coups: int, wagers: int, seed: int, tables: int) -> Iterator[Line]:
    # Not secrets: the same seed must deal the same cards, and nobody plays with them.
    rng = random.Random(seed)  # noqa: S311
    day = FIRST_DAY
    while coups:
        today = min(coups, COUPS_A_DAY * tables)
        desks = [_Desk(rng, day, f"L{table}", seed, wagers) for table in range(1, min(tables, today) + 1)]
        for desk in desks:
            yield desk.open()
        for dealt in range(today):
            yield from desks[dealt % tables].deal(dealt // tables)
        for desk in desks:
            yield from desk.close()
        coups -= today
        day += timedelta(days=1)


class _Desk:
    """One table, one gaming day."""

    def __init__(self, rng: random.Random, day: date, name: str, seed: int, wagers: int) -> None:
        self.rng, self.name, self.wagers = rng, name, wagers
        self.day = day.isoformat()
        self.opener = OPENER_A_WAGER * max(wagers, 1)
        self.opens = datetime.combine(day, OPENS)
        self.premises = f"load-{seed}"
        self.prefix = f"{self.premises}-{self.day}-{name}-"
        self.seconds = self.said = self.shoes = self.number = self.win = 0
        self.shoe: Shoe | None = None
        self.shares = tuple(accumulate(SHARES))
        self.seated = [self.somebody() for _ in range(wagers)]

    def say(self, command: str, **facts: object) -> Line:
        self.said += 1
        at = self.opens + timedelta(seconds=self.seconds)
        return {
            "command": command,
            "id": f"{self.prefix}{self.said:04d}",
            "occurred_at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
            "actor": "dealer-01",
            "premises": self.premises,
            "table": self.name,
            **facts,
        }

    def open(self) -> Line:
        opener = {"chips": chips(self.opener, DENOMINATIONS), "signed_by": SIGNED_BY}
        return self.say("open-table", gaming_day=self.day, format="punto-banco", opener=opener)

    def deal(self, turn: int) -> Iterator[Line]:
        """The next coup, in a new shoe where one is due."""
        self.seconds = (turn + 1) * PACE.seconds
        if self.shoe is None or self.shoe.is_spent:
            if self.shoe is not None:
                yield self.say("end-shoe", shoe=self.shoe_name)
            self.shoe = Shoe(self.rng, DECKS, BEHIND_THE_CUT_CARD)
            self.shoes += 1
            self.number = 0
            yield self.say("start-shoe", shoe=self.shoe_name, decks=DECKS, burned=self.shoe.burn())
        self.number += 1
        hands, _ = punto_banco(self.shoe)
        staked = [self.wager(index) for index in range(1, self.wagers + 1)]
        player, banker = total(hands[PLAYER]), total(hands[BANKER])
        result = Result.WINS if player > banker else Result.LOSES if player < banker else Result.DRAW
        self.win += sum(wager["stake"] * HOUSE_WINS_OF_100[wager["kind"], result] for wager in staked) // 100
        yield self.say(
            "record-coup", shoe=self.shoe_name, number=self.number, hands=written(hands), wagers=staked
        )

    def wager(self, index: int) -> Line:
        rng = self.rng
        (kind,) = rng.choices(KINDS, cum_weights=self.shares)
        stake = STAKES[int(rng.random() * len(STAKES))]
        if rng.random() * STAY_COUPS < 1:
            self.seated[index - 1] = self.somebody()
        patron = self.seated[index - 1]
        return {"id": f"w{index}", "kind": kind, "stake": stake, "patron": patron, "seat": index % 100}

    def somebody(self) -> str:
        """A patron who takes a seat."""
        return f"p-{int(self.rng.random() * PATRONS):04d}"

    def close(self) -> Iterator[Line]:
        """The end of the gaming day. What drop and win did to the float is filled up, or goes to the cage."""
        self.seconds += 2 * PACE.seconds
        yield self.say("end-shoe", shoe=self.shoe_name)
        drop = self.opener // 2
        yield self.say("count-drop", amount=drop, signed_by=SIGNED_BY)
        yield self._slip(self.win - drop)
        closer = {"chips": chips(self.opener, DENOMINATIONS), "signed_by": SIGNED_BY}
        yield self.say("close-table", closer=closer)

    def _slip(self, over: int) -> Line:
        """One slip a day, so that a table's numbers run on: for what the tray has over its opener."""
        slip = f"{self.name}-{(date.fromisoformat(self.day) - FIRST_DAY).days + 1:05d}"
        if not over:
            return self.say("void-slip", slip=slip, reason="the float is as it was", signed_by=SIGNED_BY)
        moved = chips(abs(over), DENOMINATIONS)
        return self.say(
            "credit-chips" if over > 0 else "fill-chips", slip=slip, chips=moved, signed_by=SIGNED_BY
        )

    @property
    def shoe_name(self) -> str:
        return f"{self.day}-{self.shoes}"
