"""Signed notes: Go's vectors, live logs, and every changed byte refused."""

from __future__ import annotations

import pytest

from ledger.errors import KeyNotPinned, NoteMalformed, SealError, SignatureInvalid
from ledger.seal.keys import VerifierKey, new_key, parse_signer, parse_verifier
from ledger.seal.note import NOTE_CHARACTERS_MAX, Note, Signature, parse_note, sign_note

from .published import ENOCH, ENOCH_SIGNED, HEADS, PETER, PETER_SECRET, PETER_SIGNED, TEXT, Head

PETER_NOTE = f"{TEXT}\n{PETER_SIGNED}"
BOTH = PETER_NOTE + ENOCH_SIGNED
peter, enoch = parse_verifier(PETER), parse_verifier(ENOCH)


def signers(note: str | bytes, *trusted: VerifierKey) -> list[str]:
    """Whose signatures hold."""
    return [key.name for key in parse_note(note).verified_by(trusted)]


def test_signing_gives_the_published_note_byte_for_byte() -> None:
    assert str(sign_note(TEXT, parse_signer(PETER_SECRET))) == PETER_NOTE


@pytest.mark.parametrize(
    ("trusted", "names"),
    [([peter], ["PeterNeumann"]), ([enoch], ["EnochRoot"]), ([enoch, peter], ["PeterNeumann", "EnochRoot"])],
    ids=["one", "the other", "both"],
)
def test_each_trusted_key_is_verified_and_others_are_passed_over(
    trusted: list[VerifierKey], names: list[str]
) -> None:
    note = parse_note(BOTH)
    assert note.text == TEXT
    assert str(note) == BOTH
    assert signers(BOTH, *trusted) == names


def test_a_note_by_nobody_trusted_is_refused() -> None:
    with pytest.raises(KeyNotPinned) as refusal:
        signers(BOTH)
    assert refusal.value.signed_by == "PeterNeumann+c74f20a3, EnochRoot+af0cfe78"
    assert refusal.value.pinned == "nobody"


@pytest.mark.parametrize("head", HEADS, ids=lambda head: f"{head.origin} {head.size}")
def test_the_heads_of_live_logs_verify(head: Head) -> None:
    key = parse_verifier(head.key)
    assert signers(head.note, key) == signers(head.note.encode(), key) == [key.name]


def test_a_signature_repeated_counts_once() -> None:
    assert signers(PETER_NOTE + PETER_SIGNED, peter) == ["PeterNeumann"]


def test_a_known_key_with_a_bad_signature_refuses_the_note_whoever_else_signed() -> None:
    """C2SP signed-note: reject the whole note if a signature from a known key fails."""
    line = parse_note(PETER_NOTE).signatures[0]
    bad = str(Signature(line.name, line.key_id, bytes(64)))
    for note in (PETER_NOTE + bad, f"{TEXT}\n{bad}{PETER_SIGNED}", f"{TEXT}\n{bad}{ENOCH_SIGNED}"):
        with pytest.raises(SignatureInvalid, match=r"PeterNeumann\+c74f20a3"):
            signers(note, peter, enoch)


@pytest.mark.parametrize("length", [1, 63, 65, 4_000])
def test_a_known_key_with_a_signature_of_another_length_refuses_the_note(length: int) -> None:
    note = f"{TEXT}\n{Signature(peter.name, peter.id, bytes(length))}"
    with pytest.raises(SignatureInvalid):
        signers(note, peter)


def test_a_key_is_known_by_name_and_id_together() -> None:
    """C2SP signed-note: ignore signatures from unknown keys that share a name or an id with a known one."""
    same_name = Signature(peter.name, enoch.id, bytes(64))
    same_id = Signature(enoch.name, peter.id, bytes(64))
    assert signers(f"{TEXT}\n{same_name}{same_id}{PETER_SIGNED}", peter) == ["PeterNeumann"]
    with pytest.raises(KeyNotPinned):
        signers(f"{TEXT}\n{same_name}{same_id}", peter)


def test_another_key_of_the_same_name_is_not_the_one_pinned() -> None:
    house, thief = (new_key("house.example/main", bytes([seed]) * 32) for seed in (1, 2))
    with pytest.raises(KeyNotPinned):
        sign_note(TEXT, thief).verified_by([house.verifier])


