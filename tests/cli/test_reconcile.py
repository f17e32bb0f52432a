"""`reconcile`: a day against the cage's count, and its close. Wins are the oracle's, counts are by hand."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ledger.events.catalogue import decode
from tests.cli.shell import Done, ended, run, start
from tests.oracle.night import pnl as oracle
from tests.projections.houses import evening, house_at
from tests.reconcile.sheets import DAY, EVENING, HEADING
from tests.tabletalk import Night

HELD = "coup/main/PB1/2026-11-27-1/55"
"""The coup of the evening that waits for a ruling."""
RULING = {
    "command": "void-coup",
    "id": "ruling-55",
    "occurred_at": "2026-11-28T09:00:00Z",
    "actor": "pit-9",
    "table": "PB1",
    "shoe": "2026-11-27-1",
    "number": 55,
    "reason": "camera 4",
    "approvers": ["pit-1", "pit-2"],
}
ROOT = Path(__file__).parents[2]
WRONG = EVENING.replace("BB1,2,9050000,9975000,2000000", "BB1,2,9050000,9975000,1000000").replace(
    "BB1-02089 BB1-02090", "BB1-02089"
)
"""The sheet without the last fill of BB1: £10,000.00."""


@pytest.fixture(scope="module")
def ruled_once(imported: tuple[Path, Done], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evening with its held coup ruled void: a day that can be closed, its read tables made."""
    path = tmp_path_factory.mktemp("ruled") / "ledger.db"
    shutil.copy(imported[0], path)
    take(path, RULING)
    run("reconcile", "--db", path, "--day", DAY)
    return path


@pytest.fixture
def ruled(ruled_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(ruled_once, tmp_path / "ruled.db"))


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "house.key"
    run("keys", "new", "house", "-o", path)
    return path


