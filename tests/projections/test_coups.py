"""A coup told from its record: cards, rules, arithmetic and paragraphs, against facts worked by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.application import Ledger
from ledger.terms.wagers import Kind, Outcome, SettlementLine
from projections.story.coups import CoupStory, find_coup, tell_coup
from projections.story.words import arithmetic
from tests.tabletalk import EVENING, Live, Night, hands, open_ledger, play, wagers

NINE_TO_SEVEN = "P 9 K / B 7 Q"
IRREGULAR = "P K 2 8 / B A 2 5"
"""The banker's three stands against an eight; here it drew a five."""
CORRECTED = "P K 2 8 / B A 2"
RULING: dict[str, Any] = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"]}
COUP = "coup/main/T1/S1/1"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


@pytest.fixture
def table(ledger: Ledger) -> Live:
    """Punto banco; what does not come out exactly is paid up to the next 25p."""
    return Live(ledger, terms={"rounding": "up-to-unit", "unit": 25})


def told(ledger: Ledger, stream: str = COUP) -> tuple[CoupStory, dict[str, Any]]:
    """The story, for people and for programs."""
    story = tell_coup(ledger.record, stream)
    return story, story.as_json()


def ends(story: dict[str, Any]) -> list[tuple[Any, ...]]:
    names = ("wager", "outcome", "winnings", "returned", "remainder", "paragraph")
    return [tuple(line[name] for name in names) for line in story["lines"]]


# --- Finding ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [COUP, "main/T1/S1/1", "T1/S1/1", "the-coups-command", "its-refusal"])
def test_a_coup_is_found_as_people_name_it(ledger: Ledger, table: Live, wanted: str) -> None:
    """Its stream, the same without `coup/`, without the default premises, or a command about it."""
    table.coup(1, NINE_TO_SEVEN, "player 100", id="the-coups-command")
    table.coup(1, NINE_TO_SEVEN, "player 900", id="its-refusal")
    assert find_coup(ledger.record, wanted) == COUP


def test_a_coup_of_other_premises_is_found_by_its_full_name_only(ledger: Ledger, table: Live) -> None:
    annex = Night(table="T9", prefix="annex-").opens()
    annex.coup(1, NINE_TO_SEVEN)
    play(ledger, [{**line, "premises": "annex"} for line in annex.lines])
    assert find_coup(ledger.record, "annex/T9/S1/1") == "coup/annex/T9/S1/1"
    assert find_coup(ledger.record, "T9/S1/1") is None


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "/",
        "coup/",
        "T1/S1/2",
        "T1/S1",
        "T2/S1/1",
        "main/T1/S1/01",
        "no-such-command",
        "c1",
        "a/b/c/d/e/f",
    ],
)
def test_no_other_coup_is_found_instead(ledger: Ledger, table: Live, wanted: str) -> None:
    """A command about a table, `c1`, is about no coup."""
    table.coup(1, NINE_TO_SEVEN)
    assert find_coup(ledger.record, wanted) is None


def test_a_coup_that_was_refused_is_not_there_to_be_found(ledger: Ledger, table: Live) -> None:
    table.coup(1, NINE_TO_SEVEN, id="refused", shoe="S9")
    assert find_coup(ledger.record, "refused") is None


# --- Telling ---------------------------------------------------------------------------------------------


