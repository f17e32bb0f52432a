"""Whole nights as they may come: several tables, days and shifts, rulings, banks that pass, drops."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.regulation6 import BANQUE, CHEMIN_DE_FER, PUNTO_BANCO, punto_banco_tableau_breach
from tests.properties.strategies import hands_of, offers
from tests.tabletalk import Night, step_by_step

Line = dict[str, Any]
DAYS = ("2026-10-31", "2026-11-01")
"""Two gaming days of two months."""
FLOAT = {"chips": {"2500": 4}, "signed_by": ["dealer-1", "inspector-1"]}
RULING = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"]}
_FORMATS = {"PB1": PUNTO_BANCO, "PB2": PUNTO_BANCO, "CF1": CHEMIN_DE_FER, "BB1": BANQUE}


@st.composite
def _terms(draw: st.DrawFn, format: str) -> Line:
    """At chemin de fer a unit of 1, so that nothing rounds against the bank."""
    return {
        "rounding": draw(st.sampled_from(["exact-only", "up-to-unit", "nearest"])),
        "unit": 1 if format == CHEMIN_DE_FER else draw(st.sampled_from([1, 5, 50])),
        "banker_on_draw": draw(st.sampled_from(["stand-off", "lost"])),
    }


@st.composite
def _coup(draw: st.DrawFn, night: Night, format: str, number: int) -> None:
    """One coup: at once or step by step, ruled void while open, corrected or ruled void while held.

    None is left in hand: the oracle's rows are of coups that have come to an end or a ruling.
    """
    dealt = draw(hands_of(format))
    line = night.step("record-coup", number, hands=dealt, wagers=draw(offers(format)))
    way = draw(st.sampled_from(["at once", "at once", "steps", "cancels", "void while open"]))
    if way != "at once":
        steps = step_by_step(line)
        cancel = {"command": "cancel-wagers", "id": f"{line['id']}-cancel", "wagers": ["w0"]}
        void = {"command": "void-coup", "id": f"{line['id']}-void", **RULING}
        common = {name: steps[0][name] for name in ("occurred_at", "actor", "table", "shoe", "number")}
        steps = {
            "steps": steps,
            "cancels": [*steps[:2], {**common, **cancel}, *steps[2:]],
            "void while open": [*steps[:2], {**common, **void}],
        }[way]
        night.lines[-1:] = steps
    irregular = format == PUNTO_BANCO and punto_banco_tableau_breach(
        dealt["player"].split(), dealt["banker"].split()
    )
    if irregular:
        ruling = draw(st.sampled_from(["left", "void", "corrected", "one approver"]))
        if ruling == "corrected":
            corrected = draw(hands_of(format, irregular=False))
            night.step("correct-hands", number, hands=corrected, **RULING)
        elif ruling != "left":
            approvers = ["pit-1", "pit-2"] if ruling == "void" else ["pit-1", "pit-1"]
            night.step("void-coup", number, **{**RULING, "approvers": approvers})


@st.composite
def _gaming_day(draw: st.DrawFn, night: Night, format: str, day: str) -> None:
    """From opener to drop. A shoe for each coup, so that no card runs out."""
    limits = draw(st.sampled_from([{}, {"player": {"min": 50, "max": 300}, "tie": {"max": 40}}]))
    facts = {"terms": draw(_terms(format)), "limits": limits, "occurred_at": f"{day}T21:00:00Z"}
    night.say("open-table", gaming_day=day, format=format, opener=FLOAT, **facts)
    for number in range(1, draw(st.integers(0, 4)) + 1):
        if format == CHEMIN_DE_FER:
            bank = {"holder": f"banker-{number}", "capacity": "player", "sum": draw(st.integers(1, 900))}
            night.say("take-bank" if number == 1 else draw(st.sampled_from(["pass-bank", "retire-bank"])))
            if night.lines[-1]["command"] != "retire-bank":
                night.lines[-1].update(bank)
            elif draw(st.booleans()):
                night.say("take-bank", **bank)
        night.shoe = f"{day}-{number}"
        night.say("start-shoe", shoe=night.shoe, decks=draw(st.sampled_from([6, 8])))
        draw(_coup(night, format, number))
        night.say("end-shoe", shoe=night.shoe)
        if draw(st.sampled_from([False, False, True])):
            if draw(st.booleans()):
                night.say("count-drop", amount=draw(st.integers(0, 900)))
            night.say("change-shift", shift=str(number + 1))
    night.say("close-table", closer=FLOAT)
    if draw(st.booleans()):
        night.say("count-drop", amount=draw(st.integers(0, 900)))


@st.composite
def nights(draw: st.DrawFn) -> list[Line]:
    """A tape of up to three tables, some of it sent twice."""
    tape: list[Line] = []
    for name in draw(st.lists(st.sampled_from(sorted(_FORMATS)), min_size=1, max_size=3, unique=True)):
        night = Night(_FORMATS[name], table=name, prefix=f"{name}-")
        for day in DAYS[: draw(st.integers(1, 2))]:
            draw(_gaming_day(night, night.format, day))
        premises = draw(st.sampled_from(["main", "annex"]))
        tape += [{**line, "premises": premises} for line in night.lines]
    again = draw(st.integers(0, len(tape)))
    return [*tape, *tape[:again]]
