"""A refusal is a fact: each reason the ledger has is recorded with its code and its paragraph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from ledger import errors
from ledger.application import Ledger
from ledger.events.command import CommandOutcome, CommandRecorded
from tests.application.story import CHIPS, IRREGULAR, NINE_TO_SEVEN, RULING, SEEN
from tests.tabletalk import GAMING_DAY, Night, all_events, command, events_of, hands, play, wagers

Line = dict[str, Any]
OPENING: Line = {"gaming_day": GAMING_DAY, "format": "punto-banco", "opener": CHIPS}
BANK: Line = {"holder": "p-1", "capacity": "player", "sum": 1000}


class Case(NamedTuple):
    """Commands that are obeyed, then one that is refused, and why."""

    refusal: type[errors.Refusal]
    before: list[Line]
    refused: Line
    paragraph: str | None = None


def _last(night: Night, refusal: type[errors.Refusal], paragraph: str | None = None) -> Case:
    return Case(refusal, night.lines[:-1], night.lines[-1], paragraph)


def _punto() -> Night:
    return Night().opens()


def _chemin() -> Night:
    night = Night("chemin-de-fer").opens()
    night.say("take-bank", **BANK)
    return night


def _tables() -> Iterator[Case]:
    night = Night()
    night.say("start-shoe", shoe="S1", decks=8)
    yield _last(night, errors.TableNotOpen)

    night = _punto()
    night.say("open-table", **OPENING)
    yield _last(night, errors.TableStillOpen)

    night = _punto()
    night.say("close-table", closer=CHIPS)
    night.say("open-table", **OPENING)
    yield _last(night, errors.GamingDayOver)

    night = Night()
    night.say("open-table", **{**OPENING, "gaming_day": "2026-10-27"})
    yield _last(night, errors.GamingDayImplausible)

    night = Night()
    before_it = {"gaming_day": "2000-03-31", "occurred_at": "2000-03-31T21:00:00Z"}
    night.say("open-table", **{**OPENING, **before_it, "profile": "si-2000-597-7a"})
    yield _last(night, errors.ProfileNotInForce)

    night = _punto()
    night.say("fill-chips", slip="17", **CHIPS)
    night.say("credit-chips", slip="17", **CHIPS)
    yield _last(night, errors.SlipNumberUsed)

    night = _punto()
    night.say("seat-player", patron="p-1", seat=3)
    night.say("seat-player", patron="p-2", seat=3)
    yield _last(night, errors.SeatTaken)

    night = _punto()
    night.say("unseat-player", patron="p-1")
    yield _last(night, errors.NotAtTable)


def _shoes() -> Iterator[Case]:
    night = _punto()
    night.say("end-shoe", shoe="S1")
    night.say("start-shoe", shoe="S1", decks=8)
    yield _last(night, errors.ShoeIdUsed)

    night = _punto()
    night.say("start-shoe", shoe="S2", decks=8)
    yield _last(night, errors.ShoeInUse)

    night = _punto()
    night.step("open-coup", 1, shoe="S2")
    yield _last(night, errors.ShoeNotInUse)

    night = Night().opens(decks=1)
    night.coup(1, "P As 6 / B As 6")
    yield _last(night, errors.CardNotInShoe)

    night = _punto()
    night.say("end-shoe", shoe="S1")
    night.say("start-shoe", shoe="S2", decks=1, burned_face_down=48)
    night.coup(1, "P 2 3 4 / B 3 4", shoe="S2")
    yield _last(night, errors.ShoeOverdrawn)


def _coups() -> Iterator[Case]:
    night = _punto()
    night.coup(1, NINE_TO_SEVEN)
    night.coup(1, NINE_TO_SEVEN)
    yield _last(night, errors.CoupNumberUsed)

    night = _punto()
    night.step("close-wagers", 1)
    yield _last(night, errors.NoSuchCoup)

    night = _punto()
    night.step("open-coup", 1)
    night.step("deal-hands", 1, hands=hands(NINE_TO_SEVEN))
    yield _last(night, errors.CoupNotReady)

    night = _punto()
    night.coup(1, NINE_TO_SEVEN, format="baccarat-banque")
    yield _last(night, errors.ConditionsDiffer)

    night = _punto()
    night.step("open-coup", 1)
    night.step("place-wagers", 1, wagers=wagers("player 100"))
    night.step("cancel-wagers", 1, wagers=["w2"])
    yield _last(night, errors.WagerUnknown)

    night = _chemin()
    night.say("change-offer", kinds=["player", "tie"])
    yield _last(night, errors.KindNotAvailable, "6(7)(a)")

    night = _punto()
    night.coup(1, NINE_TO_SEVEN, decisions=[{"hand": "player", "drew": False}])
    yield _last(night, errors.NoOption, "6(7)(c)")


def _disputes() -> Iterator[Case]:
    night = _punto()
    night.coup(1, NINE_TO_SEVEN)
    night.step("raise-dispute", 1, dispute="D-1", statement="I saw a six.")
    night.step("raise-dispute", 1, dispute="D-1", statement="I saw a six.")
    yield _last(night, errors.DisputeIdUsed)

    night = _punto()
    night.coup(1, NINE_TO_SEVEN)
    night.step("resolve-dispute", 1, dispute="D-1", decision="upheld")
    yield _last(night, errors.NoSuchDispute)


def _rulings() -> Iterator[Case]:
    night = _punto()
    night.coup(1, IRREGULAR)
    night.step("settle-coup", 1)
    yield _last(night, errors.CoupHeld)

    night = _punto()
    night.coup(1, IRREGULAR)
    night.step("correct-hands", 1, hands=hands(IRREGULAR), **RULING)
    yield _last(night, errors.StillIrregular)

    night = _punto()
    night.coup(1, IRREGULAR)
    night.step("void-coup", 1, **{**RULING, "approvers": ["pit-1", "dealer-1"]})
    yield _last(night, errors.ApproversNotIndependent)

    night = Night().opens(may_approve=["pit-1", "surveillance-1"])
    night.coup(1, NINE_TO_SEVEN)
    night.step("void-coup", 1, **RULING)
    yield _last(night, errors.ApproverWithoutRight)

    night = _punto()
    night.coup(1, NINE_TO_SEVEN)
    night.step("correct-coup", 1, hands=hands(NINE_TO_SEVEN), **SEEN)
    yield _last(night, errors.NothingToCorrect)


def _banks() -> Iterator[Case]:
    night = _punto()
    night.say("take-bank", **BANK)
    yield _last(night, errors.BankMayNotStand, "6(5)(a)")

    night = Night("chemin-de-fer").opens()
    night.say("take-bank", **{**BANK, "capacity": "licence-holder"})
    yield _last(night, errors.BankMayNotStand, "6(6)")

    night = Night("chemin-de-fer").opens()
    night.coup(1, NINE_TO_SEVEN)
    yield _last(night, errors.NoBank)

    night = _chemin()
    night.say("take-bank", **{**BANK, "holder": "p-2"})
    yield _last(night, errors.BankTakenAlready)

    night = _chemin()
    night.coup(1, NINE_TO_SEVEN, "player 100")
    night.coup(2, NINE_TO_SEVEN, "player 100")
    yield _last(night, errors.BankMustPass, "6(6)")

    night = _chemin()
    night.step("open-coup", 1)
    night.say("retire-bank")
    yield _last(night, errors.BankCommitted)

    night = _punto()
    night.say("declare-interest", person="dealer-1", capacity="employee")
    night.coup(1, NINE_TO_SEVEN)
    yield _last(night, errors.InterestNotAllowed, "6(5)(b)")

    night = _chemin()
    night.say("declare-interest", person="house", capacity="licence-holder")
    night.coup(1, NINE_TO_SEVEN)
    yield _last(night, errors.InterestNotAllowed, "6(6)")

    night = _chemin()
    night.say("withdraw-interest", person="house")
    yield _last(night, errors.InterestUnknown)


def _bancos() -> Iterator[Case]:
    night = _punto()
    night.step("open-coup", 1)
    night.step("call-banco", 1, patron="p-2", seat=2, wager="b1")
    yield _last(night, errors.NoBanco)

    night = _chemin()
    night.step("open-coup", 1)
    night.step("call-banco", 1, patron="p-2", seat=2, wager="b1")
    night.step("call-banco", 1, patron="p-3", seat=3, wager="b2")
    yield _last(night, errors.BancoStands)


COUNT: Line = {"gaming_day": GAMING_DAY, "counted": {"shift": "1", "opener": 0, "closer": 0, "drop": 0}}
ADJUSTMENT: Line = {
    "adjusts": GAMING_DAY,
    "account": "drop",
    "amount": -500,
    "reason": "A note counted twice",
    "approvers": ["accounts-1", "manager-1"],
}


def _closed() -> Night:
    night = _punto()
    night.say("close-table", closer=CHIPS)
    return night


def _days() -> Iterator[Case]:
    night = _closed()
    night.closes_day()
    night.say("count-drop", amount=1)
    yield _last(night, errors.DayIsSealed)

    night = _closed()
    night.say("book-adjustment", **ADJUSTMENT)
    yield _last(night, errors.DayNotSealed)

    night = _closed()
    night.closes_day()
    night.say("book-adjustment", **ADJUSTMENT, actor="manager-1")
    yield _last(night, errors.AdjustmentNotApproved)

    night = Night()
    night.closes_day(tables=[])
    yield _last(night, errors.NoTablesOnDay)

    night = Night()
    night.say("record-count", **COUNT)
    yield _last(night, errors.TableNotOnDay)

    night = _closed()
    night.closes_day(unfinished=["coup/main/T1/S1/1"])
    yield _last(night, errors.CoupsUnfinished)

    night = _closed()
    night.closes_day(tables=[])
    yield _last(night, errors.FiguresIncomplete)

    night = _closed()
    night.closes_day(signed_by=["Inspector-1"])
    yield _last(night, errors.SignOffNotIndependent)

    night = _punto()
    for _ in range(2):
        night.say("void-slip", slip="17", reason="torn")
    yield _last(night, errors.SlipVoidAlready)

    night = _punto()
    night.say("change-shift", shift="adjustment")
    yield _last(night, errors.ShiftNameReserved)

    night = _punto()
    night.say("count-drop", amount=1, shift="late")
    yield _last(night, errors.ShiftUnknown)


def _access() -> Iterator[Case]:
    key = {"key": "K-1", "person": "cashier-1", "roles": ["cage"]}
    night = Night()
    night.of_the_house("issue-key", **key)
    night.of_the_house("issue-key", **key)
    yield _last(night, errors.KeyNameUsed)

    night = Night()
    night.of_the_house("revoke-key", key="K-1", reason="left")
    yield _last(night, errors.NoSuchKey)

    night = Night()
    night.of_the_house("issue-key", **key)
    night.of_the_house("revoke-key", key="K-1", reason="left")
    night.of_the_house("revoke-key", key="K-1", reason="left")
    yield _last(night, errors.KeyRevokedAlready)


CASES = [
    *_tables(),
    *_shoes(),
    *_coups(),
    *_disputes(),
    *_rulings(),
    *_banks(),
    *_bancos(),
    *_days(),
    *_access(),
]


def _concrete(root: type[errors.Refusal]) -> set[type[errors.Refusal]]:
    below = {kind for child in root.__subclasses__() for kind in _concrete(child)}
    return below or {root}


def test_every_refusal_has_a_case() -> None:
    """A reason that no command can meet would be a dead letter; a new one needs its case here."""
    assert {case.refusal for case in CASES} == _concrete(errors.Refusal)


def test_every_refusal_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in _concrete(errors.Refusal)]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.refusal.__name__)
def test_a_refusal_is_recorded_and_nothing_else_is(ledger: Ledger, case: Case) -> None:
    """One event: the command, that it was refused, the reason's code, its words and its paragraph."""
    assert all(answer.applied for answer in play(ledger, case.before))
    before = ledger.record.last_sequence()
    answer = ledger.run(command(case.refused))
    assert (answer.outcome, answer.code) == ("refused", case.refusal.code)
    assert answer.paragraph == case.paragraph
    assert answer.detail
    (record,) = all_events(ledger)[before:]
    assert isinstance(record, CommandRecorded)
    assert record.outcome is CommandOutcome.REFUSED
    assert (record.command, record.cause) == (case.refused["command"], case.refused["id"])
    assert (record.code, record.detail, record.paragraph) == (answer.code, answer.detail, case.paragraph)
    assert record.subject == answer.subject
    about = next(case.refused[name] for name in ("table", "gaming_day", "key") if name in case.refused)
    assert f"main/{about}" in record.subject


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.refusal.__name__)
def test_a_refusal_in_a_batch_is_the_same(ledger: Ledger, case: Case) -> None:
    """Those before it in the same transaction are obeyed all the same."""
    *before, last = ledger.run_many([command(line) for line in [*case.before, case.refused]])
    assert all(answer.applied for answer in before)
    assert (last.outcome, last.code, last.paragraph) == ("refused", case.refusal.code, case.paragraph)


