"""`keys`, `seal` and `verify`: the proof that the record was not altered."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from getpass import getuser
from pathlib import Path
from socket import gethostname
from typing import Annotated, NamedTuple
from uuid import uuid4

import structlog
import typer
from rich.console import Console
from rich.table import Table

from ledger.seal.checkpoint import Checkpoint, open_checkpoint, origin_of, parse_checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.identity import ensure_ledger_id
from ledger.seal.keys import SigningKey, VerifierKey
from ledger.seal.note import Note, parse_note
from ledger.seal.sealer import Sealer
from ledger.verify.sealed import exists
from ops import verification
from ops.cli.checkpoint import note_as_json
from ops.cli.options import Json
from ops.cli.screen import Exit, err, out, print_json, progress_bar
from ops.findings import Verified
from ops.keys import NOTE_FILE_BYTES_MAX, make_key, read_signer, read_text, read_verifier
from ops.settings import Db
from ops.verify_results import keep_result
from ops.wiring import House, open_house, utc_now

log = structlog.get_logger()

Keys = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="KEY", help="A public key to trust, or a file of one. Repeatable."),
]


def keys_new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose key it is; no space, no plus.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A new file.")],
) -> None:
    """Make a secret key in a new file, and print its public key."""
    key = make_key(name, output)
    log.info("key made", key=key.verifier.label)
    err().print(f"{output}: the secret key; whoever has it can sign. The public key, to publish:")
    sys.stdout.write(f"{key.verifier}\n")


def keys_public(file: Annotated[Path, typer.Argument(metavar="FILE", help="A secret key's file.")]) -> None:
    """Print the public key of a secret key."""
    sys.stdout.write(f"{read_signer(file).verifier}\n")


def seal(
    db: Db,
    key_files: Annotated[
        list[Path],
        typer.Option("--key-file", metavar="FILE", help="The secret key to sign with. Repeatable."),
    ],
    *,
    trusted: Keys = None,
    as_json: Json = False,
) -> None:
    """Seal what is new in the record, and sign a checkpoint of it. With nothing new, nothing happens.

    The last checkpoint must be signed by one of these keys; when a key is retired, sign with both once, or
    name the old public key with --key.
    """
    signers = [read_signer(path) for path in key_files]
    pinned = [*(signer.verifier for signer in signers), *map(read_verifier, trusted or ())]
    with open_house(db) as house:
        note, size, before, done = seal_and_sign(house, signers, pinned)
    log.info("sealed", origin=parse_checkpoint(note.text).origin, size=size, new=size - before)
    if as_json:
        print_json({"sealed": size, "new": size - before, "signed": not done, **note_as_json(note)})
    elif done:
        out().print(f"{db}: nothing new; {size:,} events are sealed and signed for")
    else:
        names = ", ".join(signer.verifier.label for signer in signers)
        new = f"{size - before:,} events sealed, {size:,} in all"
        out().print(f"{db}: {new}; checkpoint signed by {names}", soft_wrap=True)


class Sealed(NamedTuple):
    """What came of sealing.

    Attributes:
        note: the checkpoint.
        size, before: how many events are sealed now, and were before.
        done: there was nothing to sign.
    """

    note: Note
    size: int
    before: int
    done: bool


def seal_and_sign(house: House, signers: Sequence[SigningKey], pinned: Sequence[VerifierKey]) -> Sealed:
    """Seal what is new, and sign a checkpoint of it unless these keys have. `pinned` has theirs too."""
    origin = origin_of(ensure_ledger_id(house.tables, str(uuid4())))
    checkpoints, size, before = _seal(house, origin, pinned)
    last = checkpoints.last()
    done = last is not None and _is_signed(last, size, signers, pinned)
    return Sealed(last if last is not None and done else checkpoints.sign(*signers), size, before, done)


def _seal(house: House, origin: str, pinned: Sequence[VerifierKey]) -> tuple[Checkpoints, int, int]:
    """Seal what is new. Returns the checkpoints, and how many events are and were sealed."""
    checkpoints = Checkpoints(house.tables, origin, pinned)
    if exists(house.tables, "seal_checkpoints") and (last := checkpoints.last()) is not None:
        open_checkpoint(last, origin, pinned)  # by a key that is not ours: then nothing is touched
    sealer = Sealer(house.ledger.record, house.tables)
    before: list[int] = []
    with progress_bar("sealing") as (bar, task):

        def progress(size: int, goal: int) -> None:
            bar.update(task, total=goal, completed=size, note=f"{size:,} events")

        before.append(_sealed(house))
        size = sealer.catch_up(progress)
    return checkpoints, size, before[0]


def _sealed(house: House) -> int:
    if not exists(house.tables, "seal_size"):
        return 0
    with house.tables.snapshot() as statements:
        rows = statements.execute("SELECT size FROM seal_size WHERE id = 1")
    return int(rows[0][0]) if rows else 0


def _is_signed(note: Note, size: int, signers: Sequence[SigningKey], pinned: Sequence[VerifierKey]) -> bool:
    """Is this, which a pinned key has signed, the checkpoint of this size, and every signer's?"""
    if parse_checkpoint(note.text).size != size:
        return False
    verified = note.verified_by(pinned)
    return all(signer.verifier in verified for signer in signers)


