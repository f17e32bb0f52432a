"""`coup bundle` and `bundle verify`: what they say, and the exit codes that programs go by."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ledger.store.port import Row
from ops.wiring import House
from tests.bundle.conftest import CORRECTED, VOIDED
from tests.bundle.sealed import COUP, ORIGIN, PINNED, bundle_of, changed, key, put_together, seal, sealed_as
from tests.cli.shell import Done, run
from tests.projections.houses import house_at, house_in_memory, take
from tests.tabletalk import Night, hands, wagers


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A ledger with one coup, sealed; what came `too-late` was about that coup, and was refused."""
    path = tmp_path / "ledger.db"
    night = Night().opens()
    night.coup(1, "P 9 K / B 7 Q", "player 100 p-1", id="the-coup")
    night.coup(1, "P 9 K / B 7 Q", "player 200 p-1", id="too-late")
    with house_at(path) as house:
        take(house, night.lines)
        seal(house)
    return path


def forge(db: Path, true: bytes, false: bytes) -> None:
    """Change what is stored."""
    with closing(sqlite3.connect(db)) as connection, connection:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (trigger,) in triggers:
            connection.execute(f"DROP TRIGGER {trigger}")
        rows = connection.execute("SELECT sequence, state FROM stored_events").fetchall()
        connection.executemany(
            "UPDATE stored_events SET state = ? WHERE sequence = ?",
            [(state.replace(true, false), sequence) for sequence, state in rows],
        )


def verify(file: Path | str, *more: str | Path, pinned: str = str(PINNED), said: bytes = b"") -> Done:
    return run("bundle", "verify", file, "--key", pinned, *more, said=said)


@pytest.fixture
def file(bundle: bytes, tmp_path: Path) -> Path:
    """A good bundle, alone in the world."""
    path = tmp_path / "coup.bundle"
    path.write_bytes(bundle)
    return path


# --- Making one ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["T1/S1/1", "main/T1/S1/1", "coup/main/T1/S1/1", "the-coup"])
def test_a_coup_is_bundled_however_it_is_named_and_verifies(db: Path, tmp_path: Path, name: str) -> None:
    made = run("coup", "bundle", name, "--db", db, "-o", tmp_path / "b")
    assert (made.code, made.out) == (0, "")
    assert verify(tmp_path / "b").code == 0
    with house_at(db) as house:
        assert (tmp_path / "b").read_bytes() == bundle_of(house, COUP)


def test_a_coup_that_is_not_covered_says_to_seal(db: Path, tmp_path: Path) -> None:
    """As when something was recorded of it since; and in a ledger that never was sealed."""
    night = Night(prefix="later-")
    night.step("raise-dispute", 1, dispute="D1", statement="no")
    with house_at(db) as house:
        take(house, night.lines)
    fresh = tmp_path / "fresh.db"
    told = Night().opens()
    told.coup(1, "P 9 K / B 7 Q")
    with house_at(fresh) as house:
        take(house, told.lines)
    for path in (db, fresh):
        done = run("coup", "bundle", "T1/S1/1", "--db", path, "-o", tmp_path / "b")
        assert (done.code, done.out) == (2, "")
        assert "`baccarat-ledger seal`" in done.err.replace("\n", " ")
        assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("name", ["T1/S1/2", "c1", "x", "too-late"])
def test_what_is_no_coup_is_not_bundled(db: Path, tmp_path: Path, name: str) -> None:
    done = run("coup", "bundle", name, "--db", db, "-o", tmp_path / "b")
    assert (done.code, done.out) == (2, "")
    assert "no coup" in done.err


def test_a_record_that_is_not_what_was_sealed_gives_no_bundle(db: Path, tmp_path: Path) -> None:
    """Somebody went behind the ledger's back: the bundle would prove nothing, so none is made."""
    forge(db, b'"stake":100', b'"stake":900')
    done = run("coup", "bundle", "T1/S1/1", "--db", db, "-o", tmp_path / "b")
    assert (done.code, done.out) == (2, "")
    assert "proof does not hold" in done.err.replace("\n", " ")
    assert not (tmp_path / "b").exists()


def test_a_file_that_cannot_be_written_is_exit_2(db: Path, tmp_path: Path) -> None:
    done = run("coup", "bundle", "T1/S1/1", "--db", db, "-o", tmp_path / "nowhere" / "b")
    assert (done.code, done.out) == (2, "")
    assert "nowhere" in done.err


# --- Checking one ----------------------------------------------------------------------------------------


