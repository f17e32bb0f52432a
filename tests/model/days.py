"""The cage, and the gaming days: tables close, days are sealed, at once or later."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.model.tables import FORMATS, Line, Tables, float_of, names
from tests.oracle import cage as oracle_cage
from tests.oracle.night import pnl
from tests.properties.rulings import RULING


class Days(Tables):
    """What the cage counts of the tables, and the end of each day."""

    # --- The cage -------------------------------------------------------------------------------------------
    @rule(table=names, data=st.data())
    def cage(self, table: str, data: st.DataObject) -> None:
        """Chips, counts, charges and boxes; of a sealed day nothing more is taken."""
        slip, amount = f"A-{data.draw(st.integers(1, 9))}", data.draw(st.integers(1, 500))
        happenings: list[tuple[str, Line]] = [
            ("fill-chips", {"slip": slip, **float_of(amount)}),
            ("credit-chips", {"slip": slip, **float_of(amount)}),
            ("count-float", {"count": float_of(amount)}),
            ("take-charge", {"amount": amount}),
            ("count-drop", {"amount": amount}),
            ("void-slip", {"slip": slip, "reason": "torn"}),
        ]
        name, facts = data.draw(st.sampled_from(happenings))
        night = self.told.books.night.table_of({"table": table})
        if night is not None and night.gaming_day in self.told.frozen:
            assert not self.told.say_beside(self.line(name, table, **facts)).applied
        else:
            self.say(name, table, **facts)

    # --- Days -----------------------------------------------------------------------------------------------

    def shut(self) -> None:
        """Whatever is in hand is ruled void, and every table counts its float."""
        for key in self.coups("open", "closed", "dealt"):
            assert self.of_coup("void-coup", key, **RULING).applied
        for table in FORMATS:
            if self.is_open(table):
                self.say("end-shoe", table, shoe=self.shoes.pop(table))
                assert self.say("close-table", table, closer=float_of(self.counted)).applied

    def seal_day(self, day: str) -> None:
        """The cage has counted, the figures are the oracle's, accounts sign."""
        for key in self.coups("held"):
            if self.told.coups[key].row_key[2] == day:
                assert self.of_coup("void-coup", key, **RULING).applied
        figures = []
        for night in self.nights(day):
            self.say("count-drop", night.name, amount=100, gaming_day=day)
            counted = {"shift": "1", "opener": 0, "closer": 0, "drop": self.counted}
            count = {"gaming_day": day, "counted": counted, "signed_by": ["cage-1"]}
            assert self.told.say_beside(self.line("record-count", night.name, **count)).applied
        of_the_cage, of_the_wagers = oracle_cage.rows(self.told.lines, by_day=True), pnl(self.told.lines)
        for night in self.nights(day):
            at_it = [row for row in of_the_cage if (row["table"], row["gaming_day"]) == (night.name, day)]
            rows = [row for row in of_the_wagers if (row["table"], row["gaming_day"]) == (night.name, day)]
            charges, won = at_it[0]["charges"], sum(row["win"] for row in rows)
            # A drop for each shift is needed for a win by inventory; where one lacks, the count is nought.
            inventory = at_it[0]["win_by_inventory"] or 0
            figures.append(
                {
                    "table": night.name,
                    "win_by_wagers": won,
                    "charges": charges,
                    "win_by_inventory": inventory,
                    "variance": won + charges - inventory,
                }
            )
        position = self.told.ledger.record.last_sequence()
        close = {"gaming_day": day, "position": position, "tables": figures, "actor": "accounts-1"}
        by_the_cage = {**close, "signed_by": ["cage-1"]}
        assert not self.told.say_beside(self.line("close-day", None, **by_the_cage)).applied
        signed = {**close, "signed_by": ["accounts-2"]}
        assert self.told.say_beside(self.line("close-day", None, **signed)).applied
        self.told.freeze(day)
        assert not self.told.say_beside(self.line("close-day", None, **signed)).applied

    @rule(table=names)
    def day_does_not_close_early(self, table: str) -> None:
        """While a table is open its day is not closed."""
        if self.is_open(table):
            nought = {"table": table, "win_by_wagers": 0, "win_by_inventory": 0, "variance": 0}
            close = {"gaming_day": str(self.day), "position": 1, "tables": [nought]}
            signed = {**close, "signed_by": ["accounts-2"]}
            assert not self.told.say_beside(self.line("close-day", None, **signed)).applied

    @precondition(lambda self: len(self.told.lines) > 12)
    @rule(sealed=st.booleans(), data=st.data())
    def day_ends(self, sealed: bool, data: st.DataObject) -> None:
        """The tables close; the day is sealed now or later; the next one begins."""
        self.shut()
        if sealed and self.nights(str(self.day)):
            self.seal_day(str(self.day))
        self.day += timedelta(days=1)
        self.opens(data.draw(names), data)

    @precondition(lambda self: self.days_to_seal())
    @rule()
    def an_old_day_is_sealed(self) -> None:
        """The day of a night before, while the next one is played."""
        self.seal_day(self.days_to_seal()[0])

    def days_to_seal(self) -> list[str]:
        """Days over, and not sealed."""
        days = {key[2] for key in self.told.books.night.nights}
        return sorted(day for day in days - set(self.told.frozen) if day < str(self.day))
