"""Why a key is not issued or revoked. Recorded, as every refusal is."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.errors.refusals import Refusal


@dataclass(eq=False)
class KeyNameUsed(Refusal):
    key: str
    code = "key-name-used"
    template = "key {key} was issued before; a key's name is used once"


@dataclass(eq=False)
class NoSuchKey(Refusal):
    key: str
    code = "no-such-key"
    template = "no key {key} was issued at these premises"


@dataclass(eq=False)
class KeyRevokedAlready(Refusal):
    key: str
    code = "key-revoked-already"
    template = "key {key} is revoked already"
