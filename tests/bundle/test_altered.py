"""A bundle that is not as it was made: whatever was done to it, nobody takes it for good."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import (
    BundleAltered,
    BundleMalformed,
    CoupNotWhole,
    KeyNotPinned,
    LedgerError,
    MalformedInput,
    OriginDiffers,
    ProofInvalid,
    SignatureInvalid,
)
from ledger.seal.bundle import verify_bundle
from ledger.store.port import Row
from ops.wiring import House
from tests.bundle import other_reader
from tests.bundle.conftest import CORRECTED
from tests.bundle.sealed import (
    COUP,
    ORIGIN,
    PINNED,
    Content,
    bundle_of,
    changed,
    key,
    put_together,
    redone,
    seal,
    sealed_as,
    written,
)
from tests.projections.houses import house_in_memory, take
from tests.tabletalk import Night


def refused_here(source: bytes) -> LedgerError:
    """How the ledger refuses this."""
    with pytest.raises(LedgerError) as refusal:
        verify_bundle(source, [PINNED])
    return refusal.value


def refused(source: bytes) -> LedgerError:
    """How the ledger refuses this; the other reader must refuse it too."""
    with pytest.raises(other_reader.Refused):
        other_reader.read(source, str(PINNED))
    return refused_here(source)


def test_any_one_byte_changed_anywhere_is_found(bundle: bytes) -> None:
    """Every position of the file, a change in its lowest bit: letters, digits, commas, hashes, all of it."""
    for position in range(len(bundle)):
        altered = bytearray(bundle)
        altered[position] ^= 1
        refused(bytes(altered))


def test_any_one_character_changed_is_found_though_the_digest_was_made_anew(bundle: bytes) -> None:
    """By somebody who knows the format: what protects then is the signature, not the digest."""
    seen = 0
    rest = written({name: value for name, value in json.loads(bundle).items() if name != "digest"})
    for position in range(len(rest)):
        altered = bytearray(rest)
        altered[position] ^= 1
        try:
            content = json.loads(bytes(altered))
        except ValueError:
            continue
        if isinstance(content, dict):
            seen += 1
            by_whom = refused_here if seen % 4 else refused  # the other reader is slower, and asked less
            by_whom(redone(content))
    assert seen > len(rest) / 2


def test_cut_short_at_any_length_it_cannot_be_read(bundle: bytes) -> None:
    for length in range(len(bundle)):
        with pytest.raises(BundleMalformed):
            verify_bundle(bundle[:length], [PINNED])


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 10_000), st.integers(0, 50))
def test_bytes_put_in_or_taken_out_are_found(bundle: bytes, more: bytes, at: int, gone: int) -> None:
    at %= len(bundle)
    altered = bundle[:at] + more + bundle[at + gone :]
    if altered != bundle:
        refused(altered)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_what_is_no_bundle_at_all_cannot_be_read(source: bytes) -> None:
    with pytest.raises(BundleMalformed):
        verify_bundle(source, [PINNED])


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"}\n",
        b"null\n",
        b"[]\n",
        b"{}\n",
        b"[" * 100_000 + b"}\n",
        b'{"events":' * 50_000 + b"}\n",
        b'{"coup":"\xff"}\n',
        b'{"coup":"\\ud800"}\n',
    ],
)
def test_nonsense_cannot_be_read(source: bytes) -> None:
    with pytest.raises(BundleMalformed):
        verify_bundle(source, [PINNED])


@pytest.mark.parametrize(
    "write",
    [
        lambda content: json.dumps(content).encode() + b"\n",
        lambda content: written(content).replace(b",", b" ,", 1) + b"\n",
        lambda content: written(content).replace("—".encode(), rb"\u2014") + b"\n",
        lambda content: written(content).replace(b'"version":1', b'"version":1,"version":1') + b"\n",
        lambda content: (
            json.dumps(content, separators=(",", ":"), ensure_ascii=False)[::1].encode() + b" }\n"
        ),
    ],
    ids=["blanks", "a blank", "an escape", "a member twice", "a blank and a brace"],
)
def test_the_same_said_in_another_form_is_refused(bundle: bytes, write: Callable[[Content], bytes]) -> None:
    """So that no byte of the file is free."""
    source = write(json.loads(bundle))
    assert source != bundle
    with pytest.raises((BundleAltered, BundleMalformed)):
        verify_bundle(source, [PINNED])


# --- By somebody who knows the format --------------------------------------------------------------------


def swap_proofs(content: Content) -> None:
    first, second = content["events"][:2]
    first["proof"], second["proof"] = second["proof"], first["proof"]


def swap_events(content: Content) -> None:
    content["events"][1], content["events"][2] = content["events"][2], content["events"][1]


def swap_states(content: Content) -> None:
    first, second = content["events"][3:5]
    first["state"], second["state"] = second["state"], first["state"]


def swap_stakes(content: Content) -> None:
    for event in content["events"]:
        event["state"] = event["state"].replace('"stake":100', '"stake":900')


def renumber(content: Content) -> None:
    content["events"][1]["sequence"] += 1


def cut_proof(content: Content) -> None:
    content["events"][0]["proof"].pop()


def stretch_proof(content: Content) -> None:
    content["events"][0]["proof"].append(content["events"][0]["proof"][0])


def short_hash(content: Content) -> None:
    content["events"][0]["proof"][0] = b64encode(b"short").decode()


def hash_in_hexadecimal(content: Content) -> None:
    content["events"][0]["proof"][0] = "00" * 32


def grow_checkpoint(content: Content) -> None:
    lines = content["checkpoint"].split("\n")
    lines[1] = str(int(lines[1]) + 1)
    content["checkpoint"] = "\n".join(lines)


def rename_coup(content: Content) -> None:
    content["coup"] = content["coup"].removesuffix("1") + "2"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (swap_proofs, ProofInvalid),
        (swap_states, ProofInvalid),
        (swap_stakes, ProofInvalid),
        (renumber, ProofInvalid),
        (cut_proof, ProofInvalid),
        (stretch_proof, ProofInvalid),
        (short_hash, ProofInvalid),
        (hash_in_hexadecimal, ProofInvalid),
        (rename_coup, ProofInvalid),
        (grow_checkpoint, SignatureInvalid),
        (swap_events, CoupNotWhole),
        (lambda content: content["events"].pop(0), CoupNotWhole),
        (lambda content: content["events"].pop(2), CoupNotWhole),
        (lambda content: content["events"].insert(1, content["events"][1]), CoupNotWhole),
        (lambda content: content["events"].clear(), BundleMalformed),
        (lambda content: content["profile"]["odds"].update(tie="9/1"), BundleAltered),
        (lambda content: content["profile"].update(last="2007-08-31"), BundleAltered),
        (lambda content: content["profile"].update(id="si-2000-597-7a"), BundleAltered),
        (lambda content: content["profile"].update(note="x"), BundleMalformed),
        (lambda content: content.update(format="baccarat-ledger/coup-bundle/v2"), BundleMalformed),
        (lambda content: content.update(note="all is well"), BundleMalformed),
        (lambda content: content.pop("profile"), BundleMalformed),
        (lambda content: content["events"][0].update(sequence="1"), BundleMalformed),
        (lambda content: content["events"][0].update(sequence=1.0), BundleMalformed),
        (lambda content: content["events"][0].update(sequence=0), BundleMalformed),
        (lambda content: content["events"][0].update(sequence=2**53), BundleMalformed),
        (lambda content: content.update(checkpoint="x"), MalformedInput),
    ],
)
def test_what_somebody_made_of_it_is_refused(
    bundle: bytes, change: Callable[[Content], object], error: type[LedgerError]
) -> None:
    """With a digest that fits, and each with the reason that fits."""
    assert isinstance(refused(changed(bundle, change)), error)


def test_an_event_of_another_coup_is_not_taken_for_one_of_this(night: House) -> None:
    """It is in the tree, its proof is good, and it does not belong here."""
    content = json.loads(bundle_of(night, CORRECTED))
    other = json.loads(bundle_of(night, COUP))
    content["events"][0] = other["events"][0]
    assert isinstance(refused(redone(content)), ProofInvalid)
    content["coup"] = other["coup"]
    assert isinstance(refused(redone(content)), ProofInvalid)


def test_events_in_the_tree_that_are_no_coup_are_refused(small: House) -> None:
    """Every proof holds, and there is no coup."""
    rows = small.ledger.record.select_rows(0, 100)
    for stream in {row.stream for row in rows} - {COUP}:
        whole = put_together(small, small.ledger.record.select_stream(stream))
        assert isinstance(refused(whole), CoupNotWhole)


def told(row: Row, true: str, false: str) -> Row:
    """The event with another word in it."""
    state = row.state.replace(true.encode(), false.encode())
    assert state != row.state
    return row._replace(state=state)


NINTH = "coup/main/T1/S1/9"


@pytest.mark.parametrize(
    ("tell", "why"),
    [
        (lambda rows: [rows[0], rows[1]._replace(version=3), *rows[2:]], "event 3 stands where event 2"),
        (lambda rows: [rows[0], told(rows[1], '"version":2', '"version":3'), *rows[2:]], "says that it is 3"),
        (lambda rows: [rows[0], told(rows[1], COUP, NINTH), *rows[2:]], f"says that it is 2 of {NINTH}"),
        (lambda rows: [told(row._replace(stream=NINTH), COUP, NINTH) for row in rows], f"they open {COUP}"),
        (
            lambda rows: [*rows, told(rows[0], '"version":1', '"version":7')._replace(version=7)],
            "event 7 is coup-opened",
        ),
        (
            lambda rows: [
                told(row, f'"version":{row.version}', f'"version":{row.version - 1}')._replace(
                    version=row.version - 1
                )
                for row in rows[1:]
            ],
            "event 1 is wagers-placed",
        ),
    ],
)
def test_what_a_dishonest_house_sealed_must_still_be_one_coup_from_its_first_event_on(
    small: House, tell: Callable[[list[Row]], list[Row]], why: str
) -> None:
    """The signature is good and every proof holds; an event must stand where it says that it stands."""
    rows = tell(small.ledger.record.select_stream(COUP))
    found = refused(sealed_as(rows))
    assert isinstance(found, CoupNotWhole)
    assert why in str(found)


def test_events_stand_in_the_order_in_which_they_were_recorded(small: House) -> None:
    rows = small.ledger.record.select_stream(COUP)
    assert verify_bundle(sealed_as(rows), [PINNED]).coup == COUP
    found = refused(sealed_as(rows, [2, 1, 3, 4, 5, 6]))
    assert isinstance(found, CoupNotWhole)
    assert "stored before the one that it follows" in str(found)


def test_that_nothing_came_after_its_last_event_it_does_not_show(small: House) -> None:
    """As BUNDLE.md says: a coup's first events prove as much as they are."""
    rows = small.ledger.record.select_stream(COUP)
    assert verify_bundle(put_together(small, rows[:4]), [PINNED]).rows == tuple(rows[:4])


