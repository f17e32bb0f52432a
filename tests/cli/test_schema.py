"""`schema`: what is published holds for what is read and for what is stored."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ledger.commands import TAPE_LINE
from ledger.events.catalogue import BY_TOPIC
from tests.cli.shell import run
from tests.cli.test_settle import EXAMPLE
from tests.golden.files import EVENTS
from tests.projections.houses import evening
from tests.tape.commands import changed, good_coup, without

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@cache
def published() -> dict[str, Any]:
    done = run("schema")
    assert (done.code, done.err) == (0, "")
    schemas: dict[str, Any] = done.json()
    return schemas


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    return bool(Draft202012Validator(schema).is_valid(value))


def test_it_publishes_the_tape_the_lines_of_settle_and_every_event() -> None:
    assert set(published()) == {"tape", "settle", "events"}
    assert set(published()["events"]) == set(BY_TOPIC)


@pytest.mark.parametrize("name", ["tape", "settle", *BY_TOPIC])
def test_each_is_a_schema_of_draft_2020_12(name: str) -> None:
    schema = published().get(name) or published()["events"][name]
    assert schema["$schema"] == DIALECT
    Draft202012Validator.check_schema(schema)


def test_every_line_of_the_evening_is_valid() -> None:
    """By the whole schema for one of each command, and by the schema of its command for all."""
    tape = published()["tape"]
    by_command = {
        tape["$defs"][part["$ref"].rpartition("/")[2]]["properties"]["command"]["const"]: part
        for part in tape["oneOf"]
    }
    validators = {
        name: Draft202012Validator({"$defs": tape["$defs"], **part}) for name, part in by_command.items()
    }
    for line in evening():
        validators[line["command"]].validate(line)
    for line in {line["command"]: line for line in evening()}.values():
        Draft202012Validator(tape).validate(line)


@pytest.mark.parametrize(
    "line",
    [
        changed(good_coup(), ("wagers", 0, "stake"), 100.5),
        changed(good_coup(), ("wagers", 0, "stake"), 0),
        changed(good_coup(), ("wagers", 0, "stake"), "100"),
        changed(good_coup(), ("wagers", 0, "kind"), "field"),
        changed(good_coup(), ("number",), 0),
        changed(good_coup(), ("table",), "T 1"),
        changed(good_coup(), ("colour",), "red"),
        changed(good_coup(), ("command",), "deal-again"),
        without(good_coup(), "hands"),
        without(good_coup(), "id"),
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(line: dict[str, Any]) -> None:
    assert is_valid(published()["tape"], good_coup())
    assert not is_valid(published()["tape"], line)
    with pytest.raises(ValueError, match="validation error"):
        TAPE_LINE.validate_python(line)


@pytest.mark.parametrize("topic", EVENTS)
def test_every_stored_event_is_valid_by_the_schema_of_its_topic(topic: str) -> None:
    schema, stored = published()["events"][topic], json.loads(EVENTS[topic])
    Draft202012Validator(schema).validate(stored)
    assert not is_valid(schema, {**stored, "colour": "red"})
    assert not is_valid(schema, {name: value for name, value in stored.items() if name != "stream"})


def test_the_lines_of_settle_are_valid() -> None:
    schema = published()["settle"]
    bare = {name: EXAMPLE[name] for name in ("format", "hands")}
    for line in (EXAMPLE, bare, {**bare, "format": "chemin-de-fer", "bank": 50_000}):
        Draft202012Validator(schema).validate(line)
    assert not is_valid(schema, {**EXAMPLE, "stake": 100})
    assert not is_valid(schema, without(EXAMPLE, "hands"))