def _rejected() -> Iterator[tuple[type[errors.MalformedInput], list[Line], Line]]:
    shoeless = Night()
    shoeless.say("open-table", **OPENING)
    banque = Night("baccarat-banque").opens().lines
    played = _punto()
    played.coup(1, NINE_TO_SEVEN)
    for kind, before, name, facts in (
        (errors.UnknownFormat, [], "open-table", {**OPENING, "format": "whist"}),
        (errors.UnknownProfile, [], "open-table", {**OPENING, "profile": "si-1970"}),
        (errors.ProfileNotImplemented, [], "open-table", {**OPENING, "profile": "si-2000-597-7b"}),
        (errors.BadCard, shoeless.lines, "start-shoe", {"shoe": "S1", "decks": 8, "burned": "1s"}),
        (errors.HandMissing, _punto().lines, "record-coup", {"hands": hands("P 9 K")}),
        (errors.HandUnknown, _punto().lines, "record-coup", {"hands": hands("1 9 K / B 7 Q")}),
        (errors.NotBaccarat, banque, "record-coup", {"hands": hands("P 9 K / 1 9 K / 2 9 K / B 7 Q")}),
        (
            errors.ClaimUnreadable,
            banque,
            "record-coup",
            {"hands": hands("1 9 K / 2 9 K / B 7 Q"), "claimed": "tie"},
        ),
        (
            errors.FromTheFuture,
            _punto().lines,
            "record-coup",
            {"hands": hands(NINE_TO_SEVEN), "occurred_at": "2026-11-28T12:01:00Z"},
        ),
        (
            errors.DecisionContradictsCards,
            _chemin().lines,
            "record-coup",
            {"hands": hands(NINE_TO_SEVEN), "decisions": [{"hand": "player", "drew": True}]},
        ),
        (
            errors.NotYetReceived,
            played.lines,
            "raise-dispute",
            {"dispute": "D-1", "statement": "I saw a six.", "received_at": "2026-11-27T21:00:01Z"},
        ),
        (errors.HandUnknown, played.lines, "correct-coup", {"hands": hands("1 9 K / B 7 Q"), **SEEN}),
        (errors.HandMissing, played.lines, "correct-coup", {"hands": hands("P 9 K"), **SEEN}),
    ):
        coup = {"shoe": "S1", "number": 1} if name not in {"open-table", "start-shoe"} else {}
        yield kind, before, Night(prefix="bad-").say(name, **{**coup, **facts})


