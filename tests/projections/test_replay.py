"""A coup as a story: every sentence against facts worked by hand."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ledger.aggregates import banco, steps
from ledger.application import Ledger
from ledger.regulation import acceptance
from ledger.terms.hands import hand
from projections.story.coups import tell_coup
from projections.story.replay import as_json, replay
from projections.story.telling import Covering, Telling
from projections.story.words import REASONS, plain, rule_of_tableau
from tests.tabletalk import NOON, Live, command, hands, open_ledger

RULING: dict[str, Any] = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"], "evidence": "tape 12"}
RECEIVED = datetime(2026, 11, 27, 21, tzinfo=UTC)
EVENING = "27 November 2026, 21:00 UTC"
ENDS = RECEIVED + timedelta(weeks=8)
COVERING = Covering(
    "baccarat-ledger/x", 1234, "ab" * 32, ("baccarat-ledger/x+01020304",), signature_checked=True
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


def told(
    ledger: Ledger, number: int = 1, as_of: datetime = NOON, covering: Covering | None = None
) -> Telling:
    return replay(tell_coup(ledger.record, f"coup/main/T1/S1/{number}"), as_of, covering)


def test_where_and_under_what_it_was_played(ledger: Ledger) -> None:
    """In 2026 the regulation has lapsed, so house rules modelled on it govern."""
    Live(ledger, terms={"rounding": "up-to-unit", "unit": 25, "banker_on_draw": "lost"}).coup(
        1, "P 9 K / B 7 Q"
    )
    telling = told(ledger)
    assert telling.title == "Coup 1 of shoe S1 at table T1"
    assert telling.conditions == [
        "Punto banco, 8 decks, gaming day 27 November 2026, shift 1.",
        "Premises main.",
        "The smallest payable unit is £0.25: what does not come out is paid up to the next £0.25.",
        "On equal hands a wager on the banker's hand is lost.",
    ]
    assert telling.authority.startswith(
        "Played under house rules modelled on the Gaming Clubs (Bankers' Games)"
    )
    assert telling.authority.endswith("which was itself in force from 1 January 1995 to 31 March 2000.")
    assert telling.bank == "The house held the bank."


def test_in_its_days_the_regulation_itself_governs(ledger: Ledger) -> None:
    live = Live(ledger, gaming_day="1998-03-01", occurred_at="1998-03-01T20:00:00Z")
    live.step("record-coup", 1, hands=hands("P 9 K / B 7 Q"), occurred_at="1998-03-01T21:00:00Z")
    assert told(ledger).authority == (
        "Played under Gaming Clubs (Bankers' Games) Regulations 1994, regulation 6 as made (si-1994-2899), "
        "in force from 1 January 1995 to 31 March 2000."
    )


def test_the_cards_as_dealt_the_rules_and_the_result(ledger: Ledger) -> None:
    """Domain §2.1: against a six, a banker of 6 draws; on 5 he draws against 4 to 7."""
    Live(ledger).coup(1, "P Kc 2h 6s / B Ad 4c 5h")
    telling = told(ledger)
    assert [(card.name, card.to) for card in telling.cards] == [
        ("king of clubs", "the player's hand"),
        ("ace of diamonds", "the banker's hand"),
        ("two of hearts", "the player's hand"),
        ("four of clubs", "the banker's hand"),
        ("six of spades", "the player's hand"),
        ("five of hearts", "the banker's hand"),
    ]
    assert [(rule.here, rule.rule, rule.kept) for rule in telling.rules] == [
        ("Player draws on 2.", "The player's hand draws on 0 to 5 and stands on 6 or 7.", True),
        (
            "Banker draws on 5 against a third card of 6.",
            "On 5 the banker's hand draws when the player's third card counts 4, 5, 6 or 7.",
            True,
        ),
    ]
    assert [(hand.name, hand.total, hand.result) for hand in telling.hands] == [
        ("the player's hand", 8, "beats the banker's hand"),
        ("the banker's hand", 0, ""),
    ]


@pytest.mark.parametrize(
    ("banker", "third", "text"),
    [
        ("K 2", "8", "on 2 the banker's hand draws whatever the player's third card counts"),
        ("K 3", "8", "on 3 the banker's hand draws unless the player's third card counts 8"),
        (
            "K 4",
            "8",
            "on 4 the banker's hand draws when the player's third card counts 2, 3, 4, 5, 6 or 7",
        ),
        ("K 6", "8", "on 6 the banker's hand draws when the player's third card counts 6 or 7"),
        ("K 7", "8", "on 7 the banker's hand never draws once the player's hand has drawn"),
        (
            "K 6",
            "",
            "when the player's hand has stood, the banker's hand draws on 0 to 5 and stands on 6 or 7",
        ),
    ],
)
def test_the_bankers_line_of_the_tableau_in_words(banker: str, third: str, text: str) -> None:
    """Domain §2.1, the table."""
    assert rule_of_tableau("banker-draws", {"player": hand(f"K 2 {third}"), "banker": hand(banker)}) == text


def test_a_natural_is_one_rule(ledger: Ledger) -> None:
    Live(ledger).coup(1, "P 9 K / B 7 Q")
    (rule,) = told(ledger).rules
    assert rule.here == "The player's natural 9: no more cards."
    assert rule.rule == "Where either hand counts 8 or 9 on two cards, no more cards are drawn."


@pytest.mark.parametrize("dealt", ["P 9 K 2 / B 7 Q", "P 9 K / B 3 Q 5"])
def test_a_card_after_a_natural_is_told_as_broken(ledger: Ledger, dealt: str) -> None:
    Live(ledger).coup(1, dealt)
    telling = told(ledger)
    (rule,) = telling.rules
    assert (rule.here, rule.kept) == ("The player's natural 9: no more cards, but a card was drawn.", False)
    assert telling.irregular is not None


def test_of_a_held_coup_no_result_is_told(ledger: Ledger) -> None:
    Live(ledger).coup(1, "P K 2 8 / B A 2 5", "player 100 p-1")
    telling = told(ledger)
    assert telling.ending == "held: it is irregular and waits for a ruling"
    assert [rule.kept for rule in telling.rules] == [True, False]
    assert {hand.result for hand in telling.hands} == {""}
    assert [(wager.ending, wager.arithmetic) for wager in telling.wagers] == [("open", "")]


def test_where_somebody_had_a_choice_what_was_chosen_is_told(ledger: Ledger) -> None:
    Live(ledger, "baccarat-banque").coup(
        1,
        "1 2 3 4 / 2 5 6 / B 7 8 9",
        "hand-1 100, both-hands 100",
        decisions=[{"hand": "hand-1", "drew": True, "by": "p-1"}, {"hand": "banker", "drew": True}],
    )
    assert [rule.here for rule in told(ledger).rules] == [
        "The first hand drew on 5, by choice of p-1.",
        "The second hand stood on 1.",
        "The banker's hand drew on 5, by choice.",
    ]


def test_every_wager_with_its_sum_and_every_refusal_with_its_reason(ledger: Ledger) -> None:
    """19 to 20 of £27.50 is £26.125, and the next 25p is £26.25; the player's hand is the only one there."""
    live = Live(
        ledger, terms={"rounding": "up-to-unit", "unit": 25}, limits={"player": {"min": 100, "max": 500}}
    )
    live.step(
        "record-coup",
        1,
        hands=hands("P 2 4 / B 7 Q"),
        wagers=[
            {
                "id": "w1",
                "kind": "banker",
                "stake": 2750,
                "patron": "p-1",
                "seat": 3,
                "tender": "promotional",
            },
            {"id": "w2", "kind": "tie", "stake": 50},
            {"id": "w3", "kind": "hand-2", "stake": 500, "patron": "p-2"},
            {"id": "w4", "kind": "player", "stake": 501},
            {"id": "w5", "kind": "player", "stake": 99},
        ],
    )
    not_there = REASONS["kind-not-available"]
    telling = told(ledger)
    assert [(w.wager, w.who, w.says, w.stake, w.ending, w.paragraph) for w in telling.wagers] == [
        ("w1", "p-1, seat 3", "the banker's hand wins", "£27.50, in promotional chips", "won", "6(7)(i)"),
        ("w2", "–", "the hands are equal", "£0.50", "lost", "6(7)(ii)"),
    ]
    assert telling.wagers[0].arithmetic.startswith("£27.50 at 19 to 20 = £26.25")
    assert [(reason.sentence, reason.paragraph) for reason in telling.refused] == [
        (
            f"£5.00 on wager w3 by p-2, that the second hand wins, was not taken: {not_there}.",
            "6(4)",
        ),
        (
            f"£5.01 on wager w4, that the player's hand wins, was not taken: {REASONS['over-maximum']}.",
            "terms.limits",
        ),
        (
            f"£0.99 on wager w5, that the player's hand wins, was not taken: {REASONS['under-minimum']}.",
            "terms.limits",
        ),
    ]
    assert [entry.paragraph for entry in telling.paragraphs] == [
        "6(7)(i)",
        "6(7)(ii)",
        "6(4)",
        "terms.limits",
    ]


