"""The state machine: what may happen in a house in the course of its nights, in any order."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from ledger.answer import Answer
from tests.model.days import Days
from tests.model.tables import FORMATS, Line, names
from tests.oracle.notebook import CoupKey
from tests.oracle.regulation6 import CHEMIN_DE_FER
from tests.properties.rulings import APPROVERS, RULING
from tests.properties.strategies import hands_of, offers


class Nights(Days):
    """A punto banco table, a chemin de fer and a banque, from day to day."""

    # --- Coups ----------------------------------------------------------------------------------------------

    def next_coup(self, table: str) -> CoupKey:
        """The next number of the shoe in use; a new shoe comes in when the old one is nearly spent."""
        if self.is_open(table) and self.coups_left.get(self.shoes.get(table, ""), 0) == 0:
            self.new_shoe(table)
        shoe = self.shoes.get(table, "S-none")
        return ("main", table, shoe, self.last_number.get(shoe, 0) + 1)

    def opened(self, key: CoupKey, answer: Answer) -> None:
        """A number is used up, and six of the shoe's cards with it."""
        if answer.applied:
            self.last_number[key[2]] = key[3]
            self.coups_left[key[2]] -= 1

    @rule(table=names, data=st.data())
    def coup_at_once(self, table: str, data: st.DataObject) -> None:
        """A whole coup in one command."""
        key, format = self.next_coup(table), FORMATS[table]
        facts = {"hands": data.draw(hands_of(format)), "wagers": data.draw(offers(format))}
        self.opened(key, self.of_coup("record-coup", key, **facts))

    @rule(table=names, data=st.data())
    def coup_again(self, table: str, data: st.DataObject) -> None:
        """A number that was used, if one was; its cards stay in the shoe."""
        before = [key for key in self.told.coups if key[1] == table]
        if before:
            facts = {"hands": data.draw(hands_of(FORMATS[table])), "wagers": []}
            assert not self.of_coup("record-coup", data.draw(st.sampled_from(before)), **facts).applied

    @rule(table=names, data=st.data())
    def coup_begins(self, table: str, data: st.DataObject) -> None:
        """Step by step: it opens, and some stake."""
        key = self.next_coup(table)
        answer = self.of_coup("open-coup", key)
        self.opened(key, answer)
        if answer.applied and data.draw(st.booleans()):
            self.of_coup("place-wagers", key, wagers=data.draw(offers(FORMATS[table])))

    @rule(table=names, data=st.data())
    def coup_from_first_to_last(self, table: str, data: st.DataObject) -> None:
        """Every step of a coup in a row, calls of banco among them; by one process or by several."""
        key = self.next_coup(table)
        answer = self.of_coup("open-coup", key)
        self.opened(key, answer)
        if not answer.applied:
            return
        for _ in range(data.draw(st.integers(0, 2)) if FORMATS[table] == CHEMIN_DE_FER else 0):
            self.calls(key, data)
        if data.draw(st.booleans()):
            self.of_coup("place-wagers", key, wagers=data.draw(offers(FORMATS[table])))
        if data.draw(st.booleans()):
            self.another_process_takes_over()
        dealt = data.draw(hands_of(FORMATS[table]))
        in_play = [name for name in dealt if name != "banker"]
        self.of_coup("close-wagers", key, hands_in_play=in_play)
        self.of_coup("deal-hands", key, hands=dealt)
        self.of_coup("settle-coup", key, actor="settler-1")

    def calls(self, key: CoupKey, data: st.DataObject) -> None:
        """Somebody asks for the bank, or for half of it."""
        seat = data.draw(st.integers(1, 5))
        call = data.draw(st.sampled_from(["banco", "suivi", "with-the-table"]))
        facts = {"call": call, "patron": f"p-{seat}", "seat": seat, "wager": f"b{self.counted}"}
        self.of_coup("call-banco", key, **facts)

    @precondition(lambda self: self.coups("open"))
    @rule(data=st.data())
    def wagers(self, data: st.DataObject) -> None:
        """Wagers, calls of banco and wagers taken back, before the cards."""
        key = data.draw(st.sampled_from(self.coups("open", "closed")))
        what = data.draw(st.sampled_from(["place-wagers", "call-banco", "call-banco", "cancel-wagers"]))
        if what == "place-wagers":
            self.of_coup(what, key, wagers=data.draw(offers(FORMATS[key[1]])))
        elif what == "call-banco":
            self.calls(key, data)
        else:
            standing = [item.wager["id"] for item in self.told.coups[key].accepted]
            self.of_coup(what, key, wagers=[data.draw(st.sampled_from([*standing, "nobody-1"]))])

    @precondition(lambda self: self.coups("open", "closed", "dealt"))
    @rule(data=st.data())
    def coup_goes_on(self, data: st.DataObject) -> None:
        """The next step of a coup; or another, which is refused."""
        key = data.draw(st.sampled_from(self.coups("open", "closed", "dealt")))
        coup = self.told.coups[key]
        steps = {"open": "close-wagers", "closed": "deal-hands", "dealt": "settle-coup"}
        step = data.draw(st.sampled_from([*[steps[coup.state]] * 3, *steps.values()]))
        facts: Line = {"actor": "settler-1"} if step == "settle-coup" else {}
        if step == "close-wagers":
            dealt = data.draw(hands_of(coup.table.format))
            facts["hands_in_play"] = [name for name in dealt if name != "banker"]
            if coup.state == "open":
                self.to_deal[key] = dealt
        if step == "deal-hands":
            facts["hands"] = self.to_deal.get(key) or data.draw(hands_of(coup.table.format))
        self.of_coup(step, key, **facts)

    # --- Rulings and disputes -------------------------------------------------------------------------------

    @precondition(lambda self: self.told.coups)
    @rule(data=st.data())
    def ruling(self, data: st.DataObject) -> None:
        """On any coup of any night, by whoever thinks they may."""
        ended = self.coups("held", "settled") or sorted(self.told.coups)
        key = data.draw(st.sampled_from(ended) | st.sampled_from(sorted(self.told.coups)))
        name = data.draw(st.sampled_from(["correct-coup", "correct-coup", "correct-hands", "void-coup"]))
        facts: Line = {**RULING, "approvers": data.draw(st.sampled_from(APPROVERS))}
        if name != "void-coup":
            if not self.rulings_left[key[2]]:
                return
            self.rulings_left[key[2]] -= 1
            facts["hands"] = data.draw(hands_of(FORMATS[key[1]]))
        if name == "correct-hands" and self.told.coups[key].row_key[2] in self.told.frozen:
            return  # none is held there: a day is sealed without
        self.of_coup(name, key, **facts)

    @precondition(lambda self: self.told.coups)
    @rule(data=st.data())
    def dispute(self, data: st.DataObject) -> None:
        """A patron disputes a coup of any night, or the dispute ends; no money moves."""
        key = data.draw(st.sampled_from(sorted(self.told.coups)))
        standing, name = self.disputes.setdefault(key, set()), data.draw(st.sampled_from(["d1", "d2"]))
        _, table, shoe, number = key
        facts: Line = {"shoe": shoe, "number": number, "dispute": name}
        if data.draw(st.booleans()):
            raised = self.told.say_beside(self.line("raise-dispute", table, **facts, statement="not so"))
            assert raised.applied is (name not in standing)
            standing |= {name, f"{name} stands"} if raised.applied else set()
        else:
            ended = self.told.say_beside(self.line("resolve-dispute", table, **facts, decision="stands"))
            assert ended.applied is (f"{name} stands" in standing)
            standing.discard(f"{name} stands")

    # --- Processes ------------------------------------------------------------------------------------------

    @rule(what=st.sampled_from(["restart", "take over", "take over", "seal"]))
    def processes(self, what: str) -> None:
        """The ledger is closed and opened again; another process goes on; a checkpoint is made."""
        if what == "restart":
            self.told.restart()
        elif what == "seal":
            self.told.seal_record()
        else:
            self.another_process_takes_over()

    def another_process_takes_over(self) -> None:
        """Which remembers what it saw last, and not what came since."""
        self.told.at_work = (self.told.at_work + 1) % len(self.told.writers)

    @precondition(lambda self: self.told.answered)
    @rule(data=st.data())
    def said_again(self, data: st.DataObject) -> None:
        """What was said once runs once."""
        self.told.say_again(data.draw(st.integers(0, len(self.told.answered) - 1)))

    # --- What holds -----------------------------------------------------------------------------------------

    @invariant()
    def the_banks_are_the_oracles(self) -> None:
        self.told.check_banks()

    @invariant()
    def the_pnl_is_the_oracles(self) -> None:
        self.told.check_pnl()

    def teardown(self) -> None:
        """At the end the cage's books agree as well, and `verify` finds nothing."""
        try:
            self.told.check_cage()
            self.told.check_record()
        finally:
            self.told.close()
            self.folder.cleanup()