def test_a_settled_coup(ledger: Ledger, table: Live) -> None:
    """9 to 7: 6(3), 6(4), 6(7); a wager on a hand that is not there is told with its refusal."""
    table.coup(1, NINE_TO_SEVEN, "player 100 p-1, banker 200, tie 50, hand-1 5", claimed="player")
    story, json = told(ledger)
    assert (story.stage, story.currency, story.banker_win) == ("settled", "GBP", None)
    assert [json[name] for name in ("coup", "premises", "table", "shoe", "number")] == [
        COUP,
        "main",
        "T1",
        "S1",
        1,
    ]
    assert json["conditions"]["terms"] == {
        "rounding": "up-to-unit",
        "unit": 25,
        "banker_on_draw": "stand-off",
    }
    assert json["hands"] == {
        "player": {"cards": "9 K", "total": 9},
        "banker": {"cards": "7 Q", "total": 7},
    }
    assert story.cards() == [("player", "9"), ("banker", "7"), ("player", "K"), ("banker", "Q")]
    assert json["drawing"] == ["the player's natural 9: no more cards"]
    assert json["results"] == {"player": "W"}
    assert (json["claimed"], json["claim_agrees"]) == ({"player": "W"}, True)
    assert (json["irregular"], json["rulings"], json["cancelled"]) == (None, [], [])
    assert ends(json) == [
        ("w1", "won", 100, 100, "0", "6(3),(4)"),
        ("w2", "lost", 0, 0, "0", "6(7)(i)"),
        ("w3", "lost", 0, 0, "0", "6(7)(ii)"),
    ]
    assert [line["arithmetic"] for line in json["lines"]] == [
        "£1.00 at 1 to 1 = £1.00, and £1.00 handed back",
        "£2.00 lost",
        "£0.50 lost",
    ]
    assert [wager["id"] for wager in json["wagers"]] == ["w1", "w2", "w3"]
    assert json["wagers"][0]["patron"] == "p-1"
    (refused,) = json["refused"]
    assert {name: refused[name] for name in ("id", "refused_stake", "reason", "paragraph")} == {
        "id": "w4",
        "refused_stake": 5,
        "reason": "kind-not-available",
        "paragraph": "6(4)",
    }


def test_the_record_of_a_coup_is_told_event_by_event(ledger: Ledger, table: Live) -> None:
    table.coup(1, NINE_TO_SEVEN, "player 100", id="the-command")
    _, json = told(ledger)
    rows = ledger.record.select_stream(COUP)
    assert [(event["sequence"], event["topic"]) for event in json["record"]] == [
        (row.sequence, row.topic) for row in rows
    ]
    assert {(event["actor"], event["cause"]) for event in json["record"]} == {("dealer-1", "the-command")}
    assert {event["occurred_at"] for event in json["record"]} == {EVENING.replace("Z", "+00:00")}


def test_third_cards_come_last_and_the_bankers_after_the_opposing_hands(ledger: Ledger, table: Live) -> None:
    """Domain §2.1: the player draws a four on 2, against which a banker of 5 draws."""
    table.coup(1, "P K 2 4 / B A 4 K")
    assert "".join(card for _, card in told(ledger)[0].cards()) == "KA244K"
    assert told(ledger)[1]["drawing"] == ["player draws on 2", "banker draws on 5 against a third card of 4"]


def test_where_somebody_has_a_choice_no_line_of_the_tableau_is_told(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "banque.db")
    table = Live(ledger, "baccarat-banque")
    table.coup(1, "1 2 3 4 / 2 5 6 / B 7 8 9", "hand-1 100, hand-2 100, both-hands 100")
    story, json = told(ledger)
    assert json["drawing"] == []
    assert story.cards() == [
        *(("hand-1", "2"), ("hand-2", "5"), ("banker", "7")),
        *(("hand-1", "3"), ("hand-2", "6"), ("banker", "8")),
        *(("hand-1", "4"), ("banker", "9")),
    ]
    assert json["results"] == {"hand-1": "W", "hand-2": "L"}
    assert [end[5] for end in ends(json)] == ["6(3),(4)", "6(4)", "6(4)(b)"]
    ledger.close()


