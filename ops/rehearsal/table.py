"""A table's evening in the making: its clock, its command ids, its shoes and the steps of its coups.

What differs between the formats (who wagers on what, how the cards are played, whose money it is) is in
`punto.py`, `banque.py` and `chemin.py`.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, ClassVar

from ledger.regulation.acceptance import Layout, accept
from ledger.regulation.profiles import DEFAULT_PROFILE, profile_named
from ledger.regulation.settle import settle
from ledger.terms.formats import format_named
from ledger.terms.hands import hand, results_of
from ledger.terms.house import BankedBy, Terms
from ledger.terms.wagers import HANDS_OF_KIND, Kind, Limit, SettlementLine, Wager
from ops.rehearsal.play import Dealt, written
from ops.rehearsal.setting import Line, Setting
from ops.rehearsal.shoe import Shoe
from ops.rehearsal.tray import Patron, chips

PAUSE_IN_A_COUP = (8, 25)  # seconds


class TapedTable(ABC):
    """One table, from `open-table` to `close-table`. `lines` yields them in order of time."""

    dealers: ClassVar[dict[str, str]]
    inspectors: ClassVar[dict[str, str]] = {"1": "inspector-02", "2": "inspector-05"}
    banked_by: ClassVar[BankedBy] = BankedBy.HOUSE
    bankers_seat: int | None = None  # where a player who holds the bank sits

    def __init__(self, setting: Setting, rng: random.Random) -> None:
        self.setting = setting
        self.rng = rng
        self.now = setting.opens
        self.shift = "1"
        self.said = 0
        self.format = format_named(setting.format)
        self.profile = profile_named(DEFAULT_PROFILE)
        self.terms = Terms.model_validate(setting.terms)
        self.limits = {Kind(kind): Limit.model_validate(limit) for kind, limit in setting.limits.items()}
        self.shoe: Shoe | None = None
        self.shoes = 0
        self.number = 0
        self.offered = 0
        self.coup = 0
        """Which coup of the evening; `number` is its number in the shoe."""

    # --- What differs by format ----------------------------------------------------------------------

    @abstractmethod
    def offers(self) -> list[Line]:
        """The wagers that the patrons offer on the next coup."""

    @abstractmethod
    def deal(self, shoe: Shoe, accepted: list[Wager]) -> Dealt:
        """The cards of the next coup."""

    @abstractmethod
    def take_and_pay(self, lines: tuple[SettlementLine, ...]) -> None:
        """The money of a settled coup changes hands."""

    @abstractmethod
    def count_drop(self) -> int:
        """The drop of the shift that ends."""

    @abstractmethod
    def closer(self) -> int:
        """The float at the end."""

    def bank(self) -> int | None:
        """What the bank can cover; None where the house does."""
        return None

    def claim(self, _dealt: Dealt) -> Any:
        """What the table system says of the winner; None for nothing."""
        return None

    def hands_in_play(self) -> tuple[str, ...]:
        """The opposing hands of the next coup."""
        return self.format.hand_names

    def before_coup(self) -> Iterator[Line]:
        """What happens between two coups."""
        yield from ()

    def before_close(self) -> Iterator[Line]:
        """What has to be done before the table can close."""
        yield from ()

    # --- The evening -----------------------------------------------------------------------------------

    def lines(self) -> Iterator[Line]:
        """The evening, in order of time."""
        yield self.open_table()
        for coup in range(1, self.setting.coups + 1):
            self.coup = coup
            self.wait_for_coup()
            if self.shift == "1" and self.now >= self.setting.changes_shift:
                yield self.drop()
                yield self.say("change-shift", shift="2")
                self.shift = "2"
            yield from self.change_shoe()
            yield from self.before_coup()
            self.number += 1
            self.offered = 0
            yield from self.play_coup()
        self.wait(120, 300)
        yield from self.before_close()
        yield self.say("end-shoe", shoe=self.shoe_name)
        self.wait(200, 400)
        yield self.drop()
        yield self.say("close-table", closer=self.count(self.closer()))

    def play_coup(self) -> Iterator[Line]:
        """One coup, at once or step by step."""
        if self.coup in self.setting.by_steps:
            yield from self.coup_by_steps()
        else:
            yield self.coup_at_once()

    def open_table(self) -> Line:
        """The line that opens the table."""
        setting = self.setting
        laid_down = {"terms": dict(setting.terms), "limits": dict(setting.limits)}
        return self.say(
            "open-table",
            gaming_day=setting.gaming_day,
            shift=self.shift,
            format=setting.format,
            **{name: value for name, value in laid_down.items() if value},
            opener=self.count(setting.opener),
        )

    def change_shoe(self) -> Iterator[Line]:
        """A new shoe when there is none, or when the cut card is out."""
        if self.shoe is not None and not self.shoe.is_spent:
            return
        if self.shoe is not None:
            yield self.say("end-shoe", shoe=self.shoe_name)
            self.wait(300, 420)
        self.shoe = Shoe(self.rng, self.setting.decks, behind=self.rng.randint(14, 26))
        self.shoes += 1
        self.number = 0
        yield self.say("start-shoe", shoe=self.shoe_name, decks=self.setting.decks, burned=self.shoe.burn())
        self.wait(60, 120)

    # --- A coup ----------------------------------------------------------------------------------------

    def coup_at_once(self) -> Line:
        """A coup as the table system reports it when it has ended."""
        offers = self.offers()
        accepted = self.accept(offers)
        dealt = self.dealt(accepted)
        line = self.say("record-coup", **self.which(), **self.shown(dealt), wagers=offers)
        self.settle(accepted, dealt)
        return line

    def coup_by_steps(self) -> Iterator[Line]:
        """A coup as it happens: one wager is taken back, and one comes too late."""
        which = self.which()
        yield self.say("open-coup", **which)
        offers = self.offers()
        late = [offers.pop()] if len(offers) > 3 else []
        first, second = offers[:2], offers[2:]
        self.wait(*PAUSE_IN_A_COUP)
        yield self.say("place-wagers", **which, wagers=first)
        accepted = self.accept(first)
        if second:
            self.wait(*PAUSE_IN_A_COUP)
            yield self.say("place-wagers", **which, wagers=second)
            accepted += self.accept(second, accepted)
        if len(accepted) > 2:
            self.wait(*PAUSE_IN_A_COUP)
            taken_back = accepted.pop(self.rng.randrange(len(accepted)))
            yield self.say("cancel-wagers", **which, wagers=[taken_back.id])
        self.wait(*PAUSE_IN_A_COUP)
        in_play = self.hands_in_play()
        fewer = {} if in_play == self.format.hand_names else {"hands_in_play": list(in_play)}
        yield self.say("close-wagers", **which, **fewer)
        if late:
            self.wait(2, 4)
            yield self.say("place-wagers", **which, wagers=late)
        self.wait(*PAUSE_IN_A_COUP)
        dealt = self.dealt(accepted)
        yield self.say("deal-hands", **which, **self.shown(dealt))
        self.wait(*PAUSE_IN_A_COUP)
        yield self.say("settle-coup", **which)
        self.settle(accepted, dealt)

    def accept(self, offers: list[Line], before: Sequence[Wager] = ()) -> list[Wager]:
        """Which of these wagers stand, beside those accepted `before`, and for what stake."""
        bank = self.bank()
        layout = Layout(
            format=self.format,
            profile=self.profile,
            terms=self.terms,
            banked_by=self.banked_by,
            hands_in_play=self.format.hand_names,
            bank=None if bank is None else bank - sum(wager.stake for wager in before),
            limits=self.limits,
            bankers_seat=self.bankers_seat,
        )
        accepted, _ = accept(tuple(Wager.model_validate(offer) for offer in offers), layout)
        in_play = set(self.hands_in_play())
        return [wager for wager in accepted if in_play.issuperset(HANDS_OF_KIND.get(wager.kind, ()))]

    def dealt(self, accepted: list[Wager]) -> Dealt:
        """The cards, from the shoe in use."""
        if self.shoe is None:
            msg = "a coup is dealt from a shoe"
            raise AssertionError(msg)
        return self.deal(self.shoe, accepted)

    def settle(self, accepted: list[Wager], dealt: Dealt) -> None:
        """The coup ends by these cards."""
        results = results_of({name: hand(text) for name, text in written(dealt).items()})
        self.take_and_pay(settle(accepted, results, self.profile, self.terms))

    # --- Words -----------------------------------------------------------------------------------------

    def say(self, command: str, **facts: Any) -> Line:
        """One line, with the next id. Keys come in the order given."""
        self.said += 1
        return {
            "command": command,
            "id": f"{self.setting.gaming_day}-{self.setting.name}-{self.said:04d}",
            "occurred_at": f"{self.now:%Y-%m-%dT%H:%M:%SZ}",
            "actor": self.dealers[self.shift],
            "table": self.setting.name,
            **facts,
        }

    def say_again(self, line: Line) -> Line:
        """The same line under the next id, now."""
        return {**line, **self.say(line["command"])}

    @property
    def shoe_name(self) -> str:
        """The shoe in use: the gaming day, and which of that day's."""
        return f"{self.setting.gaming_day}-{self.shoes}"

    def which(self) -> Line:
        """Which coup a line is about."""
        return {"shoe": self.shoe_name, "number": self.number}

    def shown(self, dealt: Dealt) -> Line:
        """The cards, and the claim where there is one."""
        claim = self.claim(dealt)
        return {"hands": written(dealt), **({} if claim is None else {"claimed": claim})}

    def offer(self, kind: str, stake: int, patron: Patron, *, voucher: bool = False) -> Line:
        """One wager; its id counts up in the coup."""
        self.offered += 1
        line: Line = {
            "id": f"w{self.offered}",
            "kind": kind,
            "stake": stake,
            "patron": patron.token,
            "seat": patron.seat,
        }
        return {**line, "tender": "promotional"} if voucher else line

    def count(self, value: int) -> Line:
        """A count of the float, signed."""
        return {"chips": chips(value, self.setting.denominations), "signed_by": self.signatures()}

    def drop(self) -> Line:
        """The count of the cash box."""
        return self.say("count-drop", amount=self.count_drop(), signed_by=["count-room-01", "security-03"])

    def signatures(self) -> list[str]:
        """Who signs at the table."""
        return [self.dealers[self.shift], self.inspectors[self.shift]]

    def case(self) -> str | None:
        """What out of the ordinary happens in this coup."""
        return self.setting.cases.get(self.coup)

    @property
    def seated(self) -> tuple[Patron, ...]:
        """Who sits at the table in this shift."""
        return self.setting.seated[self.shift]

    def wait(self, least: int, most: int) -> None:
        """Some seconds go by."""
        self.now += timedelta(seconds=self.rng.randint(least, most))

    def wait_for_coup(self) -> None:
        """The time until the next coup: what is left of the evening, shared out, more or less."""
        left = (self.setting.last_coup - self.now).total_seconds()
        pace = max(40, int(left) // (self.setting.coups - self.coup + 1))
        self.wait(pace * 7 // 10, pace * 13 // 10)
