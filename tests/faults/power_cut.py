"""What a disk may hold when its power fails: made from the journal of the changes that were asked of it.

What a sync has saved is there. Of every later change nobody knows: it is there, or not, or some of its
sectors are, whatever came before or after it. Names (a file made, renamed, removed) are kept in their order,
as file systems with a journal do: all up to the last sync of the folder or of a file in it, and then some.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

SECTOR_BYTES = 512
"""A disk writes a sector wholly or not at all."""
_HEADER = struct.Struct("=IIQQQII")
_MAGIC = 0x46415553
WRITE, ZEROS, RESIZE, SYNC_BEGINS, SYNC_ENDS, CREATE, RENAME, UNLINK, MKDIR, LINK = range(1, 11)
_CONTENT = (WRITE, ZEROS, RESIZE)
_NAMES = (CREATE, RENAME, UNLINK, MKDIR, LINK)


class Change(NamedTuple):
    """A line of the journal. `file` is one file for as long as it lives, whatever it is called."""

    op: int
    file: int
    offset: int
    length: int
    path: str
    other: str
    data: bytes


def _read(journal: Path) -> Iterator[Change]:
    """The journal's whole lines, with inode numbers for files."""
    content = memoryview(journal.read_bytes())
    at = 0
    while at + _HEADER.size <= len(content):
        magic, op, inode, offset, length, path, other = _HEADER.unpack_from(content, at)
        assert magic == _MAGIC, "the journal is not whole"
        at += _HEADER.size
        names = bytes(content[at : at + path + other]).decode()
        at += path + other
        size = length if op == WRITE else 0
        yield Change(op, inode, offset, length, names[:path], names[path:], bytes(content[at : at + size]))
        at += size


