"""`coup show` and `coup replay` of what was refused: what was asked, when, and why not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.bundle.sealed import ORIGIN, key, seal
from tests.cli.shell import Done, run
from tests.projections.houses import house_at, take
from tests.projections.tampered import behind_its_back
from tests.tabletalk import EVENING, Night, hands

CARDS = "P 2 4 / B 7 Q"
ABSENT = "coup/main/T1/S9/1"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """T1's coup 1 stands, and one asked for from a shoe that is not in use does not; T2 offers no tie."""
    path = tmp_path_factory.mktemp("refused") / "ledger.db"
    night = Night().opens()
    night.coup(1, CARDS, "player 100", id="first")
    night.coup(1, CARDS, "player 900", id="again")
    night.coup(1, CARDS, "player 100", id="from-s9", shoe="S9")
    night.step("open-coup", 1, id="open-s9", shoe="S9", actor="dealer-2")
    night.step("correct-coup", 1, id="one-approver", hands=hands("P 9 K / B 7 Q"), reason="camera 4",
               approvers=["pit-1", "pit-1"], evidence="clip 17")  # fmt: skip
    chemin = Night("chemin-de-fer", table="T2", prefix="t2-").opens()
    chemin.say("change-offer", id="offers-tie", kinds=["player", "tie"])
    chemin.step("open-coup", 1, id="no-bank")
    with house_at(path) as house:
        take(house, [*night.lines, *chemin.lines])
        seal(house)
        late = Night(prefix="late-")
        late.coup(1, CARDS, "player 900", id="after-the-seal")
        take(house, late.lines)
    return path


@pytest.fixture
def db(told: Path, tmp_path: Path) -> Path:
    """The ledger, to do with as one likes."""
    copy = tmp_path / "ledger.db"
    copy.write_bytes(told.read_bytes())
    return copy


def words(done: Done) -> str:
    return re.sub(r"\s+", " ", done.out)


@pytest.mark.parametrize("how", ["show", "replay"])
@pytest.mark.parametrize(
    ("asked", "about", "why"),
    [
        (
            "from-s9",
            "record-coup, about coup main/T1/S9/1",
            "shoe-not-in-use: shoe S9 is not in use at this table; in use: S1.",
        ),
        (
            "again",
            "record-coup, about coup main/T1/S1/1",
            "coup-number-used: coup/main/T1/S1/1 is already in the record. That coup is in the record, ",
        ),
        ("one-approver", "correct-coup, about coup main/T1/S1/1", "approvers-not-independent: "),
        ("no-bank", "open-coup, about coup main/T2/S1/1", "no-bank: nobody holds the bank at table T2. "),
        (
            "offers-tie",
            "change-offer, about table main/T2",
            "kind-not-available: no tie wager may be taken at chemin-de-fer, so none can be on offer. Under ",
        ),
    ],
)
def test_a_refused_command_is_found_by_its_id(told: Path, how: str, asked: str, about: str, why: str) -> None:
    """What was asked, of what, by whom and when; that it was refused, the code, and the paragraph if any."""
    done = run("coup", how, asked, "--db", told)
    assert (done.code, done.err) == (0, "")
    out = words(done)
    assert out.startswith(f"Command {asked}: refused")
    assert f"Asked: {about}, by dealer-1, 27 November 2026, 21:00 UTC; recorded 28 November 2026," in out
    assert f"Refused, {why}" in out
    assert ("Under 6(7)(a): ‘" in out) is (asked == "offers-tie")  # the law's words, quoted


def refusal(told: Path, how: str, asked: str) -> Any:
    done = run("coup", how, asked, "--db", told, "--json")
    assert (done.code, done.err) == (0, "")
    return done.json()


def test_for_programs_it_is_json(told: Path) -> None:
    (refused,) = refusal(told, "show", "offers-tie").pop("refusals")
    assert refused.pop("recorded_at").startswith("2026-11-28T12:00:00")
    assert refused.pop("sequence") > 0
    assert refused.pop("occurred_at") == EVENING.replace("Z", "+00:00")
    assert refused == {
        "id": "offers-tie",
        "command": "change-offer",
        "subject": "table/main/T2",
        "outcome": "refused",
        "code": "kind-not-available",
        "detail": "no tie wager may be taken at chemin-de-fer, so none can be on offer",
        "paragraph": "6(7)(a)",
        "actor": "dealer-1",
    }


