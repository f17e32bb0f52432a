"""Everything that reads what comes from outside, what may be sent to it, and what may come of that.

A target returns normally or raises one of its declared errors; anything else is a fault.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from ledger.commands import TAPE_LINE
from ledger.errors import LedgerError, MalformedInput
from ledger.regulation.dry_run import DryCoup, dry_run
from ledger.seal.bundle import verify_bundle
from ledger.seal.checkpoint import parse_checkpoint
from ledger.seal.keys import parse_signer, parse_verifier
from ledger.seal.note import parse_note
from ledger.seal.oneform import write_one_form
from ledger.terms.cards import cards
from ledger.terms.formats import check_hands, format_named
from ledger.terms.hands import hand
from ledger.terms.house import Chips, Terms
from ledger.terms.money import Amount, Currency, Stake, Unit, exactly, in_words
from ledger.terms.value import GamingDay, Moment
from ledger.terms.wagers import Limits, Wagers
from ops.reconcile.amounts import BadAmount, amount
from ops.reconcile.sheet import BadSheet, read_sheet
from ops.tape.lines import lines
from ops.tape.reader import read, read_json
from tests.bundle.sealed import COUP, PINNED, bundle_of, key, seal
from tests.fuzz.spoiling import JSON, ODD_NUMBER, ODD_TEXT, any_of, misstated, spoilt
from tests.projections.houses import evening, house_in_memory, take
from tests.reconcile.sheets import T1, sheet
from tests.tabletalk import Night

DRY_COUP: TypeAdapter[DryCoup] = TypeAdapter(DryCoup)
TERMS: list[TypeAdapter[Any]] = [
    TypeAdapter(kind)
    for kind in (Amount, Stake, Unit, Currency, Terms, Chips, Limits, Wagers, Moment, GamingDay)
]


CURRENCIES = ["GBP", "JPY", "KWD", "XTS"]


class Target(NamedTuple):
    """Something that reads what comes from outside.

    Attributes:
        sent: what may come.
        reads: reads it, and asserts what must hold of what was read.
        declared: the errors that may come of it.
    """

    sent: Callable[[], st.SearchStrategy[Any]]
    reads: Callable[[Any], None]
    declared: tuple[type[Exception], ...]


# --- Tapes -------------------------------------------------------------------------------------------------


@cache
def tape_lines() -> list[dict[str, Any]]:
    """One line of every command that the evening has."""
    return list({line["command"]: line for line in evening()}.values())


def _tape_line(content: bytes) -> None:
    command = read(content, TAPE_LINE)
    again = TAPE_LINE.validate_json(TAPE_LINE.dump_json(command))
    assert again == command, "what was read is written as what is read again"


def _paper_coup(content: bytes) -> None:
    answer = dry_run(read(content, DRY_COUP))
    assert json.loads(json.dumps(answer)) == answer


def _file(sent: tuple[bytes, int]) -> None:
    content, limit = sent
    found = list(lines(io.BytesIO(content), limit))
    numbers = [line.number for line in found]
    assert numbers == sorted(set(numbers))
    assert all(len(line.content) <= limit + 1 for line in found)
    assert max(numbers, default=0) <= content.count(b"\n") + 1


COUP_ON_PAPER = {
    "format": "punto-banco",
    "wagers": [{"id": "w1", "kind": "banker", "stake": 2500}, {"id": "w2", "kind": "tie", "stake": 5}],
    "hands": {"banker": "2 2 3", "player": "3 3"},
    "terms": {"rounding": "nearest", "unit": 5, "banker_on_draw": "lost"},
}


# --- Cards and money ---------------------------------------------------------------------------------------


def _cards(text: str) -> None:
    drawn = cards(text)
    assert cards(" ".join(map(str, drawn))) == drawn
    dealt = hand(text)
    assert hand(dealt.text) == dealt
    assert 0 <= dealt.total <= 9


def _hands(sent: tuple[str, dict[str, str]]) -> None:
    name, dealt = sent
    check_hands(format_named(name), dealt)


def _terms(sent: tuple[int, Any]) -> None:
    at, value = sent
    adapter = TERMS[at]
    read_once = adapter.validate_python(value)
    assert adapter.validate_json(adapter.dump_json(read_once)) == read_once


def _words(sent: tuple[Any, str]) -> None:
    minor, currency = sent
    assert in_words(minor, currency)
    if not isinstance(minor, int):
        assert exactly(minor, currency)


HANDS = ["player", "banker", "hand-1", "hand-2"]
TOKENS = ["A", "a", "10", "T", "t", "Kh", "KH", "9s", "0", "1", "11", "K\u2665", "hK", "10h", ""]
CARDS_TEXT = st.lists(st.sampled_from(TOKENS), max_size=4).map(" ".join)


# --- Bundles, notes and keys -------------------------------------------------------------------------------


@cache
def bundle() -> bytes:
    """A small coup's bundle."""
    with house_in_memory() as house:
        night = Night().opens()
        night.coup(1, "P 9 K / B 7 Q", "player 100 p-1")
        take(house, night.lines)
        seal(house)
        return bundle_of(house, COUP)


