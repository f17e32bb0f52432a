"""A ledger that was closed and opened again, rebuilt from its record, answers as one that stayed open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ledger.answer import Answer
from tests.application.story import IRREGULAR, NINE_TO_SEVEN, RULING, SEEN, every_command
from tests.tabletalk import Night, all_events, command, hands, open_ledger, play, wagers

Line = dict[str, Any]
SIX_TO_SEVEN = "P 2 4 / B 10 7"
SEVEN_ALL = "P K 7 / B 7 Q"
STAKED = "player 100, banker 200, tie 50"


def _settled() -> Night:
    night = Night().opens(may_approve=["pit-1", "pit-2", "dealer-1"])
    night.coup(1, NINE_TO_SEVEN, STAKED)
    return night


def _corrected(times: int = 1) -> Night:
    night = _settled()
    for dealt in (SIX_TO_SEVEN, SEVEN_ALL)[:times]:
        night.step("correct-coup", 1, hands=hands(dealt), **SEEN)
    return night


def _void(after: Night) -> Night:
    after.step("void-coup", 1, **RULING)
    return after


def _open() -> Night:
    night = Night().opens()
    night.step("open-coup", 1)
    night.step("place-wagers", 1, wagers=wagers(STAKED))
    return night


def _held() -> Night:
    night = Night().opens()
    night.coup(1, IRREGULAR, STAKED)
    return night


def _given_its_hands() -> Night:
    night = _held()
    night.step("correct-hands", 1, hands=hands("P K 2 8 / B A 2"), **RULING)
    return night


def _disputed() -> Night:
    night = _settled()
    for dispute in ("D-1", "D-2"):
        night.step("raise-dispute", 1, dispute=dispute, statement="I saw a six.")
    night.step("resolve-dispute", 1, dispute="D-2", decision="upheld")
    return night


def _banco(after: str) -> Night:
    """A first banco, and a second coup that somebody has called, if the bank did not have to pass."""
    night = Night("chemin-de-fer").opens()
    for seat in (1, 3, 4, 5):
        night.say("seat-player", patron=f"p-{seat}", seat=seat)
    night.say("take-bank", holder="p-4", sum=1000)
    night.step("open-coup", 1)
    night.step("call-banco", 1, patron="p-3", seat=3, wager="b1")
    night.step("close-wagers", 1)
    night.step("deal-hands", 1, hands=hands(after))
    night.step("settle-coup", 1)
    night.say("declare-interest", person="p-5", capacity="player")
    night.step("open-coup", 2)
    night.step("call-banco", 2, patron="p-1", seat=1, wager="b1")
    night.say("unseat-player", patron="p-5")
    return night


STATES: dict[str, Night] = {
    "open": _open(),
    "held": _held(),
    "given its hands": _given_its_hands(),
    "settled": _settled(),
    "corrected": _corrected(),
    "corrected twice": _corrected(2),
    "void while open": _void(_open()),
    "void while held": _void(_held()),
    "void once settled": _void(_settled()),
    "void once corrected": _void(_corrected(2)),
    "disputed": _disputed(),
    "after a banco that the bank won": _banco(SIX_TO_SEVEN),
    "after a banco that was a draw": _banco(SEVEN_ALL),
    "after a banco that the bank lost": _banco("P 9 K / B 10 7"),
}


def _probes() -> list[Line]:
    """What may be asked of a first coup and its table, most of it in vain."""
    night = Night(prefix="probe-")
    night.step("correct-coup", 1, hands=hands(NINE_TO_SEVEN), **SEEN)
    night.step("correct-coup", 1, hands=hands(NINE_TO_SEVEN), **SEEN)
    night.step("correct-coup", 1, hands=hands(SIX_TO_SEVEN), **{**SEEN, "approvers": ["pit-1", "dealer-1"]})
    night.step("correct-coup", 1, hands=hands(SIX_TO_SEVEN), **{**SEEN, "approvers": ["pit-1", "pit-9"]})
    night.step("correct-coup", 1, hands=hands(SEVEN_ALL), **SEEN)
    night.step("correct-hands", 1, hands=hands(IRREGULAR), **RULING)
    night.step("correct-hands", 1, hands=hands("P K 2 8 / B A 2"), **RULING)
    night.step("settle-coup", 1)
    night.step("raise-dispute", 1, dispute="D-1", statement="I saw a six.")
    night.step("resolve-dispute", 1, dispute="D-2", decision="upheld")
    night.step("cancel-wagers", 1, wagers=["w1"])
    night.step("void-coup", 1, **RULING)
    night.step("void-coup", 1, **RULING)
    night.step("correct-coup", 1, hands=hands(SIX_TO_SEVEN), **SEEN)
    night.coup(1, NINE_TO_SEVEN)
    night.step("call-banco", 2, patron="p-5", seat=5, wager="b2")
    night.step("call-banco", 2, patron="p-3", seat=3, wager="b3", call="suivi")
    night.step("call-banco", 2, patron="p-1", seat=1, wager="b4")
    night.say("withdraw-interest", person="p-5")
    night.say("declare-interest", person="dealer-1", capacity="employee")
    night.coup(3, NINE_TO_SEVEN)
    night.say("pass-bank", holder="p-5", sum=500)
    return night.lines


PROBES = _probes()


def without_moments(events: list[Any]) -> list[Any]:
    return [event.model_dump(exclude={"recorded_at"}) for event in events]


@pytest.mark.parametrize("state", STATES)
def test_it_refuses_for_the_same_reasons(tmp_path: Path, state: str) -> None:
    """A second void, a correction of a void coup, a dispute's id used twice, a call that comes too late.

    One ledger remembers the table and the coup from what it did itself; the other is opened anew before each
    command. Both say the same, and record the same.
    """
    stayed = open_ledger(tmp_path / "stayed.sqlite")
    play(stayed, STATES[state])
    path = tmp_path / "reopened.sqlite"
    first = open_ledger(path)
    play(first, STATES[state])
    first.close()
    answers: list[tuple[Answer, Answer]] = []
    for line in PROBES:
        reopened = open_ledger(path)
        answers.append((stayed.run(command(line)), reopened.run(command(line))))
        reopened.close()
    assert [one for one, _ in answers] == [other for _, other in answers]
    reopened = open_ledger(path)
    assert without_moments(all_events(reopened)) == without_moments(all_events(stayed))
    reopened.close()
    stayed.close()


def test_the_probes_find_the_reasons_they_are_for(tmp_path: Path) -> None:
    """Every reason a ruling, a dispute or a call may be refused for is met in some state."""
    met: set[str | None] = set()
    for number, state in enumerate(STATES.values()):
        ledger = open_ledger(tmp_path / f"{number}.sqlite")
        play(ledger, state)
        met |= {answer.code for answer in play(ledger, PROBES)}
        ledger.close()
    assert met >= {
        "coup-not-ready",
        "coup-held",
        "nothing-to-correct",
        "still-irregular",
        "approvers-not-independent",
        "approver-without-right",
        "dispute-id-used",
        "no-such-dispute",
        "banco-stands",
        "no-banco",
        "interest-not-allowed",
        "interest-unknown",
        "not-at-table",
        "bank-committed",
    }


def test_the_whole_story_is_told_alike_by_a_ledger_opened_anew_for_each_line(tmp_path: Path) -> None:
    """Every command, applied or refused."""
    stayed = open_ledger(tmp_path / "stayed.sqlite")
    answers = play(stayed, every_command())
    for line, answer in zip(every_command(), answers, strict=True):
        reopened = open_ledger(tmp_path / "reopened.sqlite")
        assert reopened.run(command(line)) == answer
        reopened.close()
    stayed.close()