def test_a_players_bank_a_banco_and_what_was_handed_back(ledger: Ledger) -> None:
    """Half with the table gives way to the whole; 7 beats 6, so the bank wins the banco."""
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-9", sum=1000, seat=1)
    live.step("open-coup", 1)
    live.step("call-banco", 1, call="with-the-table", patron="p-3", seat=3, wager="b1")
    live.step("call-banco", 1, patron="p-2", seat=2, wager="b2")
    live.step("place-wagers", 1, wagers=[{"id": "w9", "kind": "player", "stake": 30, "patron": "p-4"}])
    live.step("close-wagers", 1)
    live.step("deal-hands", 1, hands=hands("P 2 4 / B 7 Q"))
    live.step("settle-coup", 1)
    telling = told(ledger)
    assert telling.bank == (
        "p-9 held the bank, of £10.00; p-2 at seat 2 called banco for £10.00; "
        "the bank won £10.00 on this coup."
    )
    (gave_way,) = telling.cancelled
    assert gave_way.sentence == (
        "£5.00 on wager b1 by p-3, seat 3, that the player's hand wins, was handed back: "
        f"{REASONS['banco-gives-way']}."
    )
    assert [reason.sentence for reason in telling.refused] == [
        "£0.30 on wager w9 by p-4, that the player's hand wins, was not taken: the bank did not cover it."
    ]


