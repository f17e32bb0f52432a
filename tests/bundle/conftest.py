"""The evening, sealed once; and a small ledger whose bundle is small."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ops.wiring import House
from tests.bundle.sealed import COUP, bundle_of, seal
from tests.projections.houses import evening, house_at, house_in_memory, take
from tests.tabletalk import Night, hands

RULING = {"reason": "camera 4", "evidence": "tape 12", "approvers": ["pit-1", "pit-2"]}
CORRECTED = "coup/main/T1/S1/2"
VOIDED = "coup/main/T1/S1/3"
CALLED = "coup/main/C1/S1/1"


@pytest.fixture(scope="package")
def night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The evening; a coup corrected twice and disputed, one void after settling, a banco that gave way."""
    with house_at(tmp_path_factory.mktemp("night") / "ledger.db") as house:
        take(house, evening())
        told = Night().opens(terms={"rounding": "nearest", "unit": 5, "banker_on_draw": "lost"})
        told.coup(1, "P 2h 4s / B 7d Qc", "banker 2733 p-1, player 100 p-2, tie 50 p-3", claimed="tie")
        told.coup(2, "P 2h 4s / B 7d Qc", "banker 2733 p-1, player 100 p-2, tie 50 p-3")
        told.step("correct-coup", 2, hands=hands("P 2h 4s / B 6d Qc"), **RULING)
        told.step("correct-coup", 2, hands=hands("P 2h 4s / B 8d Qc"), **RULING)
        told.step("raise-dispute", 2, dispute="D1", patron="p-1", wager="w1", statement="“seven” – I saw it")
        told.step("resolve-dispute", 2, dispute="D1", decision="paid")
        told.coup(3, "P 9 K / B 7 Q", "banker 2733, player 100")
        told.step("void-coup", 3, **RULING)
        called = Night("chemin-de-fer", table="C1", prefix="called-").opens()
        called.say("take-bank", holder="p-9", sum=1000, seat=1)
        called.step("open-coup", 1)
        called.step("call-banco", 1, call="with-the-table", patron="p-3", seat=3, wager="b1")
        called.step("call-banco", 1, patron="p-2", seat=2, wager="b2")
        called.step("close-wagers", 1)
        called.step("deal-hands", 1, hands=hands("P 9 K / B 7 Q"))
        called.step("settle-coup", 1)
        take(house, [*told.lines, *called.lines])
        seal(house)
        yield house


@pytest.fixture(scope="package")
def bundles(night: House) -> dict[str, bytes]:
    """The bundle of every coup of that night, by its stream."""
    opened = night.ledger.record.select_rows(0, 100_000, ["coup-opened.v1"])
    return {row.stream: bundle_of(night, row.stream) for row in opened}


@pytest.fixture(scope="package")
def small() -> Iterator[House]:
    """One coup of one wager, sealed."""
    with house_in_memory() as house:
        night = Night().opens()
        night.coup(1, "P 9 K / B 7 Q", "player 100 p-1")
        take(house, night.lines)
        seal(house)
        yield house


@pytest.fixture(scope="package")
def bundle(small: House) -> bytes:
    """The bundle of that coup."""
    return bundle_of(small, COUP)