def test_a_good_bundle_tells_its_coup(file: Path) -> None:
    """No ledger, no settings: the file and the key."""
    done = verify(file)
    assert (done.code, done.err) == (0, "")
    assert "Coup 1 of shoe S1 at table T1: settled" in done.out
    assert "£1.00 at 1 to 1 = £1.00" in done.out
    assert "Good: these events are in the record that was signed" in done.out
    assert PINNED.label in done.out


def test_for_programs(file: Path) -> None:
    told = verify(file, "--json").json()
    assert (told["good"], told["differences"], told["coup"]) == (True, [], COUP)
    assert (told["checkpoint"]["origin"], told["checkpoint"]["signed_by"]) == (ORIGIN, [PINNED.label])
    assert told["lines"][0]["winnings"] == 100


def test_from_standard_input_and_with_a_key_from_a_file(bundle: bytes, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{PINNED}\n")
    assert verify("-", said=bundle, pinned=str(tmp_path / "key")).code == 0


def test_any_of_several_keys_will_do(file: Path) -> None:
    assert verify(file, "--key", str(key(seed="a newer one").verifier)).code == 0


@pytest.mark.parametrize("coup", [CORRECTED, VOIDED])
def test_rulings_are_settled_again_as_well(bundles: dict[str, bytes], coup: str) -> None:
    done = verify("-", said=bundles[coup])
    assert done.code == 0
    assert "Taken back:" in done.out


def test_every_fourth_coup_of_the_night_settles_from_its_cards(bundles: dict[str, bytes]) -> None:
    for bundle in [*bundles.values()][::4]:
        told = verify("-", "--json", said=bundle)
        assert (told.code, told.json()["good"]) == (0, True)


def test_altered_it_is_exit_1_and_says_why(bundle: bytes) -> None:
    done = verify("-", said=bundle.replace(b'\\"stake\\":100', b'\\"stake\\":900', 1))
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("This bundle proves nothing: the bundle is not as it was made")


@pytest.mark.parametrize(
    ("more", "pinned", "code"),
    [
        ([], str(key(seed="another").verifier), "key-not-pinned"),
        (["--origin", "baccarat-ledger/annex"], str(PINNED), "origin-differs"),
    ],
)
def test_by_a_key_that_is_not_pinned_or_of_another_ledger_it_is_exit_1(
    file: Path, more: list[str], pinned: str, code: str
) -> None:
    done = verify(file, *more, "--json", pinned=pinned)
    assert (done.code, done.err) == (1, "")
    told = done.json()
    assert (told["good"], told["error"]["code"]) == (False, code)
    assert verify(file, *more, pinned=pinned).out.startswith("This bundle proves nothing: ")


def test_cut_short_it_is_exit_2(bundle: bytes) -> None:
    for length in (0, 1, len(bundle) // 2, len(bundle) - 1):
        done = verify("-", said=bundle[:length])
        assert (done.code, done.out) == (2, "")
        assert "not a bundle of a coup" in done.err


def test_cut_short_it_is_the_same_shape_for_programs(bundle: bytes) -> None:
    for length in (0, 1, len(bundle) // 2, len(bundle) - 1):
        done = verify("-", "--json", said=bundle[:length])
        assert (done.code, done.err) == (2, "")
        told = done.json()
        assert (told["good"], told["error"]["code"]) == (False, "bundle-malformed")
        assert told["error"]["detail"].startswith("not a bundle of a coup")


STEPS = {
    "open": ["open-coup", "place-wagers"],
    "closed": ["open-coup", "place-wagers", "close-wagers"],
    "dealt": ["open-coup", "place-wagers", "close-wagers", "deal-hands"],
}
NOTHING_YET = "and nothing is settled yet."


def said_of(night: Night) -> str:
    """The last words on the bundle of the night's first coup."""
    with house_in_memory() as house:
        take(house, night.lines)
        seal(house)
        done = verify("-", said=bundle_of(house, COUP))
    assert done.code == 0
    return done.out[done.out.index("Good: ") :]


@pytest.mark.parametrize("stage", STEPS)
def test_of_a_coup_that_is_not_settled_yet_it_says_so(stage: str) -> None:
    given: dict[str, dict[str, Any]] = {
        "place-wagers": {"wagers": wagers("player 100")},
        "deal-hands": {"hands": hands("P 9 K / B 7 Q")},
    }
    night = Night().opens()
    for step in STEPS[stage]:
        night.step(step, 1, **given.get(step, {}))
    assert NOTHING_YET in said_of(night)


def test_of_a_coup_held_void_or_settled_it_says_what_is_shown() -> None:
    """Void before it was settled as well as after: 2(2), every stake goes back."""
    ruled = {"reason": "camera 4", "evidence": "tape 12", "approvers": ["pit-1", "pit-2"]}
    held = Night().opens()
    held.coup(1, "P K 2 8 / B A 2 5", "player 100")
    assert NOTHING_YET in said_of(held)
    held.step("void-coup", 1, **ruled)
    assert "and every stake was handed back." in said_of(held)
    settled = Night().opens()
    settled.coup(1, "P 9 K / B 7 Q", "player 100")
    assert "and every wager settles from the cards as recorded." in said_of(settled)
    settled.step("void-coup", 1, **ruled)
    assert "and every stake was handed back." in said_of(settled)


NO_KEYS = ("", "x", "name+00000000+AAAA", str(PINNED)[:-1], str(PINNED).replace("+", " "))


@pytest.mark.parametrize("pinned", NO_KEYS)
def test_a_key_that_is_none_is_exit_2(file: Path, pinned: str) -> None:
    done = verify(file, pinned=pinned)
    assert (done.code, done.out) == (2, "")
    assert "not a key" in done.err


def test_a_secret_key_is_not_taken_for_a_public_one_and_not_repeated(file: Path) -> None:
    done = verify(file, pinned=str(key()))
    assert (done.code, done.out) == (2, "")
    assert str(key())[-20:] not in done.err


def test_a_file_that_is_not_there_and_no_key_at_all_are_exit_2(file: Path, tmp_path: Path) -> None:
    assert verify(tmp_path / "nowhere").code == 2
    assert run("bundle", "verify", file).code == 2


@pytest.mark.parametrize(
    ("name", "pinned", "code"),
    [
        ("nowhere", str(PINNED), "source-unreadable"),
        (".", str(PINNED), "source-unreadable"),
        ("coup.bundle", "no key", "key-malformed"),
    ],
)
def test_what_cannot_be_opened_is_the_same_shape_for_programs(
    file: Path, tmp_path: Path, name: str, pinned: str, code: str
) -> None:
    done = verify(tmp_path / name, "--json", pinned=pinned)
    assert (done.code, done.err) == (2, "")
    assert (done.json()["good"], done.json()["error"]["code"]) == (False, code)


def test_a_bundle_goes_to_standard_output_and_is_verified_from_there(db: Path) -> None:
    made = run("coup", "bundle", "T1/S1/1", "--db", db, "-o", "-")
    assert made.code == 0
    assert verify("-", said=made.out.encode()).code == 0


def test_what_a_forger_wrote_does_not_steer_the_terminal(bundle: bytes) -> None:
    for source in (
        bundle.replace(b'"digest":"', b'"digest":"\\u001b[31m'),
        changed(bundle, lambda content: content.update(coup="\x1b[31m[bold]")),
        changed(bundle, lambda content: content.update({"\x1b[31m": 1})),
        changed(bundle, lambda content: content.update(checkpoint="\x1b[31m")),
    ):
        done = verify("-", said=source)
        assert done.code in {1, 2}
        assert "\x1b" not in done.out + done.err


# --- Sealed, and settled wrongly -------------------------------------------------------------------------


@pytest.fixture
def rows(small: House) -> list[Row]:
    """The events of a coup that the player's hand won, 9 to 7."""
    return small.ledger.record.select_stream(COUP)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ('"winnings":100', '"winnings":99'),
        ('"outcome":"won"', '"outcome":"void"'),
        ('"results":{"player":"W"}', '"results":{"player":"L"}'),
        ('"paragraph":"6(3),(4)"', '"paragraph":"6(4)"'),
        ('"banker":"7 Q"', '"banker":"9 Q"'),
    ],
)
def test_a_coup_that_does_not_settle_from_its_cards_is_exit_1_though_it_was_sealed_so(
    rows: list[Row], true: str, false: str
) -> None:
    """Signature and proofs are good, and the house is not: the cards decide."""
    told = [row._replace(state=row.state.replace(true.encode(), false.encode())) for row in rows]
    assert told != rows
    bundle = sealed_as(told)
    done = verify("-", said=bundle)
    assert done.code == 1
    assert "do not settle as the cards say" in done.out
    answer = verify("-", "--json", said=bundle).json()
    assert answer["good"] is False
    assert answer["differences"]


def test_an_honest_house_passes_the_same_way(rows: list[Row]) -> None:
    assert verify("-", said=sealed_as(rows)).code == 0


def test_a_settlement_whose_end_was_left_out_is_found(small: House, rows: list[Row]) -> None:
    """Lines are saved together with the event that closes them."""
    assert json.loads(put_together(small, rows[:-1]))["events"][-1]["topic"] == "wagers-settled.v1"
    assert verify("-", said=put_together(small, rows[:-1])).code == 1