def test_a_players_bank_and_what_it_won(tmp_path: Path) -> None:
    """The bank of 1000 covers 600 and 400 of the next 600; the banker's 7 beats a 6."""
    ledger = open_ledger(tmp_path / "chemin.db")
    table = Live(ledger, "chemin-de-fer")
    table.say("take-bank", holder="p-1", sum=1000)
    table.coup(1, "P 2 4 / B 7 Q", "player 600, player 600")
    story, json = told(ledger)
    assert (story.banker_win, json["banker_win"]) == (1000, 1000)
    assert (json["conditions"]["banker"], json["conditions"]["bank"]) == ("p-1", 1000)
    assert [(wager["id"], wager["stake"]) for wager in json["wagers"]] == [("w1", 600), ("w2", 400)]
    assert [(wager["id"], wager["refused_stake"]) for wager in json["refused"]] == [("w2", 200)]
    ledger.close()


def test_a_held_coup(ledger: Ledger, table: Live) -> None:
    """The line of the tableau that is broken, and nothing settled."""
    table.coup(1, IRREGULAR, "player 100")
    story, json = told(ledger)
    assert story.stage == "held"
    assert json["drawing"] == ["player draws on 2", "banker stands on 3 against a third card of 8"]
    assert json["irregular"]["rule"] == "banker-stands"
    assert json["irregular"]["detail"].startswith("banker stands on 3 against a third card of 8")
    assert (json["lines"], json["rulings"]) == ([], [])
    assert [wager["stake"] for wager in json["wagers"]] == [100]


def test_a_corrected_coup(ledger: Ledger, table: Live) -> None:
    """Settled on the corrected hands: 0 loses to 3. What was dealt stays told."""
    table.coup(1, IRREGULAR, "player 100, banker 200", claimed="banker")
    table.step("correct-hands", 1, hands=hands(CORRECTED), evidence="tape 12", **RULING)
    story, json = told(ledger)
    assert story.stage == "settled"
    assert json["irregular"]["rule"] == "banker-stands"
    (ruling,) = json["rulings"]
    assert (ruling["ruling"], ruling["reason"], ruling["evidence"]) == (
        "hands corrected",
        "camera 4",
        "tape 12",
    )
    assert ruling["approvers"] == ["pit-1", "pit-2"]
    assert {name: hand["cards"] for name, hand in json["hands"].items()} == hands(CORRECTED)
    assert [card["card"] for card in json["dealt"]] == ["K", "A", "2", "2", "8", "5"]
    assert json["results"] == {"player": "L"}
    assert ends(json) == [("w1", "lost", 0, 0, "0", "6(4)"), ("w2", "won", 200, 200, "10", "6(7)(i)")]


def test_a_claim_against_the_cards_is_told_beside_them(ledger: Ledger, table: Live) -> None:
    """Design §4: cards are evidence, a stated winner is a claim; it settles by the cards."""
    table.coup(1, "P K 6 / B A 6", "player 100", claimed="player")
    _, json = told(ledger)
    assert (json["results"], json["claimed"], json["claim_agrees"]) == (
        {"player": "L"},
        {"player": "W"},
        False,
    )
    assert [end[1] for end in ends(json)] == ["lost"]


def test_a_void_coup(ledger: Ledger, table: Live) -> None:
    """Every stake goes back; no wager won or lost."""
    table.coup(1, IRREGULAR, "player 100, banker 200")
    table.step("void-coup", 1, **RULING)
    story, json = told(ledger)
    assert (story.stage, json["lines"], story.banker_win) == ("void", [], None)
    (ruling,) = json["rulings"]
    assert (ruling["ruling"], ruling["approvers"]) == ("coup void", ["pit-1", "pit-2"])
    assert [wager["stake"] for wager in json["wagers"]] == [100, 200]