def test_any_changed_bit_of_a_note_is_refused() -> None:
    whole = PETER_NOTE.encode()
    for at, byte in enumerate(whole):
        for bit in range(8):
            changed = bytes([*whole[:at], byte ^ 1 << bit, *whole[at + 1 :]])
            with pytest.raises((NoteMalformed, SealError)):
                signers(changed, peter)


def test_any_lost_byte_of_a_note_is_refused() -> None:
    whole = PETER_NOTE.encode()
    for at in range(len(whole)):
        with pytest.raises((NoteMalformed, SealError)):
            signers(whole[:at] + whole[at + 1 :], peter)
        with pytest.raises((NoteMalformed, SealError)):
            signers(whole[:at], peter)


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n\n",
        TEXT,
        TEXT + "\n",
        PETER_NOTE[:-1],
        TEXT + PETER_SIGNED,
        PETER_NOTE + "\n",
        PETER_NOTE + "an unexpected line\n",
        "\x01" + PETER_NOTE,
        "\t" + PETER_NOTE,
        PETER_NOTE.replace("\n", "\r\n"),
        "\ud800" + PETER_NOTE,
        b"\xff" + PETER_NOTE.encode(),
        PETER_NOTE.replace("— ", "- "),
        PETER_NOTE.replace("— ", "—"),
        PETER_NOTE.replace("— ", "—  "),
        PETER_NOTE.replace("PeterNeumann", "Peter Neumann"),
        PETER_NOTE.replace("PeterNeumann", "Peter+Neumann"),
        PETER_NOTE.replace("PeterNeumann", "Peter\u00a0Neumann"),
        PETER_NOTE.replace("PeterNeumann ", " "),
        PETER_NOTE.replace("nAM=", "nAM"),
        PETER_NOTE.replace("nAM=", "nAN="),  # the same bytes to a lax decoder
        PETER_NOTE.replace("nAM=", "nAM=="),
        PETER_NOTE.replace("x08go/", "x08go_"),
        f"{TEXT}\n— PeterNeumann x08gow==\n",  # an id and no signature
        f"{TEXT}\n— PeterNeumann\n",
        f"{TEXT}\n{PETER_SIGNED * 101}",
        "a" * NOTE_CHARACTERS_MAX + PETER_NOTE,
    ],
)
def test_what_is_no_signed_note_is_refused(note: str | bytes) -> None:
    with pytest.raises(NoteMalformed):
        parse_note(note)


@pytest.mark.parametrize("count", [16, 100])
def test_many_signatures_are_accepted(count: int) -> None:
    """C2SP signed-note: at least up to 16."""
    others = [new_key(f"witness.example/{number}", bytes([number]) * 32) for number in range(count - 1)]
    note = sign_note(TEXT, *others, parse_signer(PETER_SECRET))
    assert signers(str(note), peter) == ["PeterNeumann"]


@pytest.mark.parametrize(
    "text", ["a line\n\nafter an empty one\n", "ends with an empty line\n\n", "è subito\n"]
)
def test_texts_of_any_lines_are_signed_and_read_back(text: str) -> None:
    note = parse_note(str(sign_note(text, parse_signer(PETER_SECRET))))
    assert note.text == text
    assert note.verified_by([peter]) == (peter,)


@pytest.mark.parametrize("text", ["", "no newline", "a\tb\n", "\ud800\n"])
def test_a_text_that_no_note_can_have_is_not_signed(text: str) -> None:
    with pytest.raises(NoteMalformed):
        sign_note(text, parse_signer(PETER_SECRET))


def test_a_note_needs_a_signature() -> None:
    with pytest.raises(NoteMalformed):
        sign_note(TEXT)


def test_signatures_gather_on_a_note_each_once() -> None:
    one = parse_note(PETER_NOTE)
    both = one.with_signatures(parse_note(f"{TEXT}\n{ENOCH_SIGNED}{PETER_SIGNED}").signatures)
    assert str(both) == BOTH
    assert both == Note(TEXT, (*one.signatures, both.signatures[1]))
