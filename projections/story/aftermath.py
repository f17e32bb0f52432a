"""What came after a coup: rulings and what they took back, disputes and their clock, and its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from projections.story import words
from projections.story.coups import CoupStory
from projections.story.telling import Covering, DisputeTold, RulingTold, line_told


def ruling_told(ruling: dict[str, Any], currency: str) -> RulingTold:
    """A ruling, with what it took back."""
    when = words.moment(datetime.fromisoformat(ruling["occurred_at"]))
    hands = ruling["hands_after"]
    return RulingTold(
        sentence=words.sentence(
            f"{ruling['ruling']} on {when}, approved by {words.listed(ruling['approvers'])}: "
            f"{_unended(ruling['reason'])}{_evidence(ruling)}{_booked(ruling['booked_on'])}"
        ),
        hands=words.sentence(f"settled on {words.hands_text(hands)}")
        if hands
        else "Every stake was handed back.",
        taken_back=[line_told(line, currency) for line in ruling["reversed"]],
    )


def _evidence(named_in: Mapping[str, Any]) -> str:
    return f"; evidence: {words.plain(named_in['evidence'])}" if named_in["evidence"] else ""


def _unended(text: str) -> str:
    """Somebody's own words, to be followed by more of the same sentence."""
    return words.plain(text).rstrip(". ")


def _booked(on: str | None) -> str:
    day = words.day(date.fromisoformat(on)) if on else None
    return f"; booked on {day}, as the coup's own gaming day was signed off" if day else ""


def dispute_told(dispute: dict[str, Any], as_of: datetime) -> DisputeTold:
    """A dispute, and its clock as of a moment."""
    received = datetime.fromisoformat(dispute["received_at"])
    until = datetime.fromisoformat(dispute["unresolved_at"])
    by = f" from {dispute['patron']}" if dispute["patron"] else ""
    about = f" about wager {dispute['wager']}" if dispute["wager"] else ""
    told = words.sentence(
        f"dispute {dispute['dispute']}{about}, received{by} on {words.moment(received)}: "
        f"{words.plain(dispute['statement'])}"
    )
    if dispute["decision"] is not None:
        resolved = datetime.fromisoformat(dispute["resolved_at"])
        within = "within" if resolved <= until else "after"
        clock = f"resolved on {words.moment(resolved)}, {within} eight weeks: "
        clock += _unended(dispute["decision"]) + _evidence(dispute)
        return DisputeTold(told, words.sentence(clock), None)
    days_left = (until - as_of).days
    if as_of < until:
        days = "1 day" if days_left == 1 else f"{days_left} days"
        clock = f"open: {days} left of eight weeks, which end on {words.moment(until)}"
    else:
        clock = (
            f"open: the eight weeks ended on {words.moment(until)}, so the patron is to be offered "
            "alternative dispute resolution"
        )
    return DisputeTold(told, words.sentence(clock), days_left)


def record_told(story: CoupStory, covering: Covering | None) -> list[str]:
    """Where the coup stands in the record, and in what was sealed of it."""
    return place_told(story.coup, [event["sequence"] for event in story.record], covering)


def place_told(stream: str, numbers: Sequence[int], covering: Covering | None) -> list[str]:
    """Where the events of a stream stand in the record, by their sequence, and in what was sealed of it."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    places = words.listed([" to ".join(f"{end:,}" for end in run) for run in runs])
    events = f"{len(numbers)} events, numbers" if len(numbers) > 1 else "one event, number"
    sentences = [f"in the record as {stream}: {events} {places}"]
    if covering is None:
        sentences.append("no signed checkpoint covers all of them yet")
    elif covering.fault is not None:
        sentences.append(covering.fault)
    else:
        names = words.listed(covering.signed_by)
        signed = (
            f"signed by {names}"
            if covering.signature_checked
            else f"said to be signed by {names} (signature not checked)"
        )
        sentences.append(
            f"covered by the checkpoint of {covering.origin} over {covering.size:,} events, root "
            f"{covering.root}, {signed}"
        )
    return [words.sentence(words.plain(text)) for text in sentences]
