"""Identifiers: whatever a name is, a stream's name can still be taken apart."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from ledger.terms.identifiers import (
    CommandId,
    CoupNumber,
    Name,
    PatronToken,
    command_stream,
    coup_stream,
    day_stream,
    shoe_stream,
    table_prefix,
    table_stream,
)
from ledger.terms.wagers import WagerId

NAMES = [(Name, 64), (PatronToken, 64), (WagerId, 64), (CommandId, 128)]
A_NAME = st.text("aB9._:-", min_size=1, max_size=6).filter(lambda text: text[0].isalnum())


def reader(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@pytest.mark.parametrize(("kind", "longest"), NAMES, ids=["name", "patron", "wager", "command"])
def test_letters_digits_and_a_few_marks_make_a_name(kind: Any, longest: int) -> None:
    for name in ("w1", "S-20", "PB1", "9", "p.1:a_b-c", "x" * longest):
        assert reader(kind).validate_python(name) == name


@pytest.mark.parametrize(("kind", "longest"), NAMES, ids=["name", "patron", "wager", "command"])
def test_slashes_blanks_and_the_rest_are_refused(kind: Any, longest: int) -> None:
    """A slash would make one stream's name read as another's."""
    wrong: list[object] = [
        "/",
        "a/b",
        "/a",
        "a/",
        "../a",
        "",
        " ",
        "a b",
        "a\n",
        "a\x00",
        "é",
        "\uff41",
        "-a",
    ]
    wrong += [".", "..", "x" * (longest + 1), 7, 7.0, True, None]
    for name in wrong:
        with pytest.raises(ValidationError):
            reader(kind).validate_python(name)


@pytest.mark.parametrize("number", [0, -1, 10_000, 7.0, "7", True, None])
def test_a_coups_number_is_a_whole_number_from_1_to_9999(number: object) -> None:
    assert reader(CoupNumber).validate_python(1) == 1
    assert reader(CoupNumber).validate_python(9999) == 9999
    with pytest.raises(ValidationError):
        reader(CoupNumber).validate_python(number)


def test_streams_are_called_as_the_contract_says() -> None:
    """These names are stored for ever: changing one loses what is under it."""
    assert table_stream("main", "PB1", date(2026, 11, 27)) == "table/main/PB1/2026-11-27"
    assert table_prefix("main", "PB1") == "table/main/PB1/"
    assert shoe_stream("main", "PB1", "S-20") == "shoe/main/PB1/S-20"
    assert coup_stream("main", "PB1", "S-20", 7) == "coup/main/PB1/S-20/7"
    assert command_stream("c1") == "command/c1"


@given(st.tuples(A_NAME, A_NAME, A_NAME, st.integers(1, 9999)))
@settings(max_examples=100, deadline=None)
def test_a_coups_stream_names_its_premises_table_shoe_and_number(coup: tuple[str, str, str, int]) -> None:
    """So no two coups share a stream."""
    for name in coup[:3]:
        assert reader(Name).validate_python(name) == name
    kind, premises, table, shoe, number = coup_stream(*coup).split("/")
    assert (kind, premises, table, shoe, int(number)) == ("coup", *coup)


def test_a_gaming_day_of_the_premises_has_a_stream() -> None:
    assert day_stream("main", date(2026, 11, 27)) == "day/main/2026-11-27"
