"""Keys of signed notes, by the vectors of Go's note package."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest

from ledger.errors import KeyMalformed
from ledger.seal.keys import SigningKey, VerifierKey, new_key, parse_signer, parse_verifier

from .published import ENOCH, PETER, PETER_SECRET, REKOR, SUMDB, UNKNOWN_ALGORITHM, WRONG_LENGTH

SEED = bytes(range(32))
Parse = Callable[[str], VerifierKey | SigningKey]


@pytest.mark.parametrize("text", [PETER, ENOCH, SUMDB, REKOR])
def test_published_keys_are_read_and_written_back(text: str) -> None:
    key = parse_verifier(text)
    name, id_, _ = text.split("+", 2)
    assert (key.name, key.id.hex(), str(key)) == (name, id_, text)


def test_a_published_secret_key_has_the_public_key_published_with_it() -> None:
    signer = parse_signer(PETER_SECRET)
    assert str(signer.verifier) == PETER
    assert str(signer) == PETER_SECRET


def test_a_keys_id_is_made_of_its_name_and_its_bytes() -> None:
    """C2SP signed-note: SHA-256(name || 0x0A || 0x01 || public key)[:4]."""
    key = new_key("house.example/main", SEED).verifier
    assert key.id == sha256(b"house.example/main\n\x01" + key.public_key).digest()[:4]


@pytest.mark.parametrize(("parse", "text"), [(parse_verifier, PETER), (parse_signer, PETER_SECRET)])
def test_no_part_of_a_key_passes_for_a_key(parse: Parse, text: str) -> None:
    for start in range(len(text) + 1):
        for stop in range(start, len(text) + 1):
            if stop - start < len(text):
                with pytest.raises(KeyMalformed):
                    parse(text[start:stop])


@pytest.mark.parametrize(("parse", "text"), [(parse_verifier, PETER), (parse_signer, PETER_SECRET)])
def test_no_key_with_a_changed_character_passes(parse: Parse, text: str) -> None:
    for at, character in enumerate(text):
        for other in {chr(ord(character) + 1), character.swapcase(), " ", "é", "\ud800"} - {character}:
            with pytest.raises(KeyMalformed):
                parse(text[:at] + other + text[at + 1 :])


@pytest.mark.parametrize("text", [WRONG_LENGTH, UNKNOWN_ALGORITHM, "", "+", "++", PETER + "\n", " " + PETER])
def test_what_is_no_ed25519_key_is_refused(text: str) -> None:
    with pytest.raises(KeyMalformed):
        parse_verifier(text)


@pytest.mark.parametrize(
    "name", ["", "a b", "a+b", "a\nb", "a\tb", "a\x00b", "a\u00a0b", "a\u2003b", "a\u3000b", "\ud800"]
)
def test_a_name_with_a_space_or_a_plus_makes_no_key(name: str) -> None:
    with pytest.raises(KeyMalformed):
        new_key(name, SEED)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_key_takes_32_random_bytes(length: int) -> None:
    with pytest.raises(KeyMalformed, match=f"{length} bytes"):
        new_key("house.example/main", bytes(length))


def test_a_secret_key_is_told_from_a_public_one_and_not_shown() -> None:
    with pytest.raises(KeyMalformed, match="it is a secret key") as refusal:
        parse_verifier(PETER_SECRET)
    assert PETER_SECRET.rsplit("+", 1)[1] not in str(refusal.value)


def test_a_secret_key_does_not_show_itself_by_accident() -> None:
    signer = new_key("house.example/main", SEED)
    secret = str(signer).rsplit("+", 1)[1]
    assert secret not in repr(signer)
    assert repr(SEED) not in repr(signer)
    with pytest.raises(KeyMalformed) as refusal:
        parse_signer(str(signer).replace("main", "mail"))
    assert secret not in str(refusal.value)
    assert secret not in repr(refusal.value.facts())
