"""From the bytes of a line to a value, or to an error that says where and why; and nothing else, ever."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ledger.commands import TAPE_LINE, RecordCoup
from ledger.errors import MalformedInput
from ledger.regulation.dry_run import DryCoup, dry_run
from ops.tape.reader import read
from tests.tabletalk import Night
from tests.tape.commands import changed, good_coup, without, written

DRY_COUP = TypeAdapter(DryCoup)
STAKE = ("wagers", 1, "stake")


def refused(content: bytes) -> MalformedInput:
    with pytest.raises(MalformedInput) as caught:
        read(content, TAPE_LINE)
    return caught.value


def test_a_good_line_is_its_command() -> None:
    command = read(written(good_coup()), TAPE_LINE)
    assert isinstance(command, RecordCoup)
    assert [wager.stake for wager in command.wagers] == [100, 200]


# --- What is no JSON object ---------------------------------------------------------------------------------


NOT_JSON = {
    "cut short": written(good_coup())[:-20],
    "cut after a value": b'{"command": "record-coup"',
    "cut at once": b"{",
    "an array": b"[]",
    "a text": b'"text"',
    "a number": b"17",
    "null": b"null",
    "words": b"player 100",
    "single quotes": b"{'command': 'record-coup'}",
    "something after it": written(good_coup()) + b"x",
    "two on one line": written(good_coup()) + written(good_coup()),
    "NaN": written(good_coup()).replace(b"200", b"NaN"),
    "infinity": written(good_coup()).replace(b"200", b"Infinity"),
    "minus infinity": written(good_coup()).replace(b"200", b"-Infinity"),
    "a leading zero": written(good_coup()).replace(b"200", b"0200"),
    "two stakes in one wager": written(good_coup()).replace(b"200", b'200, "stake": 100'),
    "two numbers": written(good_coup()).replace(b'"number": 1', b'"number": 1, "number": 1'),
    "a byte that is no UTF-8": written(good_coup()).replace(b"dealer-1", b"dealer-\xff"),
    "half a surrogate pair": written(good_coup()).replace(b"dealer-1", b"dealer-\xed\xa0\x80"),
    "half a surrogate pair, escaped": written(good_coup()).replace(b"dealer-1", b"dealer-\\ud800"),
    "a control character": written(good_coup()).replace(b"dealer-1", b"dealer-\x00"),
    "UTF-16": b"\xff\xfe" + written(good_coup()),
    "arrays without end": b'{"wagers":' + 100_000 * b"[" + 100_000 * b"]" + b"}",
    "objects without end": 100_000 * b'{"a":' + b"1" + 100_000 * b"}",
}


@pytest.mark.parametrize("wrong", NOT_JSON)
def test_what_is_no_json_object_is_not_json(wrong: str) -> None:
    """Of two stakes in one wager a lenient reader would pick one; here the line is refused."""
    assert refused(NOT_JSON[wrong]).code == "not-json"


def test_a_key_that_stands_twice_is_named() -> None:
    assert "stake" in str(refused(written(good_coup()).replace(b"200", b'200, "stake": 100')))


# --- What is JSON and no command ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (STAKE, 200.0, "not-an-integer"),
        (STAKE, 0.1, "not-an-integer"),
        (STAKE, "200", "not-an-integer"),
        (STAKE, True, "not-an-integer"),
        (STAKE, None, "not-an-integer"),
        (STAKE, [200], "not-an-integer"),
        (STAKE, 0, "too-small"),
        (STAKE, -200, "too-small"),
        (STAKE, 10**12 + 1, "too-large"),
        (STAKE, 10**30, "too-large"),
        (STAKE, -(10**30), "too-small"),
        (("wagers", 1, "kind"), "field", "unknown-kind"),
        (("wagers", 1, "kind"), "PLAYER", "unknown-kind"),
        (("wagers", 1, "kind"), 7, "unknown-kind"),
        (("wagers", 1, "tender"), "cheque", "unknown-value"),
        (("wagers", 1, "id"), "a/b", "bad-name"),
        (("wagers", 1, "odds"), "1/1", "field-unknown"),
        (("wagers", 1, "seat"), 100, "too-large"),
        (("hands", "player"), "9 K 2 3", "too-many-cards"),
        (("hands", "player"), "9", "too-few-cards"),
        (("hands", "player"), "", "too-few-cards"),
        (("hands", "player"), "9 1", "bad-card"),
        (("hands", "player"), "9 11", "bad-card"),
        (("hands", "player"), "9 Kx", "bad-card"),
        (("hands", "player"), ["9", "K"], "unreadable"),
        (("number",), 0, "too-small"),
        (("number",), 10_000, "too-large"),
        (("number",), 1.5, "not-an-integer"),
        (("table",), "T 1", "bad-name"),
        (("table",), "../T1", "bad-name"),
        (("id",), "", "bad-name"),
        (("id",), 129 * "x", "bad-name"),
        (("occurred_at",), "2026-11-27T21:00:00", "unreadable"),
        (("occurred_at",), "yesterday", "unreadable"),
        (("occurred_at",), 1795813200, "unreadable"),
        (("occurred_at",), "1795813200", "unreadable"),
        (("claimed",), "punto", "unknown-value"),
        (("colour",), "red", "field-unknown"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_its_code(
    path: tuple[str | int, ...], value: Any, code: str
) -> None:
    error = refused(written(changed(good_coup(), path, value)))
    assert error.code == code
    assert str(error).startswith(".".join(map(str, ("record-coup", *path))))


@pytest.mark.parametrize("digits", [100, 5_000, 1_000_000])
def test_an_integer_of_any_length_is_a_short_error(digits: int) -> None:
    """Python itself refuses to write more than 4300 digits out."""
    error = refused(written(good_coup()).replace(b"200", digits * b"9"))
    assert error.code in ("too-large", "not-json")
    assert len(str(error)) < 200


def test_a_float_in_a_sum_or_a_chip_count_is_refused_like_one_in_a_stake() -> None:
    night = Night("chemin-de-fer").opens()
    bank = night.say("take-bank", holder="p-1", sum=1000.0)
    fill = night.say("fill-chips", slip="17", chips={"2500": 4.0})
    chips = night.say("fill-chips", slip="17", chips={"25.00": 4})
    drop = night.say("count-drop", amount=1e3)
    assert [refused(written(line)).code for line in (bank, fill, drop)] == 3 * ["not-an-integer"]
    assert refused(written(chips)).code == "unreadable"


@pytest.mark.parametrize("field", ["id", "occurred_at", "actor", "table", "shoe", "number", "hands"])
def test_a_field_that_is_missing_is_named(field: str) -> None:
    error = refused(written(without(good_coup(), field)))
    assert error.code == "field-missing"
    assert str(error).startswith(f"record-coup.{field}:")


def test_a_command_that_nobody_knows_and_one_that_is_not_said() -> None:
    assert refused(written(good_coup() | {"command": "deal-again"})).code == "unknown-command"
    assert refused(written(without(good_coup(), "command"))).code == "field-missing"
    assert refused(b"{}").code == "field-missing"


def test_a_wager_id_that_stands_twice_is_named() -> None:
    error = refused(written(changed(good_coup(), ("wagers", 1, "id"), "w1")))
    assert error.code == "duplicate-wager"
    assert "'w1'" in str(error)


def test_all_findings_come_at_once() -> None:
    """A line is put right once, not once for each mistake."""
    line = changed(good_coup(), STAKE, 0)
    line = changed(line, ("wagers", 0, "kind"), "field")
    line = without(changed(line, ("hands", "banker"), "7"), "actor")
    told = str(refused(written(line)))
    places = ("record-coup.actor", "wagers.0.kind", "wagers.1.stake", "hands.banker")
    assert [place for place in places if place not in told] == []


def test_a_thousand_findings_make_no_novel() -> None:
    wagers = [{"id": f"w{number}", "kind": "tie", "stake": 0} for number in range(1000)]
    told = str(refused(written(good_coup() | {"wagers": wagers})))
    assert "record-coup.wagers.19.stake" in told
    assert "980 more" in told
    assert len(told) < 4000


def test_more_wagers_than_a_coup_can_have() -> None:
    wagers = [{"id": f"w{number}", "kind": "tie", "stake": 1} for number in range(10_001)]
    assert refused(written(good_coup() | {"wagers": wagers})).code == "too-many"


# --- Anything at all ----------------------------------------------------------------------------------------

_PLACES = (
    ("command",),
    ("id",),
    ("occurred_at",),
    ("number",),
    ("wagers",),
    ("wagers", 0),
    ("wagers", 1, "kind"),
    STAKE,
    ("hands",),
    ("hands", "player"),
    ("claimed",),
    ("terms",),
    ("bank",),
    ("format",),
    ("profile",),
    ("gaming_day",),
    ("opener",),
    ("limits",),
)
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["9 K", "player", "T1", "2026-11-27", "2026-11-27T21:00:00Z", "exact-only"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=8)
            | st.sampled_from(["player", "banker", "hand-1", "hand-2", "chips", "2500", "unit"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
_symbols = st.text(alphabet='{}[]",:\\/ \n0123456789.eE+-truefalsnNyI\u00e9\ud800', max_size=60)


@st.composite
def _damaged(draw: st.DrawFn) -> bytes:
    """A good line with some bytes cut out and others put in."""
    content = written(good_coup())
    start = draw(st.integers(0, len(content)))
    end = draw(st.integers(start, min(len(content), start + 20)))
    return content[:start] + draw(st.binary(max_size=6)) + content[end:]


@st.composite
def _replaced(draw: st.DrawFn) -> bytes:
    """A good line, of a tape or of `settle`, with any values at a few places."""
    table = Night().opens().lines[0]
    coup = good_coup()
    dry = {"format": "punto-banco"} | {name: coup[name] for name in ("hands", "wagers")}
    line = draw(st.sampled_from([coup, table, dry]))
    for path in draw(st.lists(st.sampled_from(_PLACES), min_size=1, max_size=3)):
        with suppress(LookupError, TypeError):  # the place may have gone with an earlier change
            line = changed(line, path, draw(_json))
    return json.dumps(line).encode()


any_bytes = st.one_of(
    st.binary(max_size=80),
    _symbols.map(lambda text: text.encode("utf-8", "surrogatepass")),
    _json.map(lambda value: json.dumps(value).encode()),
    _damaged(),
    _replaced(),
)


def printable(error: MalformedInput) -> None:
    """That it has a code, and that whatever is said of it can be printed."""
    assert error.code
    str(error).encode()


@settings(max_examples=200, deadline=None)
@given(content=any_bytes)
def test_any_bytes_are_a_command_or_a_declared_error(content: bytes) -> None:
    """Nothing else comes out."""
    try:
        read(content, TAPE_LINE)
    except MalformedInput as error:
        printable(error)


@settings(max_examples=200, deadline=None)
@given(content=any_bytes)
def test_any_bytes_are_a_coup_to_settle_or_a_declared_error(content: bytes) -> None:
    """The same for `settle`, to the last line of the answer."""
    try:
        answer = dry_run(read(content, DRY_COUP))
    except MalformedInput as error:
        printable(error)
    else:
        json.dumps(answer, ensure_ascii=False).encode()
