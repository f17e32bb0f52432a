"""The tables: opening, shoes, banks, and what is said between coups."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from ledger.answer import Answer
from tests.model.told import Told
from tests.oracle.notebook import CoupKey, Table
from tests.oracle.regulation6 import BANQUE, CHEMIN_DE_FER, PUNTO_BANCO

Line = dict[str, Any]
FORMATS = {"T1": PUNTO_BANCO, "T2": CHEMIN_DE_FER, "T3": BANQUE}
OFFERED = {
    "T1": ["player", "banker", "tie"],
    "T2": ["player"],
    "T3": ["hand-1", "hand-2", "both-hands"],
}
"""Every kind that may be had at each table, 6(8)."""
FIRST_DAY = date(2026, 11, 27)
IN_MEMORY = Path("/dev/shm")
"""A machine that has it writes there without a disk."""
RULINGS_A_SHOE = 2
COUPS_A_SHOE = 2
"""Six cards a coup and six a ruling: never more of a rank than the four of each of six decks."""

names = st.sampled_from(sorted(FORMATS))


def float_of(pence: int) -> Line:
    """A float of that many pence, and who counted it."""
    return {"chips": {"1": pence} if pence else {}, "signed_by": ["dealer-1", "inspector-1"]}


class Tables(RuleBasedStateMachine):
    """A punto banco table, a chemin de fer and a banque, from day to day.

    Attributes:
        told: the ledger and the oracle.
        day: the gaming day on which tables open now.
        shoes: the shoe in use at each table, with the coups and the rulings it can still bear.
        disputes: coup to the disputes that stand.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None)
        self.told = Told(Path(self.folder.name))
        self.day = FIRST_DAY
        self.counted = 0
        self.shoes: dict[str, str] = {}
        self.coups_left: dict[str, int] = {}
        self.rulings_left: dict[str, int] = {}
        self.last_number: dict[str, int] = {}
        self.to_deal: dict[CoupKey, Line] = {}
        self.disputes: dict[CoupKey, set[str]] = {}

    # --- Words ----------------------------------------------------------------------------------------------

    def line(self, name: str, table: str | None, **facts: Any) -> Line:
        """A command with the next id, at this evening."""
        self.counted += 1
        line: Line = {
            "command": name,
            "id": f"c{self.counted}",
            "occurred_at": f"{self.day}T21:00:00Z",
            "actor": "dealer-1",
            **({} if table is None else {"table": table}),
        }
        return {**line, **facts}

    def say(self, name: str, table: str, **facts: Any) -> Answer:
        """A command that the oracle knows."""
        return self.told.say(self.line(name, table, **facts))

    def of_coup(self, name: str, key: CoupKey, **facts: Any) -> Answer:
        """A command about a coup."""
        _, table, shoe, number = key
        return self.say(name, table, shoe=shoe, number=number, **facts)

    def nights(self, day: str) -> list[Table]:
        """The tables that opened for a gaming day."""
        return [night for key, night in self.told.books.night.nights.items() if key[2] == day]

    def coups(self, *states: str) -> list[CoupKey]:
        """The coups in these states, in order."""
        return sorted(key for key, coup in self.told.coups.items() if coup.state in states)

    def is_open(self, table: str) -> bool:
        """Whether a table is open."""
        return self.told.books.night.open_table_of({"table": table}) is not None

    # --- Tables and shoes -----------------------------------------------------------------------------------

    @initialize(data=st.data())
    def the_first_night(self, data: st.DataObject) -> None:
        for table in FORMATS:
            self.opens(table, data)

    def opens(self, table: str, data: st.DataObject) -> None:
        format = FORMATS[table]
        units = (1,) if format == CHEMIN_DE_FER else (1, 5, 50)
        limits = [{}, {}, {"player": {"min": 50, "max": 300}, "hand-1": {"max": 200}, "tie": {"max": 40}}]
        self.say(
            "open-table",
            table,
            gaming_day=str(self.day),
            format=format,
            profile=data.draw(st.sampled_from(["si-1994-2899", "si-2000-597-7a"])),
            terms={
                "rounding": data.draw(st.sampled_from(["exact-only", "up-to-unit", "nearest"])),
                "unit": data.draw(st.sampled_from(units)),
                "banker_on_draw": data.draw(st.sampled_from(["stand-off", "lost"])),
            },
            limits=data.draw(st.sampled_from(limits)),
            may_approve=data.draw(st.sampled_from([[], ["pit-1", "pit-2", "surveillance-1", "dealer-1"]])),
            opener=float_of(data.draw(st.integers(0, 900))),
        )
        self.new_shoe(table)
        if format == CHEMIN_DE_FER:
            self.say("take-bank", table, holder="p-9", sum=data.draw(st.integers(1, 1200)))

    @rule(table=names)
    def new_shoe(self, table: str) -> None:
        """The shoe in use, if there is one, goes out of use and another comes in."""
        if table in self.shoes:
            self.say("end-shoe", table, shoe=self.shoes.pop(table))
        if self.is_open(table):
            shoe = f"S{self.counted}"
            self.say("start-shoe", table, shoe=shoe, decks=6 + self.counted % 3)
            self.shoes[table] = shoe
            self.coups_left[shoe], self.rulings_left[shoe] = COUPS_A_SHOE, RULINGS_A_SHOE
            self.last_number[shoe] = 0

    @rule(table=names, data=st.data())
    def table_opens(self, table: str, data: st.DataObject) -> None:
        """For a new day; or a second time, which is refused."""
        if str(self.day) not in self.told.frozen and not self.is_open(table):
            if (again := ("main", table, str(self.day))) in self.told.books.night.nights:
                assert self.told.books.night.nights[again].is_open is False
                opening = {"gaming_day": str(self.day), "format": FORMATS[table], "opener": float_of(1)}
                assert not self.say("open-table", table, **opening).applied
            else:
                self.opens(table, data)

    # --- Between coups --------------------------------------------------------------------------------------

    @rule(data=st.data())
    def bank(self, data: st.DataObject) -> None:
        """A bank is taken, passed or given up; or somebody else tries to."""
        name = data.draw(st.sampled_from(["take-bank", "take-bank", "pass-bank", "pass-bank", "retire-bank"]))
        facts: Line = {}
        if name != "retire-bank":
            seat = data.draw(st.integers(1, 5))
            facts = {"holder": f"p-{seat}", "sum": data.draw(st.integers(1, 1200)), "seat": seat}
            facts["capacity"] = data.draw(st.sampled_from(["player", "player", "employee", "licence-holder"]))
        self.say(name, "T2", **facts)

    @rule(table=names, data=st.data())
    def talk_of_the_table(self, table: str, data: st.DataObject) -> None:
        """Seats, shares in the bank, what is on offer, shifts."""
        person = data.draw(st.sampled_from(["p-1", "p-2", "p-9"]))
        kinds = st.sampled_from(["player", "banker", "tie", "hand-1", "hand-2", "both-hands"])
        seat, capacity = st.integers(1, 4), st.sampled_from(["licence-holder", "employee", "player"])
        name, facts = data.draw(
            st.one_of(
                st.tuples(st.just("seat-player"), st.fixed_dictionaries({"seat": seat})),
                st.tuples(st.just("unseat-player"), st.just({})),
                st.tuples(st.just("declare-interest"), st.fixed_dictionaries({"capacity": capacity})),
                st.tuples(st.just("withdraw-interest"), st.just({})),
                st.tuples(
                    st.just("change-offer"),
                    st.fixed_dictionaries({"kinds": st.lists(kinds, min_size=2, unique=True)}),
                ),
                st.tuples(st.just("change-shift"), st.just({"shift": f"s{self.counted}"})),
            )
        )
        whose = {"declare-interest": "person", "withdraw-interest": "person"}
        if name not in ("change-offer", "change-shift"):
            facts = {**facts, whose.get(name, "patron"): person}
        self.say(name, table, **facts)

    @rule(table=names)
    def all_is_lawful_again(self, table: str) -> None:
        """Every share in the bank is withdrawn and everything offered, so that coups may open."""
        night = self.told.books.night.open_table_of({"table": table})
        if night is None:
            return
        for person in list(night.interests):
            self.say("withdraw-interest", table, person=person)
        if night.offer is not None:
            self.say("change-offer", table, kinds=OFFERED[table])
