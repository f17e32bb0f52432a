"""What must hold of a ledger after anything: each promise says in a sentence where it is broken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

import msgspec

from ledger.errors import LedgerError
from ledger.events.catalogue import decode
from ledger.seal.checkpoint import parse_checkpoint
from ledger.seal.note import parse_note
from ops.cli.seal import seal_and_sign
from ops.reconcile.day_record import day_record
from ops.verification import verify
from ops.wiring import House
from tests.faults.acks import Ack, acks_at
from tests.faults.nights import KEY, Line, brought_about, recorded, undisturbed
from tests.oracle.night import pnl
from tests.projections.houses import Row, house_at, in_contract, read
from tests.tabletalk import command

Tapes = Mapping[str, Sequence[Line]]


class Expected(NamedTuple):
    """What tapes must come to: worked out once, however often they are cut short."""

    tapes: Tapes
    rows: list[Row]
    """The oracle's profit and loss."""
    causes: dict[str, list[str]]
    """What each command brings about."""

    @classmethod
    def of(cls, tapes: Tapes) -> Expected:
        every = [line for lines in tapes.values() for line in lines]
        return cls(tapes, pnl(every), undisturbed(every))


_AS_FIRST_SAID = ("command_id", "outcome", "subject", "stage", "code", "detail", "paragraph")


def acknowledged(house: House, acks: Sequence[Ack], lines: Sequence[Line]) -> Iterator[str]:
    """Every answer that was given is given again, and giving it records nothing."""
    said = {ack["command_id"]: ack for ack in acks}
    asked = [line for line in lines if line["id"] in said]
    before = house.ledger.record.last_sequence()
    for line, answer in zip(asked, house.ledger.run_many([command(line) for line in asked]), strict=True):
        first = said[line["id"]]
        now = msgspec.structs.asdict(answer)
        if any(now[name] != first[name] for name in _AS_FIRST_SAID):
            yield f"{line['id']} was answered {first}, and now {now}"
        elif answer.outcome != "rejected" and not answer.repeat:
            yield f"{line['id']} was acknowledged, and was run again"
    if house.ledger.record.last_sequence() != before:
        yield "commands that were acknowledged were recorded anew"


def imported(house: House, acks: Sequence[Ack], lines: Sequence[Line]) -> Iterator[str]:
    """Every line that an import said it had done is in the record."""
    done = max((ack["line"] for ack in acks), default=0)
    there = recorded(house.ledger.record)
    for line in lines[:done]:
        if not there[line["id"]]:
            yield f"{line['id']} was imported, and is not in the record"


def once_and_whole(house: House, causes: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """No gap; no command twice; none half: each brought about what it does where nothing fails."""
    record = house.ledger.record
    sequences = [row.sequence for row in record.select_rows(0, 10_000_000)]
    if sequences != list(range(1, len(sequences) + 1)):
        yield "the sequence has a gap"
    for cause, count in recorded(record).items():
        if count != 1:
            yield f"{cause} is recorded {count} times"
    for cause, found in brought_about(record).items():
        if cause in causes and found != causes[cause]:
            yield f"{cause} brought about {found}, not {causes[cause]}"


def totals(house: House, expected: Sequence[Row]) -> Iterator[str]:
    """The profit and loss is the oracle's, to the penny."""
    house.runner().catch_up()
    found = in_contract(read(house))
    if found != expected:
        differing = [pair for pair in zip(found, expected, strict=False) if pair[0] != pair[1]]
        yield f"the totals differ from the oracle's: {differing[:2]}"


def proved(db: str, notes: Sequence[str]) -> Iterator[str]:
    """`verify` finds nothing, also against what was published before. It is sealed anew, as by its timer."""
    with house_at(db) as house:
        notes = [*notes, str(seal_and_sign(house, [KEY], [KEY.verifier]).note)]
    for note in dict.fromkeys([notes[0], notes[len(notes) // 2], notes[-2 if len(notes) > 1 else -1]]):
        try:
            found = verify(db, [KEY.verifier], parse_checkpoint(parse_note(note).text)).findings
        except LedgerError as error:
            found = [error]
        for finding in found:
            yield f"verify: {finding.code}: {finding}"


def in_order(house: House, stream: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """Each event is in the relay's stream once, in order, byte for byte."""
    rows = house.ledger.record.select_rows(0, 10_000_000)
    if [int(str(event["id"])) for event in stream] != [row.sequence for row in rows]:
        yield f"the stream has {len(stream)} events in its order, and the record {len(rows)} in its own"
        return
    for event, row in zip(stream, rows, strict=True):
        content = event["bytes_"]
        assert isinstance(content, bytes)
        if not content.endswith(b'"data":' + row.state + b"}"):
            yield f"event {row.sequence} differs in the stream"


def closed(house: House, premises: str, day: str) -> Iterator[str]:
    """The day is closed, once."""
    if not day_record(house.ledger.record, premises, date.fromisoformat(day)).closed:
        yield f"{premises} is not closed for {day}"
    rows = house.ledger.record.select_stream(f"day/{premises}/{day}")
    sealed = [row for row in rows if decode(row.topic, row.state).TOPIC.startswith("day-sealed")]
    if len(sealed) != 1:
        yield f"{premises} was closed {len(sealed)} times for {day}"


def finish(house: House, tapes: Tapes) -> None:
    """Play what is left of the tapes, as their senders would."""
    for lines in tapes.values():
        house.ledger.run_many([command(line) for line in lines])


def after_a_fault(db: str, acks: Mapping[str, Sequence[Ack]], expected: Expected) -> list[str]:
    """What is broken of everything that was acknowledged; then of the whole, when all has been played."""
    tapes = expected.tapes
    with house_at(db) as house:
        broken = [*once_and_whole(house, expected.causes)]
        for kind, lines in tapes.items():
            holds = imported if kind == "import" else acknowledged
            broken += holds(house, acks.get(kind, ()), lines)
        finish(house, tapes)
        broken += [*once_and_whole(house, expected.causes), *totals(house, expected.rows)]
    return [*broken, *proved(db, [ack["note"] for ack in acks.get("seal", ())])]


def acks_in(folder: Path) -> dict[str, list[Ack]]:
    """What was acknowledged in a folder, by kind of work."""
    return {path.name.removeprefix("acks-"): acks_at(path) for path in folder.glob("acks-*")}
