"""One coup, read from its stream: the cards as dealt, every rule, every wager's arithmetic and paragraph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger.events import coup as events
from ledger.events.base import LedgerEvent
from ledger.events.catalogue import decode
from ledger.events.command import CommandRecorded
from ledger.regulation.tableau import drawing_rules
from ledger.store.port import LedgerRecorder, Row
from ledger.terms.formats import format_named
from ledger.terms.hands import BANKER, PLAYER, Hand, in_dealt_order
from ledger.terms.identifiers import DEFAULT_PREMISES, command_stream
from ledger.terms.wagers import SettlementLine
from projections.story.words import arithmetic


@dataclass(slots=True)
class CoupStory:
    """A coup from its first wager to its end. Amounts in minor units."""

    coup: str
    stage: str = "open"
    opened: events.CoupOpened | None = None
    wagers: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    cancelled: list[dict[str, Any]] = field(default_factory=list)
    dealt: Mapping[str, Hand] = field(default_factory=dict)
    """The hands as they were dealt; `hands` are those settled on, which a ruling may have corrected."""
    hands: Mapping[str, Hand] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    claimed: dict[str, str] | None = None
    claim_agrees: bool | None = None
    irregular: dict[str, Any] | None = None
    rulings: list[dict[str, Any]] = field(default_factory=list)
    banco: dict[str, Any] | None = None
    decisions: list[dict[str, Any]] = field(default_factory=list)
    disputes: list[dict[str, Any]] = field(default_factory=list)
    lines: list[SettlementLine] = field(default_factory=list)
    """Those that stand; what a ruling took back is with that ruling."""
    reversed: list[SettlementLine] = field(default_factory=list)
    """Taken back by the ruling that comes next."""
    banker_win: int | None = None
    record: list[dict[str, Any]] = field(default_factory=list)
    """Each event: its sequence, topic, time and actor."""

    @property
    def currency(self) -> str:
        """The currency of every amount."""
        return self.opened.conditions.currency if self.opened else ""

    def cards(self) -> list[tuple[str, str]]:
        """Each card with its hand, in dealt order."""
        return [(name, str(card)) for name, card in in_dealt_order(self.dealt)]

    def standing(self) -> list[dict[str, Any]]:
        """The wagers accepted and not cancelled."""
        gone = {wager["id"] for wager in self.cancelled}
        return [wager for wager in self.wagers if wager["id"] not in gone]

    def drawing(self) -> list[str]:
        """The line of the tableau that governs each hand settled on; none where somebody had an option."""
        if self.opened is None or not self.hands:
            return []
        if format_named(self.opened.conditions.format).drawing_option:
            return []
        rules = drawing_rules(self.hands[PLAYER], self.hands[BANKER])
        return list(dict.fromkeys(rule.text for rule in rules))

    def as_json(self) -> dict[str, Any]:
        """The story for programs."""
        opened = self.opened.model_dump(mode="json", exclude_none=True) if self.opened else {}
        return {
            "coup": self.coup,
            "stage": self.stage,
            **{name: opened.get(name) for name in ("premises", "table", "shoe", "number", "conditions")},
            "hands": {name: {"cards": str(hand), "total": hand.total} for name, hand in self.hands.items()},
            "dealt": [{"hand": name, "card": card} for name, card in self.cards()],
            "drawing": self.drawing(),
            "results": self.results,
            "claimed": self.claimed,
            "claim_agrees": self.claim_agrees,
            "irregular": self.irregular,
            "rulings": self.rulings,
            "banco": self.banco,
            "decisions": self.decisions,
            "disputes": self.disputes,
            "wagers": self.wagers,
            "refused": self.refused,
            "cancelled": self.cancelled,
            "lines": [line_as_json(line, self.currency) for line in self.lines],
            "banker_win": self.banker_win,
            "record": self.record,
        }


def line_as_json(line: SettlementLine, currency: str) -> dict[str, Any]:
    """A line for programs, with its sum as it can be read out."""
    return line.model_dump(mode="json", exclude_none=True) | {"arithmetic": arithmetic(line, currency)}


def _opened(story: CoupStory, event: events.CoupOpened) -> None:
    story.opened = event


def _placed(story: CoupStory, event: events.WagersPlaced) -> None:
    story.wagers += [wager.model_dump(mode="json", exclude_none=True) for wager in event.wagers]


def _refused(story: CoupStory, event: events.WagerRefused) -> None:
    story.refused.append(
        event.wager.model_dump(mode="json", exclude_none=True)
        | {"refused_stake": event.stake, "reason": event.reason, "paragraph": event.paragraph}
    )


def _cancelled(story: CoupStory, event: events.WagersCancelled) -> None:
    story.cancelled += [
        {"id": wager, "reason": event.reason, "paragraph": event.paragraph} for wager in event.wagers
    ]


def _closed(story: CoupStory, _event: events.WagersClosed) -> None:
    story.stage = "closed"


def _dealt(story: CoupStory, event: events.HandsDealt) -> None:
    story.stage = "dealt"
    story.dealt = story.hands = event.hands
    story.results = {name: result.value for name, result in event.results.items()}
    story.decisions = [decision.model_dump(mode="json") for decision in event.decisions or ()]
    if event.claimed is not None:
        story.claimed = {name: result.value for name, result in event.claimed.items()}
    story.claim_agrees = event.claim_agrees


def _irregular(story: CoupStory, event: events.IrregularityFound) -> None:
    story.stage = "held"
    story.irregular = {"rule": event.rule, "detail": event.detail}


def _ruled(
    story: CoupStory, event: events.HandsCorrected | events.CoupVoided | events.CoupCorrected, ruling: str
) -> None:
    story.rulings.append(
        {
            "ruling": ruling,
            "reason": event.reason,
            "approvers": list(event.approvers),
            "evidence": event.evidence,
            "occurred_at": event.occurred_at.isoformat(),
            "booked_on": event.model_dump(mode="json").get("booked_on"),
            "hands_before": _texts(story.hands),
            "hands_after": None if isinstance(event, events.CoupVoided) else _texts(event.hands),
            "reversed": [line_as_json(line, story.currency) for line in story.reversed],
        }
    )
    story.reversed = []


def _texts(hands: Mapping[str, Hand]) -> dict[str, str]:
    return {name: str(hand) for name, hand in hands.items()}


def _hands_corrected(story: CoupStory, event: events.HandsCorrected) -> None:
    _ruled(story, event, "hands corrected")
    story.hands = event.hands
    story.results = {name: result.value for name, result in event.results.items()}


def _settled_lines(story: CoupStory, event: events.WagersSettled) -> None:
    story.lines += event.lines


def _reversed(story: CoupStory, event: events.WagersReversed) -> None:
    story.reversed += event.lines
    story.lines = []


def _settled(story: CoupStory, event: events.CoupSettled) -> None:
    story.stage = "settled"
    story.banker_win = event.banker_win


def _coup_corrected(story: CoupStory, event: events.CoupCorrected) -> None:
    _ruled(story, event, "coup corrected")
    story.hands = event.hands
    story.results = {name: result.value for name, result in event.results.items()}
    story.banker_win = event.banker_win


def _voided(story: CoupStory, event: events.CoupVoided) -> None:
    story.stage = "void"
    story.banker_win = None
    _ruled(story, event, "coup void")


def _banco(story: CoupStory, event: events.BancoCalled) -> None:
    story.banco = {"call": event.call.value, "patron": event.patron, "seat": event.seat, "stake": event.stake}


def _disputed(story: CoupStory, event: events.DisputeRaised) -> None:
    story.disputes.append(
        {
            "dispute": event.dispute,
            "patron": event.patron,
            "wager": event.wager,
            "statement": event.statement,
            "received_at": event.received_at.isoformat(),
            "unresolved_at": event.unresolved_at.isoformat(),
            "decision": None,
            "resolved_at": None,
            "evidence": None,
        }
    )


def _resolved(story: CoupStory, event: events.DisputeResolved) -> None:
    for dispute in story.disputes:
        if dispute["dispute"] == event.dispute:
            dispute["decision"] = event.decision
            dispute["resolved_at"] = event.occurred_at.isoformat()
            dispute["evidence"] = event.evidence


_TELL: Mapping[type[LedgerEvent], Callable[[CoupStory, Any], None]] = {
    events.CoupOpened: _opened,
    events.WagersPlaced: _placed,
    events.WagerRefused: _refused,
    events.WagersCancelled: _cancelled,
    events.WagersClosed: _closed,
    events.HandsDealt: _dealt,
    events.IrregularityFound: _irregular,
    events.HandsCorrected: _hands_corrected,
    events.WagersSettled: _settled_lines,
    events.WagersReversed: _reversed,
    events.CoupCorrected: _coup_corrected,
    events.BancoCalled: _banco,
    events.DisputeRaised: _disputed,
    events.DisputeResolved: _resolved,
    events.CoupSettled: _settled,
    events.CoupVoided: _voided,
}


def find_coup(record: LedgerRecorder, wanted: str) -> str | None:
    """The stream of a coup named in one of the ways people name it.

    `coup/main/PB1/S1/7`, `main/PB1/S1/7`, `PB1/S1/7` (at the default premises), or the id of a command
    that was about it. None when no such coup is in the record.
    """
    if "/" not in wanted:
        ran = record.select_stream(command_stream(wanted))
        event = decode(ran[0].topic, ran[0].state) if ran else None
        wanted = event.subject if isinstance(event, CommandRecorded) else ""
    stream = coup_stream_of(wanted)
    return stream if stream and record.select_first([stream]) else None


def coup_stream_of(name: str) -> str | None:
    """The stream of a coup of this name, whether it is in the record or not; None for no coup's name."""
    parts = name.removeprefix("coup/").split("/")
    if len(parts) == 3:
        parts = [DEFAULT_PREMISES, *parts]
    return "/".join(["coup", *parts]) if len(parts) == 4 and all(parts) else None


def tell_coup(record: LedgerRecorder, stream: str) -> CoupStory:
    """The story of the coup on this stream."""
    return tell(stream, record.select_stream(stream))


def tell(stream: str, rows: Iterable[Row]) -> CoupStory:
    """The story that these stored events tell, which are those of one coup in order.

    Raises:
        UnknownTopic, EventUnreadable: one cannot be read.
    """
    story = CoupStory(stream)
    for row in rows:
        event = decode(row.topic, row.state, row.stream, row.version)
        _TELL[type(event)](story, event)
        story.record.append(
            {
                "sequence": row.sequence,
                "topic": row.topic,
                "occurred_at": event.occurred_at.isoformat(),
                "actor": event.actor,
                "cause": event.cause,
            }
        )
    return story
