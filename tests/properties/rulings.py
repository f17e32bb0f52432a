"""Nights with rulings on coups that had settled, as they may come: lawful ones and others."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.regulation6 import BANQUE, CHEMIN_DE_FER, PUNTO_BANCO
from tests.properties.strategies import CoupNight, coup_nights, hands_of, offers
from tests.tabletalk import Night, step_by_step

Line = dict[str, Any]
RULING: Line = {"reason": "camera 4", "evidence": "clip 17", "approvers": ["pit-1", "pit-2"]}
APPROVERS = [
    *[["pit-1", "pit-2"]] * 4,
    ["pit-2", "surveillance-1", "pit-1"],
    ["pit-1", "pit-1"],
    ["pit-1"],
    ["pit-1", "dealer-1"],
    ["pit-1", "settler-1"],
    ["pit-1", "nobody-1"],
]
FLOAT = {"chips": {"2500": 4}, "signed_by": ["dealer-1", "inspector-1"]}


@st.composite
def other_hands(draw: st.DrawFn, format: str, in_play: list[str]) -> Line:
    """Regular hands that a coup with these hands in play might have had."""
    if format != BANQUE:
        return draw(hands_of(format, irregular=False))
    return draw(hands_of(format).filter(lambda dealt: sorted(dealt) == sorted(in_play)))


@st.composite
def corrected_nights(draw: st.DrawFn, times: int = 1) -> tuple[CoupNight, list[Line]]:
    """One coup that settles, and the hands that it turns out to have had, one after the other."""
    night = draw(coup_nights(irregular=False))
    format, in_play = night.opening[0]["format"], list(night.coup["hands"])
    night.coup.pop("claimed", None)
    return night, [draw(other_hands(format, in_play)) for _ in range(times)]


def correction(night: CoupNight, name: str, dealt: Line) -> Line:
    """The ruling that the coup's hands were these."""
    return {**_common(night.coup), "command": "correct-coup", "id": name, "hands": dealt, **RULING}


def void(night: CoupNight, name: str = "void") -> Line:
    """The ruling that the coup does not count."""
    return {**_common(night.coup), "command": "void-coup", "id": name, **RULING}


def _common(line: Line) -> Line:
    return {name: line[name] for name in ("occurred_at", "actor", "table", "shoe", "number")}


@st.composite
def _ruling(draw: st.DrawFn, night: Night, coups: dict[int, str], format: str) -> None:
    """A ruling on some coup of the night: of a shoe long out of use, perhaps, and not always a lawful one."""
    number = draw(st.sampled_from(sorted(coups)))
    name = draw(
        st.sampled_from(["correct-coup", "correct-coup", "correct-coup", "void-coup", "correct-hands"])
    )
    facts: Line = {**RULING, "approvers": draw(st.sampled_from(APPROVERS)), "shoe": coups[number]}
    if name != "void-coup":
        facts["hands"] = draw(hands_of(format))
    night.step(name, number, **facts)


@st.composite
def _coup(draw: st.DrawFn, night: Night, format: str, number: int) -> None:
    """One coup: at once, or step by step with somebody else settling it, and calls of banco perhaps."""
    line = night.step("record-coup", number, hands=draw(hands_of(format)), wagers=draw(offers(format)))
    if format != CHEMIN_DE_FER and draw(st.booleans()):
        return
    opened, *between, settle = step_by_step(line)
    settle["actor"] = "settler-1"
    calls = draw(st.lists(_calls(), max_size=4)) if format == CHEMIN_DE_FER else []
    called = [
        {**_common(line), **call, "id": f"{line['id']}-call-{index}", "wager": f"b{index}"}
        for index, call in enumerate(calls)
    ]
    night.lines[-1:] = [opened, *called, *between, settle]


@st.composite
def _calls(draw: st.DrawFn) -> Line:
    """Somebody asks for the bank; each patron has a seat of their own."""
    kind = draw(st.sampled_from(["banco", "banco", "with-the-table", "suivi"]))
    seat = draw(st.integers(1, 5))
    return {"command": "call-banco", "call": kind, "patron": f"p-{seat}", "seat": seat}


@st.composite
def _around(draw: st.DrawFn, night: Night, format: str, number: int) -> None:
    """What may happen at a table between coups: banks, shares in them, seats, offers, shifts, charges."""
    if format == CHEMIN_DE_FER:
        seat = draw(st.integers(1, 5))
        bank: Line = {"holder": f"p-{seat}", "sum": draw(st.integers(1, 900)), "seat": seat}
        ways = ["leave it", "leave it", "pass-bank", "retire-bank", "take-bank"]
        name = draw(st.sampled_from(ways)) if number > 1 else "take-bank"
        if name != "leave it":
            night.say(name, **({} if name == "retire-bank" else bank))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        person = draw(st.sampled_from(["p-1", "p-2", "x-1"]))
        capacity = draw(st.sampled_from(["licence-holder", "employee", "player"]))
        kinds = draw(
            st.lists(st.sampled_from(["player", "banker", "tie", "hand-1", "both-hands"]), unique=True)
        )
        happenings: list[tuple[str, Line]] = [
            ("declare-interest", {"person": person, "capacity": capacity}),
            ("withdraw-interest", {"person": person}),
            ("withdraw-interest", {"person": "x-1"}),
            ("seat-player", {"patron": person, "seat": draw(st.integers(1, 3))}),
            ("unseat-player", {"patron": person}),
            ("change-offer", {"kinds": kinds}),
            ("take-charge", {"amount": 300, "patron": person}),
            ("change-shift", {"shift": str(number)}),
            ("count-drop", {"amount": draw(st.integers(0, 900))}),
        ]
        name, facts = draw(st.sampled_from(happenings))
        night.say(name, **facts)


@st.composite
def ruled_nights(draw: st.DrawFn) -> list[Line]:
    """A night of one table: coups, what comes between them, and rulings at any time, also after its close."""
    format = draw(st.sampled_from([PUNTO_BANCO, PUNTO_BANCO, CHEMIN_DE_FER, CHEMIN_DE_FER, BANQUE]))
    night = Night(format)
    may_approve = draw(st.sampled_from([[], ["pit-1", "pit-2", "surveillance-1", "dealer-1", "settler-1"]]))
    terms: Line = {"rounding": draw(st.sampled_from(["exact-only", "up-to-unit", "nearest"]))}
    if format != CHEMIN_DE_FER:
        terms["unit"] = draw(st.sampled_from([1, 5, 50]))
    limits = draw(st.sampled_from([{}, {"player": {"min": 50, "max": 300}, "tie": {"max": 40}}]))
    night.say(
        "open-table",
        gaming_day="2026-11-27",
        format=format,
        opener=FLOAT,
        may_approve=may_approve,
        terms=terms,
        limits=limits,
    )
    coups: dict[int, str] = {}
    for number in range(1, draw(st.integers(2, 5)) + 1):
        draw(_around(night, format, number))
        night.shoe = coups[number] = f"S{number}"  # a shoe for each coup, so that no card runs out
        night.say("start-shoe", shoe=night.shoe, decks=draw(st.sampled_from([6, 8])))
        draw(_coup(night, format, number))
        for _ in range(draw(st.sampled_from([0, 1, 2]))):
            draw(_ruling(night, coups, format))
        night.say("end-shoe", shoe=night.shoe)
    night.say("close-table", closer=FLOAT)
    for _ in range(draw(st.sampled_from([0, 1, 3]))):
        draw(_ruling(night, coups, format))
    return night.lines