@pytest.fixture
def sheet(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a count sheet."""

    def write(text: str = EVENING) -> Path:
        path = tmp_path / "counts.csv"
        path.write_text(text)
        return path

    return write


def take(path: Path, *lines: dict[str, Any]) -> None:
    """Import lines; every one is applied."""
    said = "\n".join(map(json.dumps, lines)).encode()
    done = run("import", "-", "--db", path, said=said)
    assert done.code == 0, done.out + done.err


def events(path: Path) -> int:
    """How many events the record has."""
    with house_at(path) as house:
        return house.ledger.record.last_sequence()


def day_events(path: Path, day: str = DAY, premises: str = "main") -> list[Any]:
    """The events of the gaming day, without those of tables opening for it."""
    with house_at(path) as house:
        rows = house.ledger.record.select_stream(f"day/{premises}/{day}")
    return [decode(row.topic, row.state) for row in rows if not row.topic.startswith("table-listed")]


def close(path: Path, sheet: Path, key: Path, *more: str, signer: str = "accounts-1") -> Done:
    signed = ("--close", "--signed-by", signer, "--key-file", key)
    return run("reconcile", "--db", path, "--day", DAY, "--counts", sheet, *signed, *more)


def report(path: Path, sheet: Path, *more: str, day: str = DAY) -> tuple[int, Any]:
    done = run("reconcile", "--db", path, "--day", day, "--counts", sheet, "--json", *more)
    return done.code, done.json()


Write = Callable[[str], Path]


# --- Comparing -----------------------------------------------------------------------------------------


def test_the_wins_by_wagers_are_the_oracles_and_those_by_inventory_the_sheets(
    ruled: Path, sheet: Write
) -> None:
    code, told = report(ruled, sheet(EVENING))
    assert code == 0
    wins = {(table["table"], shift["shift"]): shift for table in told["tables"] for shift in table["shifts"]}
    assert {place: shift["win_by_wagers"] for place, shift in wins.items()} == {
        (row["table"], row["shift"]): row["win"] for row in oracle([*evening(), RULING])
    }
    assert [shift["win_by_inventory"] for shift in wins.values()] == [
        1500000 + 9050000 - 10000000 - 1000000,
        150000 + 9975000 + 500000 - 9050000 - 2000000,
        0,
        0,
        423250 + 2330125 - 2500000 - 200000,
        493250 + 2407825 + 100000 - 2330125 - 400000,
    ]
    assert [table["variance"] for table in told["tables"]] == [0, 0, 0]
    assert (told["clean"], told["findings"], told["closed"]) == (True, [], None)


def test_comparing_records_nothing(ruled: Path, sheet: Write) -> None:
    before = events(ruled)
    run("reconcile", "--db", ruled, "--day", DAY, "--counts", sheet(WRONG))
    assert events(ruled) == before


def test_a_variance_is_exit_1_with_its_likely_cause_for_people_too(ruled: Path, sheet: Write) -> None:
    """Without its last fill BB1 shows £10,000.00 more than the wagers say."""
    done = run("reconcile", "--db", ruled, "--day", DAY, "--counts", sheet(WRONG))
    assert done.code == 1
    assert "-£10,000.00" in done.out
    assert "BB1: slip-on-one-side: fill slip BB1-02090 is in the ledger and not on the sheet" in done.out
    assert "The day is not closed." in done.out


def test_two_digits_swapped_is_found_below_the_threshold_too(ruled: Path, sheet: Write) -> None:
    code, told = report(ruled, sheet(EVENING.replace("2407825", "2408725")))
    table = told["tables"][2]
    assert (table["variance"], table["above_threshold"], table["cause"]["code"]) == (
        -900,
        False,
        "digits-swapped",
    )
    assert code == 1
    assert [finding["code"] for finding in told["findings"]] == ["figure"]


@pytest.mark.parametrize(("threshold", "above"), [("1000000", False), ("GBP=999999", True), ("EUR=0", True)])
def test_the_houses_own_threshold_goes_before_the_data(
    ruled: Path, sheet: Write, threshold: str, above: bool
) -> None:
    _, told = report(ruled, sheet(WRONG), "--threshold", threshold)
    assert told["tables"][0]["above_threshold"] is above
    assert bool(told["threshold_sources"]) is (threshold == "EUR=0")


def test_a_coup_that_is_held_is_named_with_its_stakes(db: Path, sheet: Write) -> None:
    code, told = report(db, sheet(EVENING))
    assert code == 1
    assert [(one["code"], one["table"]) for one in told["findings"]] == [("unfinished-coup", "PB1")]
    stakes = next(
        sum(wager["stake"] for wager in line["wagers"])
        for line in evening()
        if (line["command"], line.get("table"), line.get("number")) == ("record-coup", "PB1", 55)
    )
    assert told["findings"][0]["detail"] == f"{HELD} has not ended; £{stakes // 100}.{stakes % 100:02} staked"


def test_the_template_is_a_sheet_of_the_days_tables_and_shifts(ruled: Path, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    assert run("reconcile", "--db", ruled, "--day", DAY, "--template", path).code == 0
    there = run("reconcile", "--db", ruled, "--day", DAY, "--template", "-")
    assert there.out.encode() == path.read_bytes()
    places = [line.split(",")[:2] for line in path.read_text().splitlines()[1:]]
    assert places == [["BB1", "1"], ["BB1", "2"], ["CF1", "1"], ["CF1", "2"], ["PB1", "1"], ["PB1", "2"]]
    assert run("reconcile", "--db", ruled, "--day", DAY, "--template", ruled).code == 2  # never over a ledger


def test_the_page_is_written_beside_the_report(ruled: Path, sheet: Write, tmp_path: Path) -> None:
    path = tmp_path / "day.html"
    done = run("reconcile", "--db", ruled, "--day", DAY, "--counts", sheet(EVENING), "--html", path)
    assert done.code == 0
    assert path.read_text().count('class="paper"') == 4


# --- Bad input -----------------------------------------------------------------------------------------


def test_every_bad_line_is_told_and_nothing_is_recorded(ruled: Path, sheet: Write, key: Path) -> None:
    bad = sheet(
        EVENING.replace("1500000,1500000,0,0,0,,", "£15.00,1500000,0,0,1,,").replace("PB1,2", "PB1,3")
    )
    before = events(ruled)
    done = close(ruled, bad, key)
    assert (done.code, done.out) == (2, "")
    assert [line.split(": ")[1] for line in done.err.splitlines()] == [
        f"{bad}:4",
        f"{bad}:5",
        f"{bad}:7",
        str(bad),
    ]
    assert "table PB1, shift 2 is missing" in done.err
    assert events(ruled) == before
    code, told = report(ruled, bad)
    assert code == 2
    assert [line["line"] for line in told["error"]["lines"]] == [4, 5, 7, None]
    assert told["error"]["lines"][0]["faults"][0]["column"] == "opener"


def test_a_day_that_is_not_over_is_bad_input(tmp_path: Path, sheet: Write) -> None:
    path = tmp_path / "open.db"
    take(path, *Night(table="T1").opens().lines)
    done = run("reconcile", "--db", path, "--day", DAY, "--counts", sheet(f"{HEADING}\nT1,1,1,1,0,0,0,,\n"))
    assert (done.code, done.out) == (2, "")
    assert "table T1 is still open for gaming day 2026-11-27" in done.err
    template = run("reconcile", "--db", path, "--day", DAY, "--template", "-")
    assert template.out.splitlines()[1] == "T1,1,,,,,,,"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--day", "2026-11-28", "--counts", "x.csv"), "no table opened for gaming day 2026-11-28"),
        (("--day", DAY, "--premises", "annex", "--counts", "x.csv"), "no table opened"),
        (("--day", DAY, "--counts", "missing.csv"), "cannot read missing.csv"),
        (("--day", DAY), "the record has no count of BB1 shift 1"),
        (("--day", "27/11/2026"), "YYYY-MM-DD"),
        (("--day", DAY, "--signed-by", "accounts-1"), "--signed-by"),
        (("--day", DAY, "--close", "--signed-by", "accounts-1"), "name the key"),
        (("--day", DAY, "--close", "--key-file", "x"), "somebody signs"),
        (("--day", DAY, "--close", "--signed-by", "Ann Other", "--key-file", "x"), "letters, digits"),
        (("--day", DAY, "--threshold", "25.00"), "minor units"),
        (("--day", DAY, "--explain", "PB1"), "TABLE=TEXT"),
        (("--day", DAY, "--explain", "PB9=lost"), "no such table"),
    ],
)
def test_what_is_asked_for_wrongly_is_exit_2(ruled: Path, arguments: tuple[str, ...], told: str) -> None:
    before = events(ruled)
    done = run("reconcile", "--db", ruled, *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in " ".join(done.err.replace("│", " ").split())
    assert events(ruled) == before


# --- Closing -------------------------------------------------------------------------------------------


def test_the_close_records_counts_and_figures_seals_the_day_and_signs(
    ruled: Path, sheet: Write, key: Path
) -> None:
    position = events(ruled)
    done = close(ruled, sheet(EVENING), key, "--counted-by", "cashier-9")
    assert done.code == 0, done.err
    assert "The day is closed, signed off by accounts-1" in done.out
    *counts, reconciled, sealed = day_events(ruled)
    assert [(one.table, one.counted.shift, one.counted.win) for one in counts] == [
        ("BB1", "1", -450000),
        ("BB1", "2", -425000),
        ("CF1", "1", 0),
        ("CF1", "2", 0),
        ("PB1", "1", 53375),
        ("PB1", "2", 270950),
    ]
    assert {one.signed_by for one in counts} == {("cashier-9",)}
    assert reconciled.position == position
    assert [(one.table, one.win_by_wagers, one.variance) for one in reconciled.tables] == [
        ("BB1", -875000, 0),
        ("CF1", 0, 0),
        ("PB1", 324325, 0),
    ]
    assert sealed.signed_by == ("accounts-1",)
    public = run("keys", "public", key).out.strip()
    verified = run("verify", "--db", ruled, "--key", public, "--json").json()
    assert verified["sealed"] == events(ruled)
    assert verified["findings"] == []


def test_closing_again_records_nothing_and_says_so(ruled: Path, sheet: Write, key: Path) -> None:
    close(ruled, sheet(EVENING), key)
    before, checkpoint = events(ruled), run("checkpoint", "--db", ruled).out
    again = close(ruled, sheet(EVENING), key, signer="accounts-2")
    assert again.code == 0
    assert "was closed already, signed off by accounts-1" in again.out
    other = close(ruled, sheet(WRONG), key)
    assert (other.code, "not what the day was closed with" in other.err) == (0, True)
    without = run("reconcile", "--db", ruled, "--day", DAY, "--json")
    assert (without.code, without.json()["position"]) == (0, day_events(ruled)[-2].position)
    assert (events(ruled), run("checkpoint", "--db", ruled).out) == (before, checkpoint)


def test_a_variance_above_the_threshold_must_be_explained(ruled: Path, sheet: Write, key: Path) -> None:
    before = events(ruled)
    done = close(ruled, sheet(WRONG), key, "--explain", "PB1=beside the point")
    assert done.code == 1
    assert "not closed: table BB1 varies by -£10,000.00" in done.err
    assert events(ruled) == before
    done = close(ruled, sheet(WRONG), key, "--explain", "BB1= slip 02090 came late ")
    assert done.code == 1
    assert "The day is closed" in done.out
    table = day_events(ruled)[-2].tables[0]
    assert (table.variance, table.cause, table.explanation) == (
        -1000000,
        "slip-on-one-side",
        "slip 02090 came late",
    )
    again = run("reconcile", "--db", ruled, "--day", DAY)
    assert again.code == 1
    assert "explained: slip 02090 came late" in again.out


@pytest.mark.parametrize("signer", ["security-03", "SECURITY-03", "cashier-9", "reconcile"])
def test_nobody_of_pit_or_cage_signs_it_off_and_somebody_else_can_afterwards(
    ruled: Path, sheet: Write, key: Path, signer: str
) -> None:
    """Domain §4.3, step 10. security-03 signed for drops, cashier-9 the count sheet, reconcile reports it."""
    counts = sheet(EVENING)
    before = events(ruled)
    for recorded in (6 * 2 + 1, 1):  # counts and their commands, and the refusal; then the refusal alone
        done = close(ruled, counts, key, "--counted-by", "cashier-9", signer=signer)
        assert done.code == 2
        refusal = f"{signer} signed for or reported chips or counts of that day, and cannot sign it off"
        assert refusal in done.err
        assert events(ruled) - before == recorded
        before = events(ruled)
    assert not run("reconcile", "--db", ruled, "--day", DAY, "--json").json()["closed"]
    assert close(ruled, counts, key, "--counted-by", "cashier-9").code == 0
    assert len([one for one in day_events(ruled) if one.TOPIC.startswith("count-recorded")]) == 6


def test_a_count_that_is_put_right_takes_the_place_of_the_one_before(
    ruled: Path, sheet: Write, key: Path
) -> None:
    """Also where it goes back to what it was at first: an id is of what the count replaces, too."""
    explained = ("--explain", "BB1=lost")
    for text in (EVENING, WRONG, EVENING):
        assert close(ruled, sheet(text), key, *explained, signer="security-03").code == 2
    assert close(ruled, sheet(EVENING), key).code == 0
    counts = [one for one in day_events(ruled) if one.TOPIC.startswith("count-recorded")]
    assert [(one.table, one.counted.shift, one.counted.fills) for one in counts[6:]] == [
        ("BB1", "2", 1000000),
        ("BB1", "2", 2000000),
    ]


def test_a_held_coup_stops_the_close_and_is_named(db: Path, sheet: Write, key: Path) -> None:
    before = events(db)
    done = close(db, sheet(EVENING), key)
    assert done.code == 1
    assert f"not closed: {HELD} has not ended" in done.err
    assert events(db) == before
    refused = close(db, sheet(EVENING), key, "--json").json()["refused"]
    assert refused["code"] == "coups-unfinished"


def test_an_open_coup_stops_the_close_too(tmp_path: Path, sheet: Write, key: Path) -> None:
    path = tmp_path / "open.db"
    night = Night(table="T1").opens()
    night.step("open-coup", 1)
    night.step("place-wagers", 1, wagers=[{"id": "w1", "kind": "player", "stake": 700, "patron": "p-1"}])
    night.say("close-table", closer={"chips": {"2500": 400}})
    take(path, *night.lines)
    counts = sheet(f"{HEADING}\nT1,1,1000000,1000000,0,0,0,,\n")
    done = close(path, counts, key)
    assert done.code == 1
    assert "coup/main/T1/S1/1 has not ended; £7.00 staked" in done.err


def test_a_key_that_is_not_the_ledgers_stops_everything(
    ruled: Path, sheet: Write, key: Path, tmp_path: Path
) -> None:
    run("seal", "--db", ruled, "--key-file", key)
    other = tmp_path / "other.key"
    run("keys", "new", "other", "-o", other)
    before = events(ruled)
    done = close(ruled, sheet(EVENING), other)
    assert (done.code, done.out) == (2, "")
    assert events(ruled) == before
    assert close(ruled, sheet(EVENING), tmp_path / "missing.key").code == 2
    public = run("keys", "public", key).out.strip()
    assert close(ruled, sheet(EVENING), other, "--key", public).code == 0


def test_a_day_that_was_closed_and_not_sealed_gets_its_checkpoint(
    ruled: Path, sheet: Write, key: Path
) -> None:
    """As a tape may close it, or a crash leave it."""
    nought = {"win_by_wagers": 0, "win_by_inventory": 0, "variance": 0}
    tables = [{"table": "CF1", **nought}]
    tables += [
        {"table": name, "win_by_wagers": win, "win_by_inventory": win, "variance": 0}
        for name, win in (("BB1", -875000), ("PB1", 324325))
    ]
    facts = {"gaming_day": DAY, "position": events(ruled), "tables": tables, "signed_by": ["accounts-1"]}
    common = {"id": "by-tape", "occurred_at": RULING["occurred_at"], "actor": "accounts-1"}
    take(ruled, {"command": "close-day", **common, **facts})
    before = events(ruled)
    assert (
        "under no checkpoint" in run("reconcile", "--db", ruled, "--day", DAY, "--counts", sheet(EVENING)).out
    )
    done = close(ruled, sheet(EVENING), key)
    assert (done.code, events(ruled)) == (0, before)
    assert f"under checkpoint of {before:,} events" in done.out


def test_what_comes_after_the_close_leaves_its_figures_as_they_are(
    ruled: Path, sheet: Write, key: Path
) -> None:
    """A ruling on a coup of a closed day is booked on an open one; a late drop is refused."""
    close(ruled, sheet(EVENING), key)
    take(ruled, {**RULING, "id": "ruling-54", "number": 54, "occurred_at": "2026-11-28T15:00:00Z"})
    done = run("reconcile", "--db", ruled, "--day", DAY, "--json")
    assert done.code == 0
    assert [table["win_by_wagers"] for table in done.json()["tables"]] == [-875000, 0, 324325]


def test_figures_that_are_not_what_the_day_was_closed_with_are_found(ruled: Path, sheet: Write) -> None:
    """A close that was sent with other figures than the record's."""
    wrong = {"win_by_wagers": 1, "win_by_inventory": 1, "variance": 0}
    facts = {
        "gaming_day": DAY,
        "position": 1,
        "tables": [{"table": name, **wrong} for name in ("BB1", "CF1", "PB1")],
        "signed_by": ["accounts-1"],
    }
    common = {"id": "by-tape", "occurred_at": RULING["occurred_at"], "actor": "accounts-1"}
    take(ruled, {"command": "close-day", **common, **facts})
    code, told = report(ruled, sheet(EVENING))
    assert code == 1
    assert {finding["code"] for finding in told["findings"]} == {"changed-since-close"}


def test_two_at_once_close_it_once(ruled: Path, sheet: Write, key: Path) -> None:
    arguments = ("reconcile", "--db", ruled, "--day", DAY, "--counts", sheet(EVENING), "--close")
    both = [start(*arguments, "--signed-by", f"accounts-{number}", "--key-file", key) for number in (1, 2)]
    done = [ended(process) for process in both]
    assert [one.code for one in done] == [0, 0], done
    topics = [one.TOPIC for one in day_events(ruled)]
    assert topics == ["count-recorded.v1"] * 6 + ["day-reconciled.v1", "day-sealed.v1"]


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_any_moment_and_run_again_it_comes_to_the_same(
    ruled: Path, sheet: Write, key: Path, tmp_path: Path, seed: int
) -> None:
    undisturbed = Path(shutil.copy(ruled, tmp_path / "undisturbed.db"))
    counts = sheet(EVENING)
    assert close(undisturbed, counts, key).code == 0
    arguments = ["reconcile", "--db", ruled, "--day", DAY, "--counts", counts]
    arguments += ["--close", "--signed-by", "accounts-1", "--key-file", key]
    lives = [sys.executable, "-m", "tests.reconcile.dying", str(seed), *map(str, arguments)]
    done = subprocess.run(lives, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    deaths, code = map(int, done.stdout.split())
    assert (deaths > 0, code) == (True, 0)
    assert events(ruled) == events(undisturbed)
    assert [one.model_dump(exclude={"occurred_at", "recorded_at"}) for one in day_events(ruled)] == [
        one.model_dump(exclude={"occurred_at", "recorded_at"}) for one in day_events(undisturbed)
    ]
    public = run("keys", "public", key).out.strip()
    verified = run("verify", "--db", ruled, "--key", public, "--json").json()
    assert (verified["sealed"], verified["findings"]) == (events(ruled), [])


# --- Other nights --------------------------------------------------------------------------------------


def test_chemin_de_fers_charges_are_all_that_is_to_be_there(tmp_path: Path, sheet: Write) -> None:
    path = tmp_path / "cf.db"
    night = Night("chemin-de-fer", table="CF9").opens()
    night.say("take-charge", amount=300)
    night.say("take-charge", amount=200)
    night.say("close-table", closer={"chips": {"2500": 400}})
    take(path, *night.lines)
    code, told = report(path, sheet(f"{HEADING}\nCF9,1,1000000,1000000,0,0,500,,\n"))
    assert (code, told["tables"][0]["variance"], told["tables"][0]["charges"]) == (0, 0, 500)
    code, told = report(path, sheet(f"{HEADING}\nCF9,1,1000000,1000000,0,0,0,,\n"), "--threshold", "400")
    assert (code, told["tables"][0]["variance"]) == (1, 500)


def test_what_rounding_paid_is_the_houses_where_the_house_pays(
    ruled: Path, tmp_path: Path, sheet: Write
) -> None:
    """A player's bank of 500 pays 7 at evens in units of 5: its own 3 more, and none of the house's."""
    _, told = report(ruled, sheet(EVENING))
    expected = sum(
        Fraction(row["remainder"]) for row in oracle([*evening(), RULING]) if row["table"] == "PB1"
    )
    assert Fraction(told["tables"][2]["remainder"]) == expected > 0
    path = tmp_path / "cf.db"
    night = Night("chemin-de-fer", table="CF9").opens(terms={"rounding": "up-to-unit", "unit": 5})
    night.say("take-bank", holder="p-9", capacity="player", sum=500)
    night.coup(1, "P 9 K / B 7 Q", "player 7")
    night.say("close-table", closer={"chips": {"2500": 400}})
    take(path, *night.lines)
    code, told = report(path, sheet(f"{HEADING}\nCF9,1,1000000,1000000,0,0,0,,\n"))
    assert (code, told["tables"][0]["variance"], told["tables"][0]["remainder"]) == (0, 0, "0")


def test_the_opener_is_held_against_the_closer_of_the_night_before(tmp_path: Path, sheet: Write) -> None:
    """And other premises' days are not looked at."""
    path = tmp_path / "two.db"
    night = Night(table="T1").opens(gaming_day="2026-11-26", occurred_at="2026-11-26T20:00:00Z")
    night.say("close-table", closer={"chips": {"2500": 399}})
    night.shoe = "S2"
    night.opens()
    night.say("close-table", closer={"chips": {"2500": 400}})
    other = Night(table="T1", prefix="x").opens()
    take(path, *night.lines, *({**line, "premises": "annex"} for line in other.lines))
    code, told = report(path, sheet(f"{HEADING}\nT1,1,1000000,1000000,0,0,0,,\n"))
    assert code == 1
    assert [(one["code"], one["detail"]) for one in told["findings"]] == [
        ("float", "opener £10,000.00 is not the closer £9,975.00 of 2026-11-26")
    ]


def test_lost_promotional_stakes_are_known_for_what_they_are(tmp_path: Path, sheet: Write) -> None:
    """The player stakes £5.00 in promotional chips and loses: won by wagers, and nothing to count."""
    path = tmp_path / "promotional.db"
    night = Night(table="T1").opens()
    line = night.coup(1, "P 2 5 / B 3 5", "player 500")
    line["wagers"][0]["tender"] = "promotional"
    night.say("close-table", closer={"chips": {"2500": 400}})
    take(path, *night.lines)
    _, told = report(path, sheet(f"{HEADING}\nT1,1,1000000,1000000,0,0,0,,\n"))
    assert told["tables"][0]["variance"] == 500
    assert told["tables"][0]["cause"] == {
        "code": "promotional-chips",
        "evidence": "promotional stakes lost: £5.00",
    }


def test_a_slip_number_that_is_missing_is_found(tmp_path: Path, sheet: Write) -> None:
    path = tmp_path / "slips.db"
    night = Night(table="T1").opens()
    for slip in ("F-1", "F-3"):
        night.say("fill-chips", slip=slip, chips={"2500": 1})
    night.say("close-table", closer={"chips": {"2500": 402}})
    take(path, *night.lines)
    code, told = report(path, sheet(f"{HEADING}\nT1,1,1000000,1005000,5000,0,0,F-1 F-3,\n"))
    assert code == 1
    assert [one["detail"] for one in told["findings"]] == ["slip F-2 is nowhere: F-1 and F-3 are"]
