"""Keys of signed notes (C2SP signed-note, Ed25519 only), and their texts.

    public    NAME+ID+BASE64                 ID: 8 hexadecimal digits; BASE64 of one byte 0x01 and the key
    secret    PRIVATE+KEY+NAME+ID+BASE64     BASE64 of one byte 0x01 and the 32 bytes of the seed

A key's id is the first four bytes of SHA-256(name || 0x0A || 0x01 || public key). It tells keys apart and
secures nothing: trust lies in the public key that the verifier was given beforehand.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ledger.errors import KeyMalformed

KEY_BYTES = 32
_ED25519 = b"\x01"
_ID = re.compile(r"[0-9a-f]{8}")
_SECRET = "PRIVATE+KEY+"  # noqa: S105 the words that mark one


@dataclass(frozen=True)
class VerifierKey:
    """The public half: whoever has it can check signatures.

    Attributes:
        name: by convention the origin of the ledger; no space and no plus in it.
        public_key: 32 bytes, as RFC 8032 encodes them.
    """

    name: str
    public_key: bytes

    def __post_init__(self) -> None:
        if not is_key_name(self.name):
            raise KeyMalformed("its name is empty, or has a space, a plus or a control character in it")
        if len(self.public_key) != KEY_BYTES:
            raise KeyMalformed(f"it has {len(self.public_key)} bytes, not {KEY_BYTES}")

    @cached_property
    def id(self) -> bytes:
        """Four bytes that, with the name, tell which key signed."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.public_key).digest()[:4]

    @property
    def label(self) -> str:
        """Name and id, for people."""
        return f"{self.name}+{self.id.hex()}"

    def verifies(self, text: bytes, signature: bytes) -> bool:
        """Is this the key's signature of this text?"""
        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(signature, text)
        except (InvalidSignature, ValueError):  # ValueError: the signature's length, where OpenSSL minds
            return False
        return True

    def __str__(self) -> str:
        return f"{self.label}+{_base64(_ED25519 + self.public_key)}"


@dataclass(frozen=True)
class SigningKey:
    """The secret half. Its `str` is the secret in full, for the key file; its `repr` does not show it."""

    name: str
    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.seed) != KEY_BYTES:
            raise KeyMalformed(f"its seed has {len(self.seed)} bytes, not {KEY_BYTES}")
        _ = self.verifier  # checks the name

    @cached_property
    def verifier(self) -> VerifierKey:
        """The public half."""
        return VerifierKey(self.name, self._private().public_key().public_bytes_raw())

    def sign(self, text: bytes) -> bytes:
        """64 bytes. The same text gives the same signature (RFC 8032)."""
        return self._private().sign(text)

    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    def __str__(self) -> str:
        return f"{_SECRET}{self.verifier.label}+{_base64(_ED25519 + self.seed)}"


def new_key(name: str, seed: bytes) -> SigningKey:
    """A signing key from 32 random bytes. Chance is the caller's: this room has none.

    Raises:
        KeyMalformed: the name or the number of bytes will not do.
    """
    return SigningKey(name, seed)


def parse_verifier(text: str) -> VerifierKey:
    """The public key that this text says.

    Raises:
        KeyMalformed: it is none, or its id is not that of the key.
    """
    if text.startswith(_SECRET):
        raise KeyMalformed("it is a secret key, where the public one belongs (`keys public` prints it)")
    name, id_, key = _parts(text)
    verifier = VerifierKey(name, key)
    if verifier.id != id_:
        raise KeyMalformed(f"its id should be {verifier.id.hex()}")
    return verifier


def parse_signer(text: str) -> SigningKey:
    """The secret key that this text says. Raises as `parse_verifier` does; the error never holds the text."""
    if not text.startswith(_SECRET):
        raise KeyMalformed(f"a secret key begins with {_SECRET}")
    name, id_, seed = _parts(text.removeprefix(_SECRET))
    signer = SigningKey(name, seed)
    if signer.verifier.id != id_:
        raise KeyMalformed("its id does not belong to it")
    return signer


def is_key_name(name: str) -> bool:
    """May a key (or an origin that keys are named after) be called this?"""
    return bool(name) and not any(
        character <= " " or character == "+" or character.isspace() or "\ud800" <= character <= "\udfff"
        for character in name
    )


def strict_base64(text: str) -> bytes | None:
    """The bytes of standard Base64 in its one canonical form; None for anything else.

    A lax decoder takes several texts for the same bytes, so that a changed character might go unnoticed.
    """
    try:
        decoded = b64decode(text, validate=True)
    except ValueError:
        return None
    return decoded if _base64(decoded) == text else None


def _parts(text: str) -> tuple[str, bytes, bytes]:
    name, _, rest = text.partition("+")
    id_, _, encoded = rest.partition("+")
    if not _ID.fullmatch(id_):
        raise KeyMalformed(
            "it needs a name, an id of 8 hexadecimal digits and a key, with a plus between them"
        )
    key = strict_base64(encoded)
    if key is None:
        raise KeyMalformed("its last part is not Base64")
    if key[:1] != _ED25519:
        raise KeyMalformed("it is not an Ed25519 key")
    return name, bytes.fromhex(id_), key[1:]


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode()
