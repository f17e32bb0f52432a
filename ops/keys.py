"""Key files: the one place that reads chance for a key, and key files.

A secret key is one line in a file of its own that only its owner may read. Whoever has it can sign for the
ledger: keep it off the machine that the ledger is on where you can, and send checkpoints elsewhere anyway.
"""

from __future__ import annotations

import os
from pathlib import Path

from ledger.errors import KeyFileUnusable
from ledger.seal.keys import KEY_BYTES, SigningKey, VerifierKey, new_key, parse_signer, parse_verifier

OWNER_ONLY = 0o600
_OTHERS = 0o077
_KEY_FILE_BYTES_MAX = 4_096
NOTE_FILE_BYTES_MAX = 1_000_000


def make_key(name: str, path: Path) -> SigningKey:
    """A new key from the system's own randomness, in a new file.

    Raises:
        KeyMalformed: no key can have this name.
        KeyFileUnusable: there is such a file already (it is never written over), or it cannot be made.
    """
    key = new_key(name, os.urandom(KEY_BYTES))
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError as error:
        raise KeyFileUnusable(str(path), "is there already; a key is never written over") from error
    except OSError as error:
        raise KeyFileUnusable(str(path), _why(error)) from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{key}\n")
        file.flush()
        os.fsync(file.fileno())
    return key


def read_signer(path: Path) -> SigningKey:
    """The secret key in this file.

    Raises:
        KeyFileUnusable: it cannot be read, or others than its owner may read it.
        KeyMalformed: it holds no secret key. The error never holds what the file holds.
    """
    text = read_text(path, _KEY_FILE_BYTES_MAX)
    if path.stat().st_mode & _OTHERS:
        raise KeyFileUnusable(str(path), "others than its owner may read or write it (chmod 600)")
    return parse_signer(text.strip())


def read_verifier(text: str) -> VerifierKey:
    """The public key that this text says, or the file of this name.

    Raises:
        KeyFileUnusable: there is such a file, and it cannot be read.
        KeyMalformed: neither is a public key.
    """
    path = Path(text)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):  # too long for a name, or with a zero byte in it
        is_file = False
    return parse_verifier(read_text(path, _KEY_FILE_BYTES_MAX).strip() if is_file else text.strip())


def read_text(path: Path, bytes_max: int) -> str:
    """A small text file. Raises: KeyFileUnusable."""
    try:
        with path.open("rb") as file:
            raw = file.read(bytes_max + 1)
    except (OSError, ValueError) as error:
        raise KeyFileUnusable(str(path), _why(error)) from error
    if len(raw) > bytes_max:
        raise KeyFileUnusable(str(path), f"it has more than {bytes_max} bytes")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise KeyFileUnusable(str(path), "it is no UTF-8 text") from error


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