@pytest.mark.parametrize(
    ("kind", "before", "line"), list(_rejected()), ids=lambda value: getattr(value, "code", "")
)
def test_what_cannot_be_read_is_rejected_and_leaves_no_trace(
    ledger: Ledger, kind: type[errors.MalformedInput], before: list[Line], line: Line
) -> None:
    """Not an event, alone or in a batch, and the same answer as often as it is sent."""
    assert all(answer.applied for answer in play(ledger, before))
    last = ledger.record.last_sequence()
    answers = [ledger.run(command(line)), *ledger.run_many([command(line)] * 2)]
    assert [(answer.outcome, answer.code, answer.repeat) for answer in answers] == [
        ("rejected", kind.code, False)
    ] * 3
    assert ledger.record.last_sequence() == last
    assert events_of(ledger, f"command/{line['id']}") == []


@pytest.mark.parametrize(
    ("kind", "before", "line"), list(_rejected()), ids=lambda value: getattr(value, "code", "")
)
def test_what_cannot_be_read_does_not_disturb_its_batch(
    ledger: Ledger, kind: type[errors.MalformedInput], before: list[Line], line: Line
) -> None:
    night = Night(table="T2", prefix="t2-").opens()
    night.coup(1, NINE_TO_SEVEN, "player 100")
    batch = [*before, line, *night.lines, line]
    answers = ledger.run_many([command(each) for each in batch])
    rejected = [answer for answer in answers if not answer.applied]
    assert [answer.code for answer in rejected] == [kind.code] * 2
    assert {event.cause for event in all_events(ledger)} == {each["id"] for each in before + night.lines}