# --- Whose it is ------------------------------------------------------------------------------------------


def test_signed_by_a_key_that_is_not_pinned(bundle: bytes) -> None:
    stranger = key(seed="somebody else's").verifier
    with pytest.raises(KeyNotPinned, match=r"signed by .*test-house\+[0-9a-f]{8}; trusted is"):
        verify_bundle(bundle, [stranger])
    with pytest.raises(other_reader.Refused):
        other_reader.read(bundle, str(stranger))
    with pytest.raises(KeyNotPinned):
        verify_bundle(bundle, [])


def test_a_forger_with_a_tree_and_a_key_of_his_own_is_refused() -> None:
    """All of it made anew, under the house's name."""
    forger = key(seed="forger's")
    with house_in_memory() as house:
        night = Night().opens()
        night.coup(1, "P 9 K / B 7 Q", "player 90000 p-1")
        take(house, night.lines)
        seal(house, forger)
        forged = bundle_of(house, COUP)
    assert verify_bundle(forged, [forger.verifier]).coup == COUP
    assert isinstance(refused(forged), KeyNotPinned)


def test_of_another_ledger_though_the_same_key_signed_it(bundle: bytes) -> None:
    assert verify_bundle(bundle, [PINNED], ORIGIN).coup == COUP
    with pytest.raises(OriginDiffers, match="of baccarat-ledger/test-house, not of baccarat-ledger/annex"):
        verify_bundle(bundle, [PINNED], "baccarat-ledger/annex")


def test_a_signature_by_nobody_known_may_be_there_and_may_not_be_touched() -> None:
    """Of a witness, say. Nobody can check it here, so the digest alone finds a change in it."""
    with house_in_memory() as house:
        night = Night().opens()
        night.coup(1, "P 9 K / B 7 Q", "player 100 p-1")
        take(house, night.lines)
        seal(house, key(), key("witness.example", "witness's"))
        bundle = bundle_of(house, COUP)
    assert verify_bundle(bundle, [PINNED]).signed_by == (PINNED,)
    start = bundle.index(b"witness.example")
    for position in range(start, bundle.index(b'"', start)):
        altered = bytearray(bundle)
        altered[position] ^= 1
        refused(bytes(altered))


def test_the_digest_is_over_the_members_and_not_over_itself(bundle: bytes) -> None:
    content: dict[str, Any] = json.loads(bundle)
    digest = content.pop("digest")
    assert digest == sha256(written(content)).hexdigest()
