"""What every value keeps to: moments with an offset, held in UTC; no unknown fields; no order of keys."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from ledger.terms.hands import Hands, Results
from ledger.terms.house import Chips
from ledger.terms.value import GamingDay, Moment, Value, Word
from ledger.terms.wagers import Kind, Limits

MOMENT: TypeAdapter[datetime] = TypeAdapter(Moment)
NINE_IN_THE_EVENING = datetime(2026, 11, 27, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-27T21:00:00Z",
        "2026-11-27T21:00:00+00:00",
        "2026-11-27T22:00:00+01:00",
        "2026-11-27T15:30:00-05:30",
        "2026-11-28T06:00:00.000+09:00",
        NINE_IN_THE_EVENING,
        datetime(2026, 11, 27, 22, tzinfo=timezone(timedelta(hours=1))),
    ],
)
def test_one_moment_however_its_offset_is_written(written: object) -> None:
    read = MOMENT.validate_python(written)
    assert read == NINE_IN_THE_EVENING
    assert read.tzinfo is UTC


@pytest.mark.parametrize(
    "written",
    ["2026-11-27T21:00:00", "2026-11-27 21:00", datetime(2026, 11, 27, 21)],  # noqa: DTZ001
)
def test_a_moment_without_an_offset_is_refused(written: object) -> None:
    with pytest.raises(
        ValidationError, match=r", a moment needs an offset from UTC \(such as Z or \+01:00\) \["
    ):
        MOMENT.validate_python(written)


@pytest.mark.parametrize("written", [0, 1_795_813_200, 1_795_813_200_000, 1795813200.5, True, None])
def test_a_bare_number_is_no_moment(written: object) -> None:
    """Seconds, milliseconds and truth values are refused, not read as a clock."""
    with pytest.raises(ValidationError):
        MOMENT.validate_python(written)


@pytest.mark.parametrize("written", ["0", "20261127", "1795813200", "1795813200000", "1795813200.5", "-1"])
def test_a_number_in_quotes_is_no_moment_either(written: str) -> None:
    """Above all not `20261127`, which as seconds would be an evening of August 1970."""
    with pytest.raises(ValidationError):
        MOMENT.validate_python(written)
    with pytest.raises(ValidationError):
        MOMENT.validate_json(f'"{written}"')


@pytest.mark.parametrize("written", ["", "now", "21:00:00Z", "2026-11-27"])
def test_what_is_not_written_as_a_moment_is_told_how_one_is(written: str) -> None:
    how = r", a moment is written as ISO 8601 text with an offset \["
    with pytest.raises(ValidationError, match=how):
        MOMENT.validate_python(written)


@pytest.mark.parametrize("written", ["2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z"])
def test_what_is_no_moment_at_all_is_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        MOMENT.validate_python(written)


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-01:00"])
def test_a_moment_whose_utc_is_outside_the_calendar_is_refused_like_any_other(written: str) -> None:
    """A finding of the reader, not an overflow that nobody expects."""
    with pytest.raises(ValidationError, match=r", in UTC this moment is outside the calendar \["):
        MOMENT.validate_python(written)


class _Seat(Value):
    number: int


def test_a_value_refuses_what_it_does_not_know_and_never_changes() -> None:
    assert _Seat(number=1) == _Seat(number=1)
    with pytest.raises(ValidationError, match="Extra inputs"):
        _Seat.model_validate({"number": 1, "colour": "red"})
    with pytest.raises(ValidationError, match="frozen"):
        _Seat(number=1).number = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("kind", "written", "turned"),
    [
        (Hands, '{"banker": "7 Q", "player": "9 K"}', '{"player": "9 K", "banker": "7 Q"}'),
        (Results, '{"hand-1": "W", "hand-2": "D"}', '{"hand-2": "D", "hand-1": "W"}'),
        (Chips, '{"100": 3, "2500": 4}', '{"2500": 4, "100": 3}'),
        (Limits, '{"player": {"max": 5}, "tie": {"max": 2}}', '{"tie": {"max": 2}, "player": {"max": 5}}'),
    ],
    ids=["hands", "results", "chips", "limits"],
)
def test_an_object_said_in_another_order_is_the_same_bytes(kind: Any, written: str, turned: str) -> None:
    """RFC 8259 §1: an object has no order, so a sender's must not make another command of it."""
    reader: TypeAdapter[Any] = TypeAdapter(kind)
    assert reader.dump_json(reader.validate_json(turned)) == reader.dump_json(reader.validate_json(written))


@pytest.mark.parametrize("written", ["27.11.2026", "20261127", 20_261_127, None])
def test_what_is_not_written_as_a_day_is_told_how_one_is(written: object) -> None:
    with pytest.raises(ValidationError, match=r", a gaming day is written YYYY-MM-DD \["):
        TypeAdapter(GamingDay).validate_python(written)


def test_a_word_is_its_own_text_and_their_class_has_none() -> None:
    """`Enum`'s own way to a word's value leads to the same, also where the interpreter does not take it."""
    assert Kind.PLAYER.value == Word.__dict__["value"].__get__(Kind.PLAYER, Kind) == "player"
    with pytest.raises(AttributeError, match=r"^value$"):
        _ = Word.__dict__["value"].__get__(None, Kind)
