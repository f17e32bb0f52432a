"""`coup show`: one coup, for people and for programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import run
from tests.tabletalk import Night, hands, wagers

IRREGULAR = "P K 2 8 / B A 2 5"
RULING: dict[str, Any] = {"reason": "camera 4", "approvers": ["pit-1", "pit-2"]}


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Coups 1 settled, 2 held, 3 corrected, 4 void, 5 open, 6 closed, 7 all wagers cancelled, 8 claimed."""
    night = Night().opens(terms={"rounding": "up-to-unit", "unit": 25})
    night.coup(1, "P 2 4 / B 7 Q", "banker 2750 p-1, player 100, tie 50, hand-2 5", id="first-coup")
    night.coup(2, IRREGULAR, "player 100")
    night.coup(3, IRREGULAR, "player 100", claimed="player")
    night.step("correct-hands", 3, hands=hands("P K 2 7 / B A 2 K"), **RULING)
    night.coup(4, IRREGULAR, "player 100, banker 200")
    night.step("void-coup", 4, **RULING)
    for number in (5, 6, 7):
        night.step("open-coup", number)
        night.step("place-wagers", number, wagers=wagers("player 100"))
    night.step("close-wagers", 6)
    night.step("cancel-wagers", 7, wagers=["w1"])
    night.step("close-wagers", 7)
    night.step("deal-hands", 7, hands=hands("P 9 K / B 7 Q"))
    night.step("settle-coup", 7)
    night.coup(8, "P 2 4 / B 7 Q", claimed="player")
    tape = tmp_path / "t.ndjson"
    tape.write_text("".join(json.dumps(line) + "\n" for line in night.lines))
    db = tmp_path / "l.db"
    assert run("import", tape, "--db", db).code == 0
    return db


def shown(db: Path, number: int) -> str:
    done = run("coup", "show", f"T1/S1/{number}", "--db", db)
    assert (done.code, done.err) == (0, "")
    return done.out


def table_row(out: str, wager: str) -> list[str]:
    """The cells of a wager's row."""
    (row,) = (line for line in out.splitlines() if re.match(rf"[│|] {wager} ", line))
    return [cell.strip() for cell in re.split(r"[│|]", row)[1:-1]]


def test_a_settled_coup_for_people(mine: Path) -> None:
    """Cards in dealt order, totals, the rule of each hand, each wager's arithmetic and paragraph."""
    out = shown(mine, 1)
    assert "player 2, banker 7, player 4, banker Q" in out
    assert "player: 2 4 = 6" in out
    assert "banker: 7 Q = 7" in out
    assert "player stands on 6" in out
    assert "banker stands on 7" in out
    assert table_row(out, "w1") == [
        "w1",
        "banker",
        "£27.50",
        "won",
        "£27.50 at 19 to 20 = £26.25 (£0.12 1/2 more than the odds), and £27.50 handed back",
        "6(7)(i)",
    ]
    assert table_row(out, "w2") == ["w2", "player", "£1.00", "lost", "£1.00 lost", "6(4)"]
    assert table_row(out, "w3")[3:] == ["lost", "£0.50 lost", "6(7)(ii)"]
    assert table_row(out, "w4")[1:4] == ["hand-2", "£0.05", "refused"]
    assert table_row(out, "w4")[5] == "6(4)"


@pytest.mark.parametrize("name", ["T1/S1/1", "main/T1/S1/1", "coup/main/T1/S1/1", "first-coup"])
def test_for_programs_it_is_json_however_it_is_named(mine: Path, name: str) -> None:
    done = run("coup", "show", name, "--db", mine, "--json")
    assert (done.code, done.err) == (0, "")
    told = done.json()
    assert (told["coup"], told["stage"], told["number"]) == ("coup/main/T1/S1/1", "settled", 1)
    assert [(line["wager"], line["outcome"], line["paragraph"]) for line in told["lines"]] == [
        ("w1", "won", "6(7)(i)"),
        ("w2", "lost", "6(4)"),
        ("w3", "lost", "6(7)(ii)"),
    ]
    assert (told["lines"][0]["winnings"], told["lines"][0]["remainder"]) == (2625, "25/2")


@pytest.mark.parametrize("name", ["T1/S1/99", "T9/S1/1", "no-such-command", "x/y", ""])
def test_a_coup_that_is_not_there_is_exit_2(mine: Path, name: str) -> None:
    done = run("coup", "show", name, "--db", mine)
    assert (done.code, done.out) == (2, "")
    assert "no coup" in done.err


def test_a_held_coup_says_which_line_of_the_tableau_is_broken(mine: Path) -> None:
    out = shown(mine, 2)
    assert "held" in out.splitlines()[0]
    assert "banker stands on 3 against a third card of 8, but the banker drew a third card" in out


def test_a_corrected_coup_shows_the_hands_dealt_the_hands_ruled_and_who_approved(mine: Path) -> None:
    out = shown(mine, 3)
    assert "settled" in out.splitlines()[0]
    assert "camera 4" in out
    assert "pit-1 and pit-2" in out
    assert "player K, banker A, player 2, banker 2, player 8, banker 5" in out
    assert "K 2 7" in out
    assert table_row(out, "w1")[3] == "won"


def test_a_claim_that_the_ruling_bears_out_is_not_told_as_contradicting_it(mine: Path) -> None:
    """The feed claimed the player's hand; as dealt the banker's won, by the ruling the player's did."""
    said = re.search(r"claimed (.+); the cards say (.+)\.", shown(mine, 3))
    assert said is None or said[1] != said[2]


def test_a_claim_against_the_cards_is_told(mine: Path) -> None:
    assert "claimed" in shown(mine, 8)
    assert "claimed" not in shown(mine, 1)


def test_of_a_void_coup_every_stake_is_handed_back_and_no_wager_is_open(mine: Path) -> None:
    out = shown(mine, 4)
    assert "void" in out.splitlines()[0]
    for wager in ("w1", "w2"):
        assert table_row(out, wager)[3] != "open"


@pytest.mark.parametrize("number", [5, 6])
def test_a_coup_without_cards_yet_is_shown_with_its_wagers(mine: Path, number: int) -> None:
    out = shown(mine, number)
    assert ("open" if number == 5 else "closed") in out.splitlines()[0]
    assert table_row(out, "w1")[:3] == ["w1", "player", "£1.00"]
    told = run("coup", "show", f"T1/S1/{number}", "--db", mine, "--json").json()
    assert (told["hands"], told["lines"]) == ({}, [])


def test_a_cancelled_wager_is_told_once_as_cancelled(mine: Path) -> None:
    """2(2): also where no other wager is left to settle."""
    assert table_row(shown(mine, 7), "w1")[3] == "cancelled"
