"""`checkpoint`: the head of the seal, and the proof that it goes on from one that was kept elsewhere."""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from ledger.errors import LedgerError, NoCheckpoint, ProofInvalid, RootDiffers, SealDamaged
from ledger.seal.checkpoint import Checkpoint, parse_checkpoint
from ledger.seal.checkpoints import Checkpoints
from ledger.seal.extension import EXTENSION_BYTES_MAX, Extension, prove_extension, verify_extension
from ledger.seal.keys import VerifierKey
from ledger.seal.note import Note, parse_note
from ledger.seal.tiles import SealedTree
from ledger.verify.sealed import exists, origin
from ops.cli.options import Json
from ops.cli.screen import Exit, err, out, print_json
from ops.keys import NOTE_FILE_BYTES_MAX, read_text, read_verifier
from ops.output import write_output
from ops.settings import DB_VARIABLE
from ops.tape.sources import open_source
from ops.wiring import House, open_house

STANDARD_OUTPUT = Path("-")

_DOES_NOT_GO_ON = (ProofInvalid, RootDiffers, SealDamaged)
"""What tells of a record or a seal that was altered. All else is said of what was given."""


class Answer(NamedTuple):
    """What was found: for programs, in a sentence, and as a file where one was asked for."""

    json: dict[str, Any]
    said: str
    file: bytes | None = None


def checkpoint(
    *,
    db: Annotated[
        str | None,
        typer.Option("--db", envvar=DB_VARIABLE, metavar="PATH", help="The ledger. Not for --check."),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A checkpoint kept elsewhere: prove that the last goes on from it."
        ),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Check such a proof, without a ledger; - reads standard input."),
    ] = None,
    trusted: Annotated[
        list[str] | None,
        typer.Option("--key", metavar="KEY", help="A public key to trust, or a file of one. Repeatable."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it there, not here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the last checkpoint, to publish or to keep elsewhere; or prove that it goes on from an older one.

    The proof is one file, with both checkpoints in it. Whoever holds the older one checks it with the
    ledger's public key alone: --check PROOF --since CHECKPOINT --key KEY.
    """
    _check_usage(db, since, check, trusted, output)
    if output == STANDARD_OUTPUT:
        output = None
    try:
        pinned = [read_verifier(text) for text in trusted or ()]
        kept = parse_note(read_text(since, NOTE_FILE_BYTES_MAX)) if since is not None else None
        answer = _checked(check, kept, pinned) if check is not None else _asked(str(db), kept, pinned)
        if output is not None and answer.file is not None:
            write_output(output, answer.file, str(db))
    except (LedgerError, OSError) as error:
        _leave(error, as_json=as_json)
    else:
        _print(answer, output, as_json=as_json)


def _check_usage(
    db: str | None, since: Path | None, check: str | None, trusted: Sequence[str] | None, output: Path | None
) -> None:
    """Raises: typer.BadParameter."""
    wrong = (
        (check is None and not db, "--db", "name the ledger"),
        (check is not None and output is not None, "--output", "a proof that is checked is not written"),
        (output is not None and _is_same(output, since), "--output", "that is the checkpoint that is held"),
        (not trusted and bool(since or check), "--key", "name the ledger's public keys"),
    )
    for is_wrong, option, what in wrong:
        if is_wrong:
            raise typer.BadParameter(what, param_hint=option)


def _is_same(output: Path, since: Path | None) -> bool:
    return since is not None and output.resolve() == since.resolve()


def _asked(db: str, kept: Note | None, pinned: Sequence[VerifierKey]) -> Answer:
    """The last checkpoint of a ledger, or the proof that it goes on from the one that was kept."""
    with open_house(db) as house:
        last = _last(house)
        if pinned:
            last.verified_by(pinned)
        if kept is None:
            found = note_as_json(last)
            return Answer(found, f"the last checkpoint, of {found['size']:,} events", str(last).encode())
        with SealedTree(house.tables).view() as view:
            shown, file = prove_extension(kept, last, origin(house.tables), pinned, view)
    return Answer(_as_json(shown), _told(shown), file)


def _last(house: House) -> Note:
    last = Checkpoints(house.tables, "", ()).last() if exists(house.tables, "seal_checkpoints") else None
    if last is None:
        raise NoCheckpoint
    return last


def _checked(file: str, kept: Note | None, pinned: Sequence[VerifierKey]) -> Answer:
    """What a proof shows to somebody without the ledger."""
    with open_source(file) as source:
        content = source.stream.read(EXTENSION_BYTES_MAX + 1)
    held = None
    if kept is not None:
        kept.verified_by(pinned)
        held = parse_checkpoint(kept.text)
    shown = verify_extension(content, pinned, held)
    whose = "" if held else _NOT_COMPARED.format(root=b64encode(shown.older.root).decode())
    return Answer(_as_json(shown), f"Good: {_told(shown)}.{whose}")


_NOT_COMPARED = (
    " That it is the checkpoint that you hold, --since FILE shows; the third line of it should be {root}."
)


def _as_json(shown: Extension) -> dict[str, Any]:
    def one(found: Checkpoint, signed_by: Sequence[VerifierKey]) -> dict[str, Any]:
        labels = [key.label for key in signed_by]
        return {"size": found.size, "root": found.root.hex(), "signed_by": labels}

    return {
        "good": True,
        "origin": shown.newer.origin,
        "older": one(shown.older, shown.older_signed_by),
        "newer": one(shown.newer, shown.newer_signed_by),
    }


def note_as_json(note: Note) -> dict[str, Any]:
    """A checkpoint, for programs."""
    found = parse_checkpoint(note.text)
    return {
        "origin": found.origin,
        "size": found.size,
        "root": found.root.hex(),
        "signed_by": [signature.label for signature in note.signatures],
        "checkpoint": str(note),
    }


def _told(shown: Extension) -> str:
    keys = dict.fromkeys((*shown.older_signed_by, *shown.newer_signed_by))
    signed_by = ", ".join(key.label for key in keys)
    return (
        f"{shown.newer.origin} at {shown.newer.size:,} events goes on from the checkpoint of "
        f"{shown.older.size:,}: none of those was altered, taken out or moved. Signed by {signed_by}"
    )


def _print(answer: Answer, output: Path | None, *, as_json: bool) -> None:
    if as_json:
        print_json(answer.json)
    elif answer.file is None:
        out().print(answer.said, soft_wrap=True)
    elif output is not None:
        err().print(f"{output}: {answer.said}", soft_wrap=True)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(answer.file)  # byte for byte, whatever the terminal's encoding


def _leave(error: LedgerError | OSError, *, as_json: bool) -> None:
    """Say what is wrong, and leave by its code."""
    findings = isinstance(error, _DOES_NOT_GO_ON)
    if as_json:
        code = error.code if isinstance(error, LedgerError) else "file-unusable"
        print_json({"good": False, "error": {"code": code, "detail": str(error)}})
    elif findings:
        out().print(f"Not shown to go on from the older checkpoint: {error}", style="red", soft_wrap=True)
    else:
        raise error
    raise typer.Exit(Exit.FINDINGS if findings else Exit.BAD_INPUT) from None
