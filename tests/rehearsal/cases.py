"""What the evening tape contains: each case as a question asked of one line and of what came of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ledger.answer import Answer
from ledger.application import Ledger
from ledger.events.base import LedgerEvent
from ledger.terms.hands import BANKER, hand
from tests.tabletalk import all_events, play


@dataclass(frozen=True)
class Told:
    """One line, its answer, and the events it led to as plain values."""

    line: dict[str, Any]
    answer: Answer
    events: list[tuple[str, dict[str, Any]]]

    def of(self, *types: str) -> list[dict[str, Any]]:
        """The events of these types."""
        return [event for name, event in self.events if name in types]

    def settled(self) -> list[dict[str, Any]]:
        """The settlement lines."""
        return [line for event in self.of("WagersSettled") for line in event["lines"]]

    def refused(self, reason: str, paragraph: str | None = None) -> list[dict[str, Any]]:
        """The wagers refused for this reason."""
        return [
            event
            for event in self.of("WagerRefused")
            if event["reason"] == reason and paragraph in (None, event["paragraph"])
        ]

    def paid(self, outcome: str, paragraph: str) -> bool:
        """Whether a wager ended so."""
        return any((end["outcome"], end["paragraph"]) == (outcome, paragraph) for end in self.settled())

    @property
    def hands(self) -> dict[str, Any]:
        """The hands of a coup that was recorded or dealt here."""
        return {name: hand(text) for event in self.of("HandsDealt") for name, text in event["hands"].items()}

    def fives(self, cards: int) -> bool:
        """Whether an opposing hand of five was left with so many cards, where that was a choice."""
        hands = self.hands
        if self.line["table"] == "PB1" or not hands or hands[BANKER].two_card_total > 7:
            return False
        del hands[BANKER]
        return any(one.two_card_total == 5 and len(one.cards) == cards for one in hands.values())


CASES: Mapping[str, Callable[[Told], object]] = {
    "a natural": lambda told: any(one.two_card_total > 7 for one in told.hands.values()),
    "a third card": lambda told: any(one.third for one in told.hands.values()),
    "a five that stood by choice": lambda told: told.fives(2),
    "a five that drew by choice": lambda told: told.fives(3),
    "void, the hand drew, 6(4)(a)": lambda told: told.paid("void", "6(4)(a)"),
    "void, both hands not won, 6(4)(b)": lambda told: told.paid("void", "6(4)(b)"),
    "stand-off": lambda told: told.paid("stand-off", "house rule (reg 2(2))"),
    "tie won at 8 to 1, 6(7)(ii)": lambda told: told.paid("won", "6(7)(ii)"),
    "a remainder": lambda told: any(end["remainder"] != "0" for end in told.settled()),
    "promotional tender": lambda told: any(end["tender"] == "promotional" for end in told.settled()),
    "refused, tie at chemin de fer, 6(7)(a)": lambda told: told.refused("kind-not-available", "6(7)(a)"),
    "refused, banker or tie at banque, 6(7)(b)": lambda told: told.refused("kind-not-available", "6(7)(b)"),
    "refused, not payable exactly": lambda told: told.refused("not-payable-exactly"),
    "refused, over the maximum": lambda told: told.refused("over-maximum"),
    "refused, under the minimum": lambda told: told.refused("under-minimum"),
    "refused, after the close": lambda told: told.refused("wagers-closed"),
    "refused in part, over the bank": lambda told: any(
        refusal["stake"] < refusal["wager"]["stake"] for refusal in told.refused("bank-exceeded")
    ),
    "refused in whole, over the bank": lambda told: any(
        refusal["stake"] == refusal["wager"]["stake"] for refusal in told.refused("bank-exceeded")
    ),
    "cancelled by mutual consent": lambda told: [
        event for event in told.of("WagersCancelled") if event["reason"] == "mutual-consent"
    ],
    "cancelled, the hand is not in play": lambda told: [
        event for event in told.of("WagersCancelled") if event["reason"] == "hand-not-in-play"
    ],
    "a coup that nobody staked on": lambda told: told.of("CoupSettled") and not told.settled(),
    "banque with one hand in play": lambda told: [
        event for event in told.of("HandsDealt") if told.line["table"] == "BB1" and len(event["results"]) == 1
    ],
    "a coup step by step begins": lambda told: told.line["command"] == "open-coup",
    "command refused, coup number used": lambda told: told.answer.code == "coup-number-used",
    "command refused, the house takes a bank": lambda told: told.answer.code == "bank-may-not-stand",
    "command refused, the bank must pass": lambda told: told.answer.code == "bank-must-pass",
    "a bank is taken": lambda told: told.of("BankTaken"),
    "a bank grows": lambda told: [event for event in told.of("BankSettled") if event["banker_win"] > 0],
    "a bank must pass": lambda told: [event for event in told.of("BankSettled") if event["must_pass"]],
    "a bank passes": lambda told: told.of("BankPassed"),
    "a bank retires": lambda told: told.of("BankRetired"),
    "an irregular coup": lambda told: told.of("IrregularityFound"),
    "a ruling, hands corrected": lambda told: told.of("HandsCorrected"),
    "a ruling, coup void": lambda told: told.of("CoupVoided"),
    "a claim against the cards": lambda told: [
        event for event in told.of("HandsDealt") if event["claim_agrees"] is False
    ],
    "a shoe begins": lambda told: told.of("ShoeStarted"),
    "the shift changes": lambda told: told.of("ShiftChanged"),
    "a fill": lambda told: told.of("ChipsFilled"),
    "a credit": lambda told: told.of("ChipsCredited"),
    "a drop is counted": lambda told: told.of("DropCounted"),
}


def tell(ledger: Ledger, lines: list[dict[str, Any]]) -> list[Told]:
    """Play a tape, and bring each line together with what came of it."""
    answers = play(ledger, lines)
    by_cause: defaultdict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for event in all_events(ledger):
        by_cause[event.cause].append((type(event).__name__, _plain(event)))
    return [Told(line, answer, by_cause[line["id"]]) for line, answer in zip(lines, answers, strict=True)]


def _plain(event: LedgerEvent) -> dict[str, Any]:
    return event.model_dump(mode="json")


def found(tape: Iterable[Told]) -> dict[str, list[int]]:
    """The line numbers of each case."""
    lines: dict[str, list[int]] = {case: [] for case in CASES}
    for number, told in enumerate(tape, start=1):
        for case, asks in CASES.items():
            if asks(told):
                lines[case].append(number)
    return lines


def table(lines: Mapping[str, list[int]], listed: int = 6) -> str:
    """The cases as the README shows them."""
    rows = ["| case | lines |", "|---|---|"]
    for case, numbers in lines.items():
        more = f" and {len(numbers) - listed} more" if len(numbers) > listed else ""
        rows.append(f"| {case} | {', '.join(map(str, numbers[:listed]))}{more} |")
    return "\n".join(rows) + "\n"