def _bundle(content: bytes) -> None:
    verify_bundle(content, [PINNED])
    assert content == bundle(), "no other bytes prove anything"


def _bundle_anew(content: bytes) -> None:
    """In its one form and with a digest of its own, as somebody who knows the form would write it."""
    value = json.loads(content)
    value.pop("digest", None)
    with suppress(ValueError):  # what JSON proper has no word for is not written
        content = write_one_form(value)
    _bundle(content)


def _note(content: bytes) -> None:
    note = parse_note(content)
    assert str(note).encode() == content, "a note has one form"
    parse_checkpoint(note.text)


def _key(text: str) -> None:
    parse_verifier(text)


def _secret_key(text: str) -> None:
    parse_signer(text)


def checkpoint() -> bytes:
    """The checkpoint in that bundle."""
    noted: str = read_json(bundle())["checkpoint"]
    return noted.encode()


# --- Count sheets ------------------------------------------------------------------------------------------


def _sheet(content: bytes) -> None:
    read_sheet("sheet.csv", content, [T1])


def _cell(sent: tuple[str, str]) -> None:
    cell, currency = sent
    assert amount(cell, currency) >= 0


ONE_SHIFT = sheet("T1,1,2500000,2330125,200000,0,423250,PB1-04411,")
SHEETS = (
    ONE_SHIFT,
    ONE_SHIFT.replace(b",", b";"),
    ONE_SHIFT.decode().encode("utf-16"),
    b"sep=;\n" + ONE_SHIFT.replace(b",", b";"),
)


TARGETS: dict[str, Target] = {
    "a tape's line": Target(
        lambda: (
            any_of(*(json.dumps(line).encode() for line in tape_lines()))
            | st.sampled_from(tape_lines()).flatmap(misstated)
        ),
        _tape_line,
        (MalformedInput,),
    ),
    "a coup on paper": Target(lambda: misstated(COUP_ON_PAPER), _paper_coup, (MalformedInput,)),
    "a tape's bytes": Target(
        lambda: st.tuples(
            st.lists(st.sampled_from([b"\n", b"\r\n", b" ", b"{}", b"\xef\xbb\xbf", b"x" * 9])).map(b"".join),
            st.integers(1, 12),
        ),
        _file,
        (),
    ),
    "cards": Target(lambda: CARDS_TEXT | ODD_TEXT, _cards, (MalformedInput,)),
    "hands": Target(
        lambda: st.tuples(
            st.sampled_from(["punto-banco", "baccarat-banque"]) | ODD_TEXT,
            st.dictionaries(st.sampled_from(HANDS) | ODD_TEXT, ODD_TEXT)
            | st.sets(st.sampled_from(HANDS)).map(lambda names: dict.fromkeys(names, "9 K")),
        ),
        _hands,
        (MalformedInput,),
    ),
    "terms and money": Target(
        lambda: st.tuples(st.integers(0, len(TERMS) - 1), JSON), _terms, (ValidationError,)
    ),
    "money in words": Target(
        lambda: st.tuples(st.integers() | st.fractions(), st.sampled_from(CURRENCIES)),
        _words,
        (),
    ),
    "a bundle": Target(lambda: any_of(bundle()), _bundle, (LedgerError,)),
    "a bundle misstated": Target(lambda: misstated(read_json(bundle())), _bundle_anew, (LedgerError,)),
    "a checkpoint": Target(lambda: any_of(checkpoint()), _note, (LedgerError,)),
    "a public key": Target(
        lambda: ODD_TEXT | spoilt(str(PINNED).encode()).map(lambda raw: raw.decode(errors="replace")),
        _key,
        (LedgerError,),
    ),
    "a secret key": Target(
        lambda: ODD_TEXT | spoilt(str(key()).encode()).map(lambda raw: raw.decode(errors="replace")),
        _secret_key,
        (LedgerError,),
    ),
    "a count sheet": Target(lambda: any_of(*SHEETS), _sheet, (BadSheet,)),
    "a cell of it": Target(
        lambda: st.tuples(ODD_TEXT | ODD_NUMBER.map(str), st.sampled_from(CURRENCIES)),
        _cell,
        (BadAmount,),
    ),
}