@pytest.mark.parametrize(
    ("asked", "coup", "in_record"),
    [("from-s9", ABSENT, False), ("again", "coup/main/T1/S1/1", True), ("offers-tie", None, False)],
)
def test_programs_learn_whether_the_coup_is_there_all_the_same(
    told: Path, asked: str, coup: str | None, in_record: bool
) -> None:
    """A refused correction leaves a coup; a refused coup leaves none."""
    answer = refusal(told, "show", asked)
    assert (answer["coup"], answer["in_record"]) == (coup, in_record)


@pytest.mark.parametrize("how", ["show", "replay"])
@pytest.mark.parametrize("name", ["T1/S9/1", "main/T1/S9/1", ABSENT])
def test_a_coup_that_was_refused_is_found_by_its_name(told: Path, how: str, name: str) -> None:
    """Everybody who asked for it, in the order of the record."""
    answer = refusal(told, how, name)
    assert (answer["coup"], answer["in_record"]) == (ABSENT, False)
    assert [(one["id"], one["command"], one["actor"], one["code"]) for one in answer["refusals"]] == [
        ("from-s9", "record-coup", "dealer-1", "shoe-not-in-use"),
        ("open-s9", "open-coup", "dealer-2", "shoe-not-in-use"),
    ]
    out = words(run("coup", how, name, "--db", told))
    assert out.index("Command from-s9: refused") < out.index("Command open-s9: refused")


@pytest.mark.parametrize("asked", ["T1/S1/1", "first"])
def test_a_coup_that_stands_is_told_whatever_else_was_refused_of_it(told: Path, asked: str) -> None:
    answer = refusal(told, "show", asked)
    assert (answer["coup"], answer["stage"]) == ("coup/main/T1/S1/1", "settled")


@pytest.mark.parametrize("asked", ["c1", "T1/S1/2", "T1/S9/11", "nobody", "S9/1", "/S9/1", "T1//1"])
def test_what_nobody_was_refused_is_not_found(told: Path, asked: str) -> None:
    """`c1` was obeyed, and is about no coup."""
    done = run("coup", "show", asked, "--db", told)
    assert (done.code, done.out) == (2, "")
    assert "no coup" in done.err


def test_a_replay_says_where_the_refusal_stands_in_the_seal(told: Path) -> None:
    out = words(run("coup", "replay", "again", "--db", told, "--key", str(key().verifier)))
    assert "In the record as command/again: one event, number" in out
    assert f"Covered by the checkpoint of {ORIGIN} over" in out
    assert f"signed by {key().verifier.label}." in out
    out = words(run("coup", "replay", "after-the-seal", "--db", told))
    assert "No signed checkpoint covers all of them yet." in out


def test_a_refusal_that_was_altered_behind_the_records_back_is_a_finding(db: Path) -> None:
    """Another reason than was sealed: exit 1, and the story says that the record does not hold."""
    with behind_its_back(db) as connection:
        ((state,),) = connection.execute(
            "SELECT state FROM stored_events WHERE originator_id = 'command/offers-tie'"
        ).fetchall()
        altered = json.dumps({**json.loads(state), "detail": "not today"}).encode()
        connection.execute(
            "UPDATE stored_events SET state = ? WHERE originator_id = 'command/offers-tie'", (altered,)
        )
    done = run("coup", "replay", "offers-tie", "--db", db)
    assert done.code == 1
    assert "The record is not what was sealed" in words(done)
    told = run("coup", "replay", "offers-tie", "--db", db, "--json")
    assert (told.code, told.json()["refusals"][0]["checkpoint"]["holds"]) == (1, False)


def test_there_is_no_page_of_what_was_refused(told: Path, tmp_path: Path) -> None:
    done = run("coup", "replay", "from-s9", "--db", told, "--html", tmp_path / "page.html")
    assert (done.code, done.out) == (2, "")
    assert "no coup to tell" in done.err
    assert not (tmp_path / "page.html").exists()


def test_there_is_no_bundle_of_what_was_refused(told: Path, tmp_path: Path) -> None:
    done = run("coup", "bundle", "from-s9", "--db", told, "-o", tmp_path / "coup.json")
    assert (done.code, done.out) == (2, "")
    assert "no coup 'from-s9'" in done.err
    assert "coup show from-s9 says why" in done.err
