"""Each long fault test, made short; and that the disk which forgets, forgets. See README.md."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import crash, failover, layer, power, promises, restore, sick_disk
from tests.faults.nights import Line
from tests.faults.outcome import Held, telling
from tests.faults.power_cut import SYNC_BEGINS
from tests.faults.servers import folder, server
from tests.projections.houses import evening, house_at

pytestmark = pytest.mark.skipif(layer.obstacle() is not None, reason="there is no C compiler")

LINES: list[Line] = evening()[:40]
SMALL = crash.Plan(deaths_each=2, coups=8, live=LINES, server_crashes=1)
STORES = pytest.mark.parametrize("on_server", [False, True], ids=["sqlite", "postgres"])


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that a server may enter, whoever it runs as; pytest's own are for one user."""
    with folder() as made:
        yield made


@STORES
def test_killed_at_any_call_a_night_comes_to_what_it_would_have(place: Path, on_server: bool) -> None:
    """Play, import, projections, seal, relay and the day's close die; so do the server and the stream."""
    here = place / "night-7"
    here.mkdir()
    if on_server:
        with server(place) as postgres:
            came = crash.night(here, crash.store_in(here, postgres), 7, SMALL, server=postgres)
    else:
        came = crash.night(here, crash.store_in(here, None), 7, SMALL)
    assert came.broken == []
    assert sum(came.deaths.values()) >= SMALL.deaths_each * 4


@pytest.mark.parametrize(("on_server", "cuts"), [(False, 12), (True, 3)], ids=["sqlite", "postgres"])
def test_a_power_cut_takes_nothing_that_was_acknowledged(place: Path, on_server: bool, cuts: int) -> None:
    """And on a disk that only says that it has saved, it does: so what is cut off here is cut off."""
    played = power.play(place, 3, server=on_server, coups=6, live=LINES)
    rng = random.Random(3)
    for number, upto in enumerate(played.moments(rng, cuts)):
        assert power.cut(played, upto, rng, place / f"cut-{number}") == [], upto
    assert any(change.op == SYNC_BEGINS for change in played.recording.changes)
    if not on_server:
        lying = played.without_syncs()
        late = [moment for moment in lying.moments(rng, 40) if moment > len(lying.recording.changes) // 2]
        assert any(_loses(lying, upto, rng, place / f"lost-{upto}") for upto in late)


def _loses(played: power.Played, upto: int, rng: random.Random, into: Path) -> bool:
    """Whether something is broken; a file that cannot even be opened is."""
    try:
        return bool(power.cut(played, upto, rng, into))
    except Exception:  # noqa: BLE001 - a torn file may break anything
        return True


@STORES
def test_a_disk_that_fails_at_times_loses_nothing(place: Path, on_server: bool) -> None:
    held = Held()
    with telling("failing", 2) as told:
        sick_disk.intermittent(place, 5, 2, told, held, server=on_server, coups=6, live=LINES)
    assert held.broken == []


@pytest.mark.skipif(not sick_disk.may_mount(), reason="only root makes a file system")
def test_a_full_and_a_read_only_file_system_are_told_and_got_over(place: Path) -> None:
    with telling("failing", 2) as told:
        assert list(sick_disk.full_and_read_only(place / "small", told)) == []


@STORES
def test_a_clock_that_jumps_loses_nothing(place: Path, on_server: bool) -> None:
    if not on_server:
        assert list(sick_disk.wrong_clock(str(place / "ledger.db"), LINES, random.Random(1))) == []
        return
    with server(place) as postgres:
        url = crash.store_in(place / "clock", postgres)
        assert list(sick_disk.wrong_clock(url, LINES, random.Random(1))) == []


def test_a_primary_that_is_lost_under_load_takes_nothing_with_it() -> None:
    held = failover.failover(1, 1, coups=8)
    assert held.broken == []
    assert held.done["failovers"] == 1


def test_after_a_restore_every_command_ever_given_is_answered_as_at_first() -> None:
    held = restore.restore(4, 1, LINES)
    assert held.broken == []


def test_a_command_that_is_missing_after_all_is_told(place: Path) -> None:
    """What all of these rest on: an acknowledgement that the record does not bear out is found."""
    expected = promises.Expected.of({"live": LINES})
    with house_at(place / "ledger.db") as house:
        acks = restore.given(house, LINES[:5])
    missing = [{**acks[0], "command_id": LINES[7]["id"]}]
    altered = [{**acks[1], "outcome": "refused"}]
    with house_at(place / "ledger.db") as house:
        assert len(list(promises.acknowledged(house, missing, LINES))) >= 1
        assert len(list(promises.acknowledged(house, altered, LINES))) == 1
        assert list(promises.once_and_whole(house, {**expected.causes, LINES[0]["id"]: []}))