def test_of_equal_hands_it_is_told_that_the_bank_moved_by_nothing(ledger: Ledger) -> None:
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-9", sum=1000)
    live.coup(1, "P 2 4 / B 6 Q", "player 600 p-1")
    assert told(ledger).bank == "p-9 held the bank, of £10.00; the bank neither won nor lost on this coup."


def test_the_excess_over_the_bank_is_told_as_a_part(ledger: Ledger) -> None:
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-9", sum=1000)
    live.coup(1, "P 2 4 / B 7 Q", "player 600, player 600")
    (reason,) = told(ledger).refused
    assert reason.sentence.startswith("£2.00 of £6.00 on wager w2")


def test_rulings_in_order_with_what_each_took_back(ledger: Ledger) -> None:
    """7 against 6 first; equal at 6 by the first ruling; 8 against 6 by the second."""
    live = Live(ledger)
    live.coup(1, "P 2 4 / B 7 Q", "player 100 p-1")
    live.step("correct-coup", 1, hands=hands("P 2 4 / B 6 Q"), **RULING)
    live.step("correct-coup", 1, hands=hands("P 2 4 / B 8 Q"), **RULING | {"reason": "the whole tape"})
    telling = told(ledger)
    assert [ruling.sentence for ruling in telling.rulings] == [
        f"Coup corrected on {EVENING}, approved by pit-1 and pit-2: {reason}; evidence: tape 12."
        for reason in ("camera 4", "the whole tape")
    ]
    assert [ruling.hands for ruling in telling.rulings] == [
        f"Settled on the player's hand 2 4; the banker's hand {cards}." for cards in ("6 Q", "8 Q")
    ]
    assert [[back.ending for back in ruling.taken_back] for ruling in telling.rulings] == [["lost"], ["void"]]
    assert [wager.ending for wager in telling.wagers] == ["lost"]
    assert telling.ruled_hands == "the player's hand 2 4; the banker's hand 8 Q"
    assert [entry.paragraph for entry in telling.paragraphs] == ["6(4)", "6(4)(a)"]


