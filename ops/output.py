"""Writing a file that somebody asked for: whole or not at all, and never over a ledger."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from ledger.errors import NotWrittenOver

_SQLITE = b"SQLite format 3\x00"
_BESIDE = ("", "-wal", "-shm", "-journal")
"""What the database keeps beside its file."""


def write_output(path: Path, content: bytes, db: str) -> None:
    """Write a file at once; see `open_output`."""
    with open_output(path, db) as file:
        file.write(content)


@contextmanager
def open_output(path: Path, db: str) -> Iterator[BinaryIO]:
    """A file to write beside its place; it is put there at the end, unless something is raised.

    What stood there is replaced, or is as it was.

    Args:
        path: where to.
        db: the ledger that the content comes from.

    Raises:
        NotWrittenOver: it is that ledger's own file, or any database.
        OSError: it cannot be written.
    """
    target = path.resolve()  # a link stays a link
    _check_no_ledger(path, target, db)
    if target.exists() and not target.is_file():  # a pipe, a terminal; a folder says that it is one
        with target.open("wb") as file:
            yield file
        return
    beside = target.with_name(f".{target.name[:200]}.{token_hex(4)}")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    except OSError as error:
        # the name that was asked for says more than none, or that of the file beside it
        if error.filename is None or str(error.filename) == str(beside):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _check_no_ledger(path: Path, target: Path, db: str) -> None:
    for ledger in {Path(db).absolute(), Path(db).resolve()}:
        for ending in _BESIDE:
            own = ledger.with_name(ledger.name + ending)
            if target == own.resolve() or (target.exists() and own.exists() and target.samefile(own)):
                raise NotWrittenOver(str(path), "it is the ledger's own file")
    if target.is_file():
        with target.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE:
                raise NotWrittenOver(str(path), "there is a database in it")
