"""`coup bundle` and `bundle verify`: a coup that can be checked away from the casino."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ledger.errors import CoupNotCovered, LedgerError, SealError
from ledger.seal.bundle import BUNDLE_BYTES_MAX, VerifiedCoup, make_bundle, verify_bundle
from ledger.seal.tiles import SealedTree
from ledger.store.port import Row
from ops.cli.checkpoint import STANDARD_OUTPUT
from ops.cli.coups import CoupId, coup_stream_named
from ops.cli.covering import note_covering
from ops.cli.options import Json
from ops.cli.screen import Exit, err, out, print_json
from ops.cli.story import print_telling
from ops.keys import read_verifier
from ops.output import write_output
from ops.settings import Db
from ops.tape.sources import open_source
from ops.wiring import open_house, utc_now
from projections.audit.audit import Audit
from projections.audit.differences import Difference
from projections.story.coups import tell
from projections.story.replay import as_json as story_as_json
from projections.story.replay import replay
from projections.story.telling import Covering
from projections.story.words import plain


def coup_bundle(
    coup: CoupId,
    db: Db,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; - to standard output.")
    ],
) -> None:
    """Write a file with which anybody who has the public key can check one coup."""
    with open_house(db) as house:
        rows = house.ledger.record.select_stream(coup_stream_named(house, coup))
        note = note_covering(house, rows[-1].sequence)
        if note is None:
            raise CoupNotCovered(rows[-1].stream, rows[-1].sequence)
        with SealedTree(house.tables).view() as view:
            bundle = make_bundle(rows, note, view.inclusion_proof)
    if output == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(bundle)
    else:
        write_output(output, bundle, db)
    err().print(f"{output}: {rows[0].stream}, {len(rows)} events", soft_wrap=True)


def bundle_verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A bundle; - reads standard input.")],
    *,
    keys: Annotated[
        list[str],
        typer.Option("--key", metavar="KEY", help="A public key to trust, or a file of one. Repeatable."),
    ],
    origin: Annotated[
        str | None,
        typer.Option(metavar="ORIGIN", help="Of which ledger it must be, such as its checkpoints say."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a bundle: signature, proofs, and every wager settled again from the cards. Needs no ledger."""
    try:
        trusted = [read_verifier(text) for text in keys]
        with open_source(file) as source:
            content = source.stream.read(BUNDLE_BYTES_MAX + 1)
        verified = verify_bundle(content, trusted, origin)
        differences = list(Audit(_BundledRecord(verified.rows)).differences())
    except SealError as error:
        _say_no(error, as_json=as_json)
        raise typer.Exit(Exit.FINDINGS) from None
    except LedgerError as error:  # it, or a key, cannot be read at all, or not by this release
        if not as_json:
            raise
        _say_no(error, as_json=as_json)
        raise typer.Exit(Exit.BAD_INPUT) from None
    if as_json:
        print_json(_as_json(verified, differences))
    else:
        _print(verified, differences)
    if differences:
        raise typer.Exit(Exit.FINDINGS)


class _BundledRecord:
    """The events of a bundle as a record to read. See ledger.store.port.RecordReader."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def select_stream(self, stream: str) -> list[Row]:
        return [row for row in self._rows if row.stream == stream]

    def select_rows(self, after: int, limit: int, topics: Sequence[str] = ()) -> list[Row]:
        start = bisect_right(self._rows, after, key=lambda row: row.sequence)
        return [row for row in self._rows[start:] if not topics or row.topic in topics][:limit]

    def last_sequence(self) -> int:
        return self._rows[-1].sequence


def _say_no(error: LedgerError, *, as_json: bool) -> None:
    if as_json:
        print_json({"good": False, "error": {"code": error.code, "detail": str(error)}})
    else:
        out().print(plain(f"This bundle proves nothing: {error}"), soft_wrap=True)


def _covering(verified: VerifiedCoup) -> Covering:
    checkpoint = verified.checkpoint
    signed_by = tuple(key.label for key in verified.signed_by)
    return Covering(
        checkpoint.origin, checkpoint.size, checkpoint.root.hex(), signed_by, signature_checked=True
    )


def _as_json(verified: VerifiedCoup, differences: Sequence[Difference]) -> dict[str, Any]:
    covering = _covering(verified)
    story = tell(verified.coup, verified.rows)
    return {
        "good": not differences,
        "differences": [difference.as_json() for difference in differences],
        **story_as_json(story, replay(story, utc_now(), covering), covering),
    }


_NOTHING_YET = "nothing is settled yet"
_SETTLED: Mapping[str, str] = {
    "open": _NOTHING_YET,
    "closed": _NOTHING_YET,
    "dealt": _NOTHING_YET,
    "held": _NOTHING_YET,
    "void": "every stake was handed back",
    "settled": "every wager settles from the cards as recorded",
}
"""What a bundle shows of the wagers, by the stage that the coup has come to."""


def _print(verified: VerifiedCoup, differences: Sequence[Difference]) -> None:
    console = out()
    story = tell(verified.coup, verified.rows)
    print_telling(console, replay(story, utc_now(), _covering(verified)))
    console.print()
    for difference in differences:
        finding = difference.finding
        detail = f" of wager {finding.wager}" if finding.wager else ""
        text = f"Event {difference.sequence}{detail}: {finding.cause}: {finding.detail or ''}"
        console.print(plain(text), style="red", soft_wrap=True)
    if differences:
        console.print("The events are those that were sealed, and they do not settle as the cards say.")
    else:
        console.print(
            f"Good: these events are in the record that was signed, and {_SETTLED[story.stage]}. "
            "Whether anything of this coup was recorded after the last of them, no bundle shows.",
            soft_wrap=True,
        )