@pytest.mark.parametrize(
    ("ruling", "facts"), [("correct-coup", {"hands": hands("P 2 4 / B 6 Q")}), ("void-coup", {})]
)
def test_of_a_ruling_on_a_day_that_was_signed_off_it_is_told_where_it_is_booked(
    ledger: Ledger, ruling: str, facts: dict[str, Any]
) -> None:
    live = Live(ledger)
    live.coup(1, "P 2 4 / B 7 Q", "player 100 p-1")
    live.say("close-table", closer={"chips": {"2500": 400}, "signed_by": ["dealer-1", "inspector-1"]})
    assert ledger.run(command(live.night.closes_day())).applied
    assert live.step(ruling, 1, **facts, **RULING).applied
    (told_,) = told(ledger).rulings
    assert told_.sentence.endswith(
        "evidence: tape 12; booked on 28 November 2026, as the coup's own gaming day was signed off."
    )


def test_of_a_coup_void_after_settling_every_stake_went_back(ledger: Ledger) -> None:
    live = Live(ledger)
    live.coup(1, "P 9 K / B 7 Q", "player 100, banker 200")
    live.step("void-coup", 1, **RULING)
    telling = told(ledger)
    assert telling.ending == "void by ruling"
    assert [(wager.ending, wager.arithmetic) for wager in telling.wagers] == [
        ("void by ruling", "£1.00 handed back"),
        ("void by ruling", "£2.00 handed back"),
    ]
    (ruling,) = telling.rulings
    assert [back.ending for back in ruling.taken_back] == ["won", "lost"]
    assert ruling.hands == "Every stake was handed back."


@pytest.mark.parametrize(
    ("as_of", "days_left", "clock"),
    [
        (RECEIVED, 56, "Open: 56 days left of eight weeks, which end on 22 January 2027, 21:00 UTC."),
        (
            ENDS - timedelta(days=1),
            1,
            "Open: 1 day left of eight weeks, which end on 22 January 2027, 21:00 UTC.",
        ),
        (ENDS - timedelta(seconds=1), 0, "Open: 0 days left of eight weeks, which end on 22 January 2027"),
        (
            ENDS,
            0,
            "Open: the eight weeks ended on 22 January 2027, 21:00 UTC, so the patron is to be offered",
        ),
        (ENDS + timedelta(hours=1), -1, "Open: the eight weeks ended on 22 January 2027, 21:00 UTC, so"),
        (ENDS + timedelta(days=3), -3, "Open: the eight weeks ended on 22 January 2027, 21:00 UTC, so"),
    ],
)
def test_the_eight_weeks_of_a_dispute_run_from_its_receipt(
    ledger: Ledger, as_of: datetime, days_left: int, clock: str
) -> None:
    """SR code 6.1.1. Whole days, rounded down, as of the moment asked for."""
    live = Live(ledger)
    live.coup(1, "P 9 K / B 7 Q", "banker 200 p-1")
    live.step("raise-dispute", 1, dispute="D1", patron="p-1", wager="w1", statement="it was an eight")
    (dispute,) = told(ledger, as_of=as_of).disputes
    assert dispute.sentence == (
        "Dispute D1 about wager w1, received from p-1 on 27 November 2026, 21:00 UTC: it was an eight."
    )
    assert dispute.clock.startswith(clock)
    assert dispute.days_left == days_left