def test_a_coup_step_by_step_is_told_as_far_as_it_has_come(ledger: Ledger, table: Live) -> None:
    """Cancelled by mutual consent, 2(2); a wager after the close is refused."""
    steps: list[tuple[str, dict[str, Any], str]] = [
        ("open-coup", {}, "open"),
        ("place-wagers", {"wagers": wagers("player 100, banker 50, player 70")}, "open"),
        ("cancel-wagers", {"wagers": ["w3"]}, "open"),
        ("close-wagers", {}, "closed"),
        ("place-wagers", {"wagers": [{"id": "w9", "kind": "player", "stake": 5}]}, "closed"),
        ("deal-hands", {"hands": hands("P K 6 / B J 6"), "claimed": "banker"}, "dealt"),
        ("settle-coup", {}, "settled"),
    ]
    for name, facts, stage in steps:
        table.step(name, 1, **facts)
        story, json = told(ledger)
        assert story.stage == stage
        assert bool(json["lines"]) is (stage == "settled")
        assert bool(json["hands"]) is (stage in ("dealt", "settled"))
    _, json = told(ledger)
    assert [(gone["id"], gone["paragraph"]) for gone in json["cancelled"]] == [("w3", "2(2)")]
    assert [(no["id"], no["reason"], no["paragraph"]) for no in json["refused"]] == [
        ("w9", "wagers-closed", "2(2)")
    ]
    assert ends(json) == [
        ("w1", "void", 0, 100, "0", "6(4)(a)"),
        ("w2", "stand-off", 0, 50, "0", "house rule (reg 2(2))"),
    ]
    assert [line["arithmetic"] for line in json["lines"]] == ["£1.00 handed back", "£0.50 handed back"]
    assert (json["claimed"], json["claim_agrees"]) == ({"player": "L"}, False)


def test_a_coup_of_a_thousand_wagers_is_told_whole(ledger: Ledger, table: Live) -> None:
    """More than stand in one event."""
    staked = [{"id": f"w{number}", "kind": "player", "stake": number} for number in range(1, 1001)]
    table.step("record-coup", 1, hands=hands(NINE_TO_SEVEN), wagers=staked)
    _, json = told(ledger)
    assert [line["wager"] for line in json["lines"]] == [wager["id"] for wager in staked]
    assert [wager["stake"] for wager in json["wagers"]] == list(range(1, 1001))


# --- Arithmetic --------------------------------------------------------------------------------------------


def line(
    outcome: Outcome, stake: int, odds: str = "1/1", winnings: int = 0, remainder: str = "0"
) -> SettlementLine:
    returned = 0 if outcome is Outcome.LOST else stake
    facts: dict[str, Any] = {
        "winnings": winnings,
        "returned": returned,
        "remainder": remainder,
        "paragraph": "6(4)",
    }
    return SettlementLine(wager="w1", kind=Kind.PLAYER, stake=stake, outcome=outcome, odds=odds, **facts)


@pytest.mark.parametrize(
    ("ended", "currency", "text"),
    [
        (line(Outcome.LOST, 123456), "GBP", "£1,234.56 lost"),
        (line(Outcome.VOID, 5), "GBP", "£0.05 handed back"),
        (line(Outcome.STAND_OFF, 100), "EUR", "€1.00 handed back"),
        (line(Outcome.WON, 100, "8/1", 800), "GBP", "£1.00 at 8 to 1 = £8.00, and £1.00 handed back"),
        (line(Outcome.WON, 100, "1/1", 100), "JPY", "JPY 100 at 1 to 1 = JPY 100, and JPY 100 handed back"),
        (
            line(Outcome.WON, 2750, "19/20", 2625, "25/2"),
            "GBP",
            "£27.50 at 19 to 20 = £26.25 (£0.12 1/2 more than the odds), and £27.50 handed back",
        ),
        (
            line(Outcome.WON, 105, "19/20", 99, "-3/4"),
            "GBP",
            "£1.05 at 19 to 20 = £0.99 (£0.00 3/4 less than the odds), and £1.05 handed back",
        ),
    ],
)
def test_a_line_is_a_sum_that_can_be_read_to_a_patron(
    ended: SettlementLine, currency: str, text: str
) -> None:
    """Domain §3.5: 2750 at 19 to 20 is 2612 1/2, the next 25p 2625; 105 is 99 3/4, the nearest 3p 99."""
    assert arithmetic(ended, currency) == text