@dataclass
class Recording:
    """A folder as it was when the journal began, and the journal."""

    root: Path
    """Where the folder was."""
    base: Path
    """A copy of it."""
    inodes: dict[int, str]
    """The files that were in it, by inode: their names below the root."""
    changes: list[Change] = field(default_factory=list)

    @classmethod
    def begin(cls, root: Path, base: Path) -> Recording:
        """Copy the folder, in which nothing must be going on."""
        shutil.copytree(root, base)
        inodes = {
            entry.stat().st_ino: str(entry.relative_to(root)) for entry in root.rglob("*") if entry.is_file()
        }
        return cls(root, base, inodes)

    def read(self, journal: Path) -> None:
        """Read the journal. An inode that is used again is another file."""
        alive = {inode: inode for inode in self.inodes}
        links = {path: inode for inode, path in self.inodes.items()}
        for change in _read(journal):
            path = self._below(change.path)
            if change.op == CREATE and links.get(path) != change.file:
                if change.file not in links.values():
                    alive[change.file] = -1 - len(self.changes)
                links[path] = change.file
            elif change.op == RENAME:
                if path in links:
                    links[self._below(change.other)] = links.pop(path)
            elif change.op == UNLINK:
                links.pop(path, None)
            elif change.op == LINK:
                links[self._below(change.other)] = links.get(path, 0)
            file = alive.setdefault(change.file, change.file)
            self.changes.append(
                change._replace(file=file, path=path, other=self._below(change.other) if change.other else "")
            )

    def _below(self, path: str) -> str:
        return os.path.relpath(path.removesuffix(" (deleted)"), self.root)

    def seen(self, name: str, upto: int) -> bytes:
        """What a file said after so many changes: for one that somebody was reading all along."""
        content = bytearray((self.base / name).read_bytes()) if (self.base / name).exists() else bytearray()
        for change in self.changes[:upto]:
            if change.path == name and change.op in _CONTENT:
                _apply(content, change)
        return bytes(content)

    def cut(self, upto: int, rng: random.Random, into: Path) -> None:
        """Make the folder as its disk may hold it when the power fails after so many changes."""
        saved, saved_folders = self._saved(upto)
        keeps = rng.choice((0.0, 1.0, 0.5, rng.random()))
        """How likely a change is on the disk that nobody synced."""
        contents = self._contents(upto, saved, keeps, rng)
        shutil.copytree(self.base, into, dirs_exist_ok=True)
        for file, path in self._names(upto, saved, saved_folders, rng, into).items():
            target = into / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents.get(file, b"") if file in contents else self._begun(file))

    def _saved(self, upto: int) -> tuple[dict[int, int], dict[str, int]]:
        """Up to which change each file and each folder was saved by a sync that had ended."""
        begun: dict[int, list[int]] = defaultdict(list)
        saved: dict[int, int] = {}
        folders: dict[str, int] = {}
        for number, change in enumerate(self.changes[:upto]):
            if change.op == SYNC_BEGINS:
                begun[change.file].append(number)
            elif change.op == SYNC_ENDS and begun[change.file]:
                since = begun[change.file].pop(0)  # of several at once it may be any; take the first
                saved[change.file] = max(since, saved.get(change.file, 0))
                folders[change.path] = max(since, folders.get(change.path, 0))
        return saved, folders

    def _begun(self, file: int) -> bytes:
        name = self.inodes.get(file)
        return (self.base / name).read_bytes() if name is not None else b""

    def _contents(
        self, upto: int, saved: dict[int, int], keeps: float, rng: random.Random
    ) -> dict[int, bytearray]:
        contents: dict[int, bytearray] = {}
        for number, change in enumerate(self.changes[:upto]):
            if change.op not in _CONTENT:
                continue
            if change.file not in contents:
                contents[change.file] = bytearray(self._begun(change.file))
            if number < saved.get(change.file, 0):
                _apply(contents[change.file], change)
            elif rng.random() < keeps:
                for part in _torn(change, rng):
                    _apply(contents[change.file], part)
        return contents

    def _names(
        self, upto: int, saved: dict[int, int], folders: dict[str, int], rng: random.Random, into: Path
    ) -> dict[int, str]:
        """The files there are, by what they are called; others are taken out of the folder."""
        sure = dict(folders)
        for number, change in enumerate(self.changes[:upto]):
            if change.op == CREATE and saved.get(change.file, 0) > number:
                folder = str(Path(change.path).parent)
                sure[folder] = max(sure.get(folder, 0), number + 1)
        there = {path: inode for inode, path in self.inodes.items()}
        more: dict[str, int] = {}
        """How many names of each folder, beyond those that are sure, got to the disk."""
        for number, change in enumerate(self.changes[:upto]):
            if change.op not in _NAMES:
                continue
            folder = str(Path(change.other or change.path).parent)
            if number >= sure.get(folder, 0):
                left = more.setdefault(folder, rng.choice((0, rng.randrange(20), upto)))
                more[folder] = left - 1
                if left <= 0:
                    continue
            _name(there, change, into)
        for path in set(self.inodes.values()) - set(there):
            (into / path).unlink(missing_ok=True)
        return {file: path for path, file in there.items()}


def _name(there: dict[str, int], change: Change, into: Path) -> None:
    if change.op == CREATE:
        there[change.path] = change.file
    elif change.op == UNLINK:
        there.pop(change.path, None)
    elif change.op == MKDIR:
        (into / change.path).mkdir(parents=True, exist_ok=True)
    elif change.path in there:
        there[change.other] = there.pop(change.path) if change.op == RENAME else there[change.path]


def _apply(content: bytearray, change: Change) -> None:
    if change.op == RESIZE:
        if change.offset <= len(content):
            del content[change.offset :]
        else:
            content.extend(bytes(change.offset - len(content)))
        return
    end = change.offset + change.length
    if end > len(content):
        content.extend(bytes(end - len(content)))
    content[change.offset : end] = change.data if change.op == WRITE else bytes(change.length)


def _torn(change: Change, rng: random.Random) -> Iterator[Change]:
    """All of a change, or some of its sectors."""
    if change.op != WRITE or rng.random() < 0.5:
        yield change
        return
    end = change.offset + change.length
    at = change.offset
    while at < end:
        stop = min(end, (at // SECTOR_BYTES + 1) * SECTOR_BYTES)
        if rng.random() < 0.5:
            data = change.data[at - change.offset : stop - change.offset]
            yield change._replace(offset=at, length=stop - at, data=data)
        at = stop