def test_a_resolved_dispute_has_no_clock(ledger: Ledger) -> None:
    live = Live(ledger)
    live.coup(1, "P 9 K / B 7 Q", "banker 200 p-1")
    live.step("raise-dispute", 1, dispute="D1", statement="it was an eight")
    live.step("resolve-dispute", 1, dispute="D1", decision="the tape shows a seven", evidence="tape 12")
    (dispute,) = told(ledger).disputes
    assert dispute.days_left is None
    assert dispute.clock == (
        "Resolved on 27 November 2026, 21:00 UTC, within eight weeks: the tape shows a seven; "
        "evidence: tape 12."
    )


def test_a_claim_against_the_cards_is_told_of_the_cards_as_dealt(ledger: Ledger) -> None:
    """Also where a ruling has since put other cards in their place."""
    live = Live(ledger)
    live.coup(1, "P 2 4 / B 7 Q", claimed="player")
    live.step("correct-coup", 1, hands=hands("P 2 4 / B 5 Q"), **RULING)
    assert told(ledger).claim == (
        "The table's system claimed that the player's hand beats the banker's hand; "
        "by the cards as dealt the player's hand loses to the banker's hand."
    )


def test_its_place_in_the_record_and_the_checkpoint(ledger: Ledger) -> None:
    """The first events of a night are the table's and the shoe's; between a coup's own stand others."""
    live = Live(ledger)
    live.coup(1, "P 9 K / B 7 Q", "player 100")
    live.step("raise-dispute", 1, dispute="D1", statement="no")
    numbers = [row.sequence for row in ledger.record.select_stream("coup/main/T1/S1/1")]
    unsealed, sealed = told(ledger), told(ledger, covering=COVERING)
    assert str(numbers[0]) in unsealed.record[0]
    assert unsealed.record[0].endswith(f" and {numbers[-1]}.")
    assert unsealed.record[1] == "No signed checkpoint covers all of them yet."
    assert sealed.record[1] == (
        f"Covered by the checkpoint of baccarat-ledger/x over 1,234 events, root {'ab' * 32}, signed by "
        "baccarat-ledger/x+01020304."
    )
    unchecked = told(ledger, covering=dataclasses.replace(COVERING, signature_checked=False))
    assert unchecked.record[1].endswith(
        "said to be signed by baccarat-ledger/x+01020304 (signature not checked)."
    )


def test_for_programs_the_facts_stand_beside_the_sentences(ledger: Ledger) -> None:
    """What `coup show` gives is all there, under the same names."""
    Live(ledger).coup(1, "P 9 K / B 7 Q", "player 100")
    story = tell_coup(ledger.record, "coup/main/T1/S1/1")
    given = as_json(story, replay(story, NOON, COVERING), COVERING)
    assert story.as_json() == {name: given[name] for name in story.as_json()}
    assert given["checkpoint"]["size"] == 1234
    assert given["told"]["title"] == "Coup 1 of shoe S1 at table T1"
    assert as_json(story, replay(story, NOON, None), None)["checkpoint"] is None


def test_what_people_wrote_cannot_steer_a_terminal() -> None:
    assert plain("a\x1b[31mb\nc\x9b\u202ed") == "a [31mb c  d"


def reasons_in(source: str) -> set[str]:
    """The constants of a module that are reasons: words joined by hyphens."""
    return {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch("[a-z]+(-[a-z]+)+", node.value)
    }


def test_every_reason_why_a_wager_is_refused_or_cancelled_has_words() -> None:
    """Reasons of acceptance, and of the steps of a coup that refuse or cancel a wager."""
    reasons = set.union(*(reasons_in(inspect.getsource(module)) for module in (acceptance, steps, banco)))
    assert {"wager-by-the-banker", "bank-exceeded", "mutual-consent", "banco-gives-way"} <= reasons
    assert reasons - set(REASONS) == set()


def test_a_wager_of_whoever_holds_the_bank_is_told_in_words(ledger: Ledger) -> None:
    """6(3): a wager is made with the banker."""
    live = Live(ledger, "chemin-de-fer")
    live.say("take-bank", holder="p-9", sum=1000)
    live.coup(1, "P 2 4 / B 7 Q", "player 600 p-9")
    (reason,) = told(ledger).refused
    assert reason.sentence.endswith("was not taken: whoever holds the bank makes no wager against it.")
