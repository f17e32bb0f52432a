"""Plain events: the same facts in the same places, read three times as fast, for whoever only reads.

The models are the one source: a plain type is made from each when this module is loaded, with the same names,
defaults, words and bounds. It is no model, so whatever is looked up by type must be looked up by `TOPIC`.

Bytes that a plain type refuses are given to the model, which has the last word. So what reads here reads
there, but for three things that models look at and plain types do not:

    patterns     of names, currencies and commands' ids: searching a text costs more than all the rest
    order        of the members of hands, results and limits: they stay as they lie in the bytes
    fractions    of a second beyond six digits: rounded here, cut off there

What a model has written is right in all three. Whoever cannot be sure that one wrote it uses `decode`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from types import FunctionType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

import msgspec
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    PlainValidator,
    WrapValidator,
)
from pydantic.fields import FieldInfo

from ledger.events.base import LedgerEvent
from ledger.events.catalogue import BY_TOPIC, decode
from ledger.terms.hands import Hand, hand
from ledger.terms.value import GamingDay, Word, in_order

_Event = TypeVar("_Event", bound=LedgerEvent)

_TYPES = frozenset({str, int, bool, date, type(None)})
_BOUNDS = ("gt", "ge", "lt", "le", "min_length", "max_length")
_Validator = AfterValidator | BeforeValidator | PlainValidator | WrapValidator
_NOT_MISSED = frozenset({in_order, *(rule.func for rule in get_args(GamingDay)[1:])})
"""Validators that a plain type does without. The first is named above. The other refuses days that are not
written as such, which here no number and no other text is."""


class _ModelOnly(Exception):
    """This type has a rule of its own, which only the model knows."""


class _HandText(ABC):  # noqa: B024 it has a name only
    """What msgspec is told that a hand is, lest it read one as the object of its fields."""


_HandText.register(Hand)


def _read_hand(_: type, text: Any) -> Hand:
    return hand(text)


# --- From models to plain types ------------------------------------------------------------------------

_PLAIN: dict[type[BaseModel], type[msgspec.Struct]] = {}


def _struct(model: type[BaseModel]) -> type[msgspec.Struct]:
    """The plain type of a model. Raises: _ModelOnly."""
    if model not in _PLAIN:
        rules = model.__pydantic_decorators__
        if rules.field_validators or rules.root_validators:
            raise _ModelOnly
        namespace = dict(_members(model))
        if checks := [rule.func for rule in rules.model_validators.values() if rule.info.mode == "after"]:
            namespace["__post_init__"] = _checked_by(checks)
        if len(checks) < len(rules.model_validators):
            raise _ModelOnly
        _PLAIN[model] = msgspec.defstruct(
            model.__name__,
            list(map(_field, model.model_fields, model.model_fields.values())),
            namespace=namespace,
            module=__name__,
            frozen=True,
            kw_only=True,
            forbid_unknown_fields=model.model_config.get("extra") == "forbid",
            gc=False,  # values of values: nothing in them leads back
        )
    return _PLAIN[model]


def _members(model: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    """What a model has beside its fields: its topic, its properties and methods."""
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            for name, member in vars(base).items():
                if name == "TOPIC" or (
                    isinstance(member, property | FunctionType) and not name.startswith(("_", "model_"))
                ):
                    yield name, member


def _checked_by(checks: list[Callable[[Any], Any]]) -> Callable[[Any], None]:
    """A model's own checks look at its fields alone, so they look at a plain one's as well."""

    def check(value: Any) -> None:
        for rule in checks:
            rule(value)

    return check


def _field(name: str, field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    kind = _kind(field.annotation, field.metadata)
    return (name, kind) if field.is_required() else (name, kind, field.get_default())


def _kind(annotation: Any, metadata: list[Any]) -> Any:
    """A field's type as msgspec has it, with those of its bounds that it knows. Raises: _ModelOnly."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(arguments[0], [*arguments[1:], *metadata])
    if annotation is Hand:
        return _HandText
    if annotation is AwareDatetime:
        return Annotated[datetime, msgspec.Meta(tz=True)]
    rules = [part for rule in metadata for part in (rule.metadata if isinstance(rule, FieldInfo) else [rule])]
    if any(isinstance(rule, _Validator) and rule.func not in _NOT_MISSED for rule in rules):
        raise _ModelOnly
    bounds = {name: getattr(rule, name) for rule in rules for name in _BOUNDS if hasattr(rule, name)}
    kind = _nested(annotation, origin, arguments)
    return Annotated[kind, msgspec.Meta(**bounds)] if bounds else kind


def _nested(annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Any:
    if origin in {Union, UnionType}:
        return Union[tuple(_kind(argument, []) for argument in arguments)]  # noqa: UP007 made, not written
    if origin in {tuple, dict}:
        return origin[tuple(one if one is Ellipsis else _kind(one, []) for one in arguments)]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _struct(annotation)
    if (
        origin is Literal
        or annotation in _TYPES
        or (isinstance(annotation, type) and issubclass(annotation, Word))
    ):
        return annotation
    raise _ModelOnly


# --- Reading -------------------------------------------------------------------------------------------


def reader(model: type[_Event]) -> Callable[[bytes], _Event] | None:
    """Reads stored bytes as the plain type of this model; None where only the model can.

    What it gives has every attribute of the model, and passes for one in the eyes of a type checker: that is
    what lets a fold take either. It raises what is in `REFUSALS`.
    """
    try:
        struct = _struct(model)
    except _ModelOnly:
        return None
    return cast("Callable[[bytes], _Event]", msgspec.json.Decoder(struct, dec_hook=_read_hand).decode)


REFUSALS = (msgspec.MsgspecError, ValueError, TypeError, LookupError, RecursionError)
"""What a `reader` raises for bytes that are no such event."""

READERS: Mapping[str, Callable[[bytes], LedgerEvent]] = {
    topic: reader(model) or model.__pydantic_validator__.validate_json for topic, model in BY_TOPIC.items()
}
"""A topic written today, to what reads its bytes."""


def decode_plain(topic: str, state: bytes, stream: str = "", version: int = 0) -> LedgerEvent:
    """The event behind stored bytes, as plain as can be. Arguments and errors are those of `decode`."""
    try:
        return READERS[topic](state)
    except REFUSALS:  # an older topic, or bytes of which the model will say what is wrong with them
        return decode(topic, state, stream, version)
