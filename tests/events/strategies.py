"""Hypothesis strategies for every event type and command, from the types of its fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from pydantic import AwareDatetime

from ledger.terms import hands, house, identifiers, money, wagers
from ledger.terms.value import Value

_OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
_YEARS = datetime.fromisoformat("1995-01-01"), datetime.fromisoformat("2095-01-01")
_MOMENTS = st.datetimes(*_YEARS, timezones=_OFFSETS | st.just(UTC))
_NAMES = ["main", "PB1", "p-118", "2026.11:27_a", "9", "z" * 64]
_CARDS = st.sampled_from(["A", "2c", "5", "7h", "9s", "10d", "J", "Q", "Kc"])

NAMED: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (identifiers.Name, st.sampled_from(_NAMES)),
    (identifiers.CommandId, st.sampled_from(_NAMES)),
    (AwareDatetime, _MOMENTS),
    (datetime, _MOMENTS),
    (money.Currency, st.sampled_from(["GBP", "EUR", "CHF"])),
    (
        wagers.Limit,
        st.tuples(st.integers(1, 10**12), st.integers(0, 10**12)).map(
            lambda ends: wagers.Limit(min=min(ends), max=max(ends))
        ),
    ),
    (house.Chips, st.dictionaries(st.integers(1, 10**6), st.integers(0, 10**4), max_size=4)),
    (hands.HandField, st.lists(_CARDS, min_size=2, max_size=3).map(" ".join).map(hands.hand)),
    (str, st.text(max_size=30)),
    (int, st.integers(-(10**15), 10**15)),
    (bool, st.booleans()),
    (date, st.dates(date(1995, 1, 1), date(2095, 1, 1))),
    (NoneType, st.none()),
]
"""What a field of this type may hold; for the rest see `of`."""


def of(hint: Any) -> st.SearchStrategy[Any]:
    """What a field with this type may hold."""
    for named, strategy in NAMED:
        if hint is named:
            return strategy
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of(*map(of, arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(of(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(of(arguments[0]), of(arguments[1]), max_size=3)
    if origin is Annotated:
        return integers(hint.__metadata__) if arguments[0] is int else of(arguments[0])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return values(hint)


def integers(metadata: Iterable[Any]) -> st.SearchStrategy[int]:
    """Whole numbers within the bounds of a field."""
    lowest, highest = -(10**15), 10**15
    for rule in (rule for field in metadata for rule in getattr(field, "metadata", ())):
        lowest = max(lowest, getattr(rule, "ge", lowest), getattr(rule, "gt", lowest - 1) + 1)
        highest = min(highest, getattr(rule, "le", highest))
    return st.integers(lowest, highest)


def facts_of(model: type[Value]) -> st.SearchStrategy[dict[str, Any]]:
    """What the fields of this model may hold, by name."""
    hints = get_type_hints(model, include_extras=True)
    return st.fixed_dictionaries({name: of(hints[name]) for name in model.model_fields})


@cache
def values(model: type[Value]) -> st.SearchStrategy[Any]:
    """Any value of this model."""
    build: Callable[..., Any] = model
    return facts_of(model).map(lambda facts: build(**facts))
