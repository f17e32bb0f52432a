"""A good bundle: it says what the record says, anybody can check it, and it holds nothing of anybody else."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from ledger.errors import BundleTooLarge, CoupNotWhole
from ledger.seal.bundle import Prove, make_bundle, verify_bundle
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.leaf import leaf_hashes
from ledger.seal.note import Note
from ledger.seal.proof import inclusion_proof
from ledger.seal.tree import root_of
from ledger.store.port import Row
from ledger.terms.wagers import WAGERS_MAX
from ops.wiring import House
from projections.story.coups import tell
from tests.bundle import other_reader
from tests.bundle.conftest import CALLED, CORRECTED, VOIDED
from tests.bundle.sealed import COUP, ORIGIN, PINNED, bundle_from, bundle_of, key, seal, written
from tests.projections.houses import house_in_memory, take
from tests.tabletalk import Night, hands


def test_every_coup_of_a_night_comes_back_as_it_is_in_the_record(
    night: House, bundles: dict[str, bytes]
) -> None:
    """Settled, held, corrected, void, disputed; at every table. Byte for byte."""
    assert len(bundles) > 240
    stages = set()
    for coup, bundle in bundles.items():
        verified = verify_bundle(bundle, [PINNED], ORIGIN)
        assert list(verified.rows) == night.ledger.record.select_stream(coup)
        assert (verified.coup, verified.checkpoint.origin, verified.signed_by) == (coup, ORIGIN, (PINNED,))
        stages.add(tell(coup, verified.rows).stage)
    assert stages == {"settled", "held", "void"}


def test_a_reader_that_shares_nothing_with_the_ledger_settles_every_coup_alike(
    bundles: dict[str, bytes],
) -> None:
    """BUNDLE.md is all that it was written from."""
    for coup, bundle in bundles.items():
        assert other_reader.read(bundle, str(PINNED))["coup"] == coup


@pytest.mark.parametrize(
    ("coup", "topics"),
    [
        (CORRECTED, ["coup-corrected", "wagers-reversed", "dispute-raised", "dispute-resolved"]),
        (VOIDED, ["coup-voided", "wagers-reversed"]),
        (CALLED, ["banco-called", "wagers-cancelled"]),
    ],
)
def test_rulings_disputes_and_calls_are_among_the_coups_tried(
    bundles: dict[str, bytes], coup: str, topics: list[str]
) -> None:
    events = json.loads(bundles[coup])["events"]
    assert {f"{topic}.v1" for topic in topics} <= {event["topic"] for event in events}


def test_it_is_one_line_in_the_form_of_rfc_8785_and_a_newline(bundle: bytes) -> None:
    assert written(json.loads(bundle)) + b"\n" == bundle
    assert bundle.count(b"\n") == 1


def test_its_digest_is_that_of_the_rest(bundle: bytes) -> None:
    content = json.loads(bundle)
    assert re.fullmatch("[0-9a-f]{64}", content["digest"])
    assert other_reader.read(bundle, str(PINNED)) == {
        name: value for name, value in content.items() if name != "digest"
    }


def test_the_same_coup_gives_the_same_bytes(small: House, bundle: bytes) -> None:
    assert bundle_of(small, COUP) == bundle


def tokens(house: House, coup: str) -> set[str]:
    """Patrons, and ids of commands, in the events of a coup."""

    def found(value: Any) -> set[str]:
        if isinstance(value, dict):
            named = (value.get(name) for name in ("patron", "cause", "banker"))
            own = {name for name in named if isinstance(name, str) and " " not in name}  # a hand is no token
            return own.union(*map(found, value.values()))
        return set().union(*map(found, value)) if isinstance(value, list) else set()

    rows = house.ledger.record.select_stream(coup)
    return set().union(*(found(json.loads(row.state)) for row in rows))


def test_it_holds_nothing_of_other_coups_and_their_patrons(night: House, bundles: dict[str, bytes]) -> None:
    """No token, no id of a command and no name of a coup that is not of this one."""
    of_coups = {coup: tokens(night, coup) for coup in bundles}
    for coup in [*bundles][::20]:
        mine = of_coups[coup] | {coup}
        others = set(of_coups).union(*of_coups.values()) - mine
        assert len(others) > 300
        content = json.loads(bundles[coup])
        said = " ".join(event["state"] for event in content["events"])
        words = set(re.findall(r"[A-Za-z0-9._:/\-]+", said))
        assert mine <= words
        assert not others & words
        proofs = "".join("".join(event["proof"]) for event in content["events"])
        assert re.fullmatch("[A-Za-z0-9+/=]*", proofs)


def test_either_key_of_a_rotation_verifies_it() -> None:
    """A checkpoint signed by the old and the new key: whoever pinned one of them need not know the other."""
    old, new = key(seed="old"), key(seed="new")
    with house_in_memory() as house:
        night = Night().opens()
        night.coup(1, "P 9 K / B 7 Q", "player 100 p-1")
        take(house, night.lines)
        seal(house, old, new)
        bundle = bundle_of(house, COUP)
    for pinned in (old.verifier, new.verifier):
        assert verify_bundle(bundle, [pinned]).signed_by == (pinned,)
        other_reader.read(bundle, str(pinned))
    assert verify_bundle(bundle, [old.verifier, new.verifier]).signed_by == (old.verifier, new.verifier)


def test_the_first_checkpoint_that_covers_the_coup_is_the_one_used() -> None:
    with house_in_memory() as house:
        night = Night().opens()
        night.coup(1, "P 9 K / B 7 Q", "player 100 p-1")
        take(house, night.lines)
        seal(house)
        before = bundle_of(house, COUP)
        night.coup(2, "P 9 K / B 7 Q", "player 100 p-2")
        take(house, night.lines[-1:])
        seal(house)
        assert bundle_of(house, COUP) == before
        assert verify_bundle(bundle_of(house, "coup/main/T1/S1/2"), [PINNED]).checkpoint.size > 10


@pytest.mark.parametrize("part", [slice(1, None), slice(0, 0)])
def test_less_than_a_coup_from_its_first_event_on_is_not_bundled(small: House, part: slice) -> None:
    rows = small.ledger.record.select_stream(COUP)
    note = Checkpoints(small.tables, ORIGIN, [PINNED]).last()
    assert note is not None
    with pytest.raises(CoupNotWhole):
        make_bundle(rows[part], note, lambda index, size: [])


def test_of_what_is_no_coup_there_is_no_bundle(small: House) -> None:
    first = small.ledger.record.select_rows(0, 1)[0]
    with pytest.raises(CoupNotWhole):
        bundle_from(small, small.ledger.record.select_stream(first.stream))


def many_refused(count: int) -> tuple[list[Row], Note, Prove]:
    """A coup of so many wagers, none of which punto banco takes; its checkpoint and proofs."""
    told = Night().opens()
    told.step("open-coup", 1)
    offered = [{"id": f"w{place}", "kind": "hand-1", "stake": 100, "patron": "p-1"} for place in range(count)]
    told.step("place-wagers", 1, wagers=offered)
    told.step("close-wagers", 1)
    told.step("deal-hands", 1, hands=hands("P 9 K / B 7 Q"))
    told.step("settle-coup", 1)
    with house_in_memory() as house:
        take(house, told.lines)
        seal(house)
        rows = house.ledger.record.select_stream(COUP)
        note = Checkpoints(house.tables, ORIGIN, [PINNED]).last()
        leaves = leaf_hashes(house.ledger.record.select_rows(0, 100_000))
    assert note is not None

    @cache
    def roots(height: int, index: int) -> bytes:
        return root_of(leaves[index << height : (index + 1) << height])

    return rows, note, lambda index, size: inclusion_proof(index, size, roots)


def test_a_coup_of_as_many_refused_wagers_as_can_be_offered_is_bundled_and_verifies() -> None:
    """Each is an event of its own."""
    rows, note, prove = many_refused(WAGERS_MAX)
    assert len(rows) > WAGERS_MAX == 10_000
    assert verify_bundle(make_bundle(rows, note, prove), [PINNED]).rows == tuple(rows)


def test_what_no_reader_would_take_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Just what the reader takes is made, and not an event or a byte more."""
    rows, note, prove = many_refused(20)
    made = make_bundle(rows, note, prove)
    for limit, reached in (("EVENTS_MAX", len(rows)), ("BUNDLE_BYTES_MAX", len(made))):
        with monkeypatch.context() as patched:
            patched.setattr(f"ledger.seal.bundle.{limit}", reached)
            assert make_bundle(rows, note, prove) == made
            assert verify_bundle(made, [PINNED]).rows == tuple(rows)
            patched.setattr(f"ledger.seal.bundle.{limit}", reached - 1)
            with pytest.raises(BundleTooLarge, match=f"{reached:,}"):
                make_bundle(rows, note, prove)
