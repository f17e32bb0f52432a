"""Signed notes (C2SP signed-note): a text, and under it one line for each signature.

TEXT            one or more lines, each with its newline; what is signed
(empty line)
— NAME BASE64   Base64 of the key's id (4 bytes) and the signature; one line or more
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ledger.errors import KeyNotPinned, NoteMalformed, SignatureInvalid
from ledger.seal.keys import SigningKey, VerifierKey, is_key_name, strict_base64

NOTE_CHARACTERS_MAX = 1_000_000
SIGNATURES_MAX = 100
_DASH = "— "
_ID_BYTES = 4
_SHOWN = 60
"""Characters of a bad line that its error shows."""


@dataclass(frozen=True)
class Signature:
    """A line under a note: who is said to have signed, and the signature. Not checked by being here."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def label(self) -> str:
        """Name and id of the key, for people."""
        return f"{self.name}+{self.key_id.hex()}"

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {b64encode(self.key_id + self.signature).decode()}\n"


@dataclass(frozen=True)
class Note:
    """A text and its signatures. `str` gives the note back, byte for byte."""

    text: str
    signatures: tuple[Signature, ...]

    def __str__(self) -> str:
        return "".join((self.text, "\n", *map(str, self.signatures)))

    def verified_by(self, trusted: Iterable[VerifierKey]) -> tuple[VerifierKey, ...]:
        """The trusted keys that signed, at least one. Signatures of unknown keys are passed over.

        Raises:
            SignatureInvalid: a line names a trusted key, and that key did not sign this text.
            KeyNotPinned: no line names a trusted key.
        """
        pinned = tuple(trusted)
        text = self.text.encode()
        signed: dict[VerifierKey, None] = {}
        for line in self.signatures:
            known = [key for key in pinned if (key.name, key.id) == (line.name, line.key_id)]
            good = [key for key in known if key.verifies(text, line.signature)]
            if known and not good:
                raise SignatureInvalid(line.label)
            signed |= dict.fromkeys(good)
        if not signed:
            signed_by = ", ".join(line.label for line in self.signatures)
            raise KeyNotPinned(signed_by, ", ".join(key.label for key in pinned) or "nobody")
        return tuple(signed)

    def with_signatures(self, more: Iterable[Signature]) -> Note:
        """The note with further signatures of the same text; one that it has already is not added again."""
        return replace(self, signatures=tuple(dict.fromkeys((*self.signatures, *more))))


def sign_note(text: str, *signers: SigningKey) -> Note:
    """The note of this text, signed by each of these keys.

    Raises:
        NoteMalformed: the text does not end in a newline, or has characters in it that a note may not have.
    """
    return parse_note(str(Note(text, tuple(_signed(text, signer) for signer in signers))))


def parse_note(source: str | bytes) -> Note:
    """The note that this says. That it can be read means nothing: see `Note.verified_by`.

    Raises:
        NoteMalformed: it is not a signed note in every character.
    """
    whole = _characters(source)
    text, separator, below = whole.rpartition("\n\n")
    if not separator:
        raise NoteMalformed("it has no empty line between text and signatures")
    if not below.endswith("\n"):
        raise NoteMalformed("it has no signature, or its last line does not end")
    lines = below.removesuffix("\n").split("\n")
    if len(lines) > SIGNATURES_MAX:
        raise NoteMalformed(f"it has more than {SIGNATURES_MAX} signatures")
    return Note(text + "\n", tuple(map(_parse_signature, lines)))


def _characters(source: str | bytes) -> str:
    if len(source) > NOTE_CHARACTERS_MAX:
        raise NoteMalformed(f"it is longer than {NOTE_CHARACTERS_MAX}")
    try:
        text = source.decode() if isinstance(source, bytes) else source
        text.encode()
    except UnicodeError as error:
        raise NoteMalformed("it is not UTF-8") from error
    if any(character < " " and character != "\n" for character in text):
        raise NoteMalformed("it has a control character in it")
    return text


def _parse_signature(line: str) -> Signature:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not is_key_name(name):
        raise NoteMalformed(f"{line[:_SHOWN]!r} is not a line of a signature")
    decoded = strict_base64(encoded)
    if decoded is None or len(decoded) <= _ID_BYTES:
        raise NoteMalformed(f"the signature of {name} is not Base64 of an id and a signature")
    return Signature(name, decoded[:_ID_BYTES], decoded[_ID_BYTES:])


def _signed(text: str, signer: SigningKey) -> Signature:
    try:
        return Signature(signer.name, signer.verifier.id, signer.sign(text.encode()))
    except UnicodeError as error:
        raise NoteMalformed("it is not UTF-8") from error