def verify(
    db: Db,
    *,
    trusted: Keys = None,
    kept: Annotated[
        Path | None,
        typer.Option("--checkpoint", metavar="FILE", help="A checkpoint kept elsewhere; it must still hold."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep-result", help="Keep the result beside the ledger, for the console.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check the whole ledger: record, commands, folds, seal, signatures, read tables, the file itself."""
    pinned = [read_verifier(text) for text in trusted or ()]
    elsewhere = _read_checkpoint(kept, pinned) if kept is not None else None
    with ExitStack() as stack:

        def begin() -> verification.Progress:
            bar, task = stack.enter_context(progress_bar("verifying"))
            return lambda done, goal: bar.update(task, total=goal, completed=done, note=f"{done:,} events")

        verified = verification.verify(db, pinned, elsewhere, begin)
    _add_notes(verified, pinned, elsewhere)
    if keep:
        with open_house(db) as house:
            ran_by = f"{getuser()} at {gethostname()}"
            keep_result(house.tables, verified, elsewhere, ran_by, utc_now())
    log.info("verified", events=verified.events, findings=len(verified.findings))
    if as_json:
        print_json(verified.as_json())
    else:
        print_verified(out(), db, verified)
    if verified.findings:
        raise typer.Exit(Exit.FINDINGS)


def _read_checkpoint(path: Path, pinned: Sequence[VerifierKey]) -> Checkpoint:
    note = parse_note(read_text(path, NOTE_FILE_BYTES_MAX))
    if pinned:
        note.verified_by(pinned)
    return parse_checkpoint(note.text)


def _add_notes(verified: Verified, pinned: Sequence[VerifierKey], elsewhere: Checkpoint | None) -> None:
    """What the result does not say."""
    signed = verified.signed
    if signed is None:
        verified.note("there is no seal: that the record was not altered is not shown")
    elif not pinned:
        verified.note("signatures were not checked: name the ledger's public keys with --key")
    behind = verified.events - (signed.size if signed else 0)
    if signed is not None and behind > 0:
        verified.note(f"the last {behind:,} events are in no checkpoint yet")
    if elsewhere is None:
        verified.note(
            "only a checkpoint kept elsewhere (--checkpoint) shows that seal and key are the old ones"
        )
    for name, position in verified.read_tables.items():
        if position is None:
            verified.note(f"{name} has never been built, so there is nothing to compare")
        elif position < verified.events:
            verified.note(f"{name} stands at {position:,} of {verified.events:,} events, and is right so far")


def print_verified(console: Console, db: str, verified: Verified) -> None:
    """The result for people: what was checked, what is wrong, what is not said."""
    signed = verified.signed
    console.print(f"{db}: {_verdict(verified)}", style="red" if verified.findings else "bold", soft_wrap=True)
    table = Table(show_header=False)
    table.add_row("events", f"{verified.events:,}")
    table.add_row("sealed", f"{verified.sealed:,}")
    if signed is not None:
        how = f"signed by {', '.join(verified.keys)}" if signed.signatures else "signatures not checked"
        table.add_row("checkpoints", f"{signed.checkpoints:,} hold, up to event {signed.size:,}; {how}")
    for name, position in verified.read_tables.items():
        table.add_row(name, "never built" if position is None else f"at event {position:,}")
    console.print(table)
    for finding in verified.findings:
        console.print(f"{finding.code}: {finding}", style="red", soft_wrap=True)
    for note in verified.notes:
        console.print(f"Note: {note}", style="dim", soft_wrap=True)


def _verdict(verified: Verified) -> str:
    if not verified.findings:
        return "nothing found"
    where = f", the first at event {verified.first_bad:,}" if verified.first_bad is not None else ""
    return f"findings: {len(verified.findings)}{where}"
