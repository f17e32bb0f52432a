"""Plain values: the same facts in the same places as a model's, at a fraction of the cost.

The models are the one source: a plain type is made from each, with the same names, defaults, words and
bounds. It is no model, so what is looked up by type is looked up by name. Making one looks at nothing;
reading one looks at everything that its model looks at but

    patterns     of names, currencies and commands' ids: searching a text costs more than all the rest
    order        of the members of hands, results, limits and chips: they stay as they are given
    fractions    of a second beyond six digits: rounded here, cut off there
    chips        how a denomination is written, and what a rack of them may come to
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator
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

from ledger.terms.hands import Hand, hand
from ledger.terms.house import Chips
from ledger.terms.value import GamingDay, Value, Word, in_order

_Value = TypeVar("_Value", bound=Value)

REFUSALS = (msgspec.MsgspecError, ValueError, TypeError, LookupError, RecursionError)
"""What a plain type raises for what is no such value."""

_TYPES = frozenset({str, int, bool, date, type(None)})
_BOUNDS = ("gt", "ge", "lt", "le", "min_length", "max_length")
_Validator = AfterValidator | BeforeValidator | PlainValidator | WrapValidator


def _functions(annotation: Any) -> frozenset[Any]:
    return frozenset(rule.func for rule in get_args(annotation)[1:])


_NOT_MISSED = frozenset({in_order}) | _functions(GamingDay)
"""Validators that a plain type does without. The first is named above. The other refuses days that are not
written as such, which here no number and no other text is."""
_MISSED = _functions(Chips)
"""Validators that bytes must pass before they may be read plain; what has been a model has passed."""


class _HandText(ABC):  # noqa: B024 it has a name only
    """What msgspec is told that a hand is, lest it read one as the object of its fields."""


_HandText.register(Hand)


def _read_hand(_: type, text: Any) -> Hand:
    return hand(text)


# --- From models to plain types ------------------------------------------------------------------------

_PLAIN: dict[type[BaseModel], type[msgspec.Struct]] = {}
_NOT_READ: set[type[BaseModel]] = set()
"""Models of which some rule is missed by their plain type: their bytes are read by the model."""


def _struct(model: type[BaseModel]) -> type[msgspec.Struct]:
    """The plain type of a model. Raises: TypeError: it has a rule that only the model knows."""
    if model not in _PLAIN:
        rules = model.__pydantic_decorators__
        checks = [rule.func for rule in rules.model_validators.values() if rule.info.mode == "after"]
        if rules.field_validators or rules.root_validators or len(checks) < len(rules.model_validators):
            msg = f"{model.__name__} has a validator that its plain type could not have"
            raise TypeError(msg)
        namespace = dict(_members(model))
        if checks:
            namespace["__post_init__"] = _checked_by(checks)
        _PLAIN[model] = msgspec.defstruct(
            model.__name__,
            [_field(model, *named) for named in model.model_fields.items()],
            namespace=namespace,
            module=__name__,
            frozen=True,
            kw_only=True,
            forbid_unknown_fields=model.model_config.get("extra") == "forbid",
            omit_defaults=True,  # that is None: see `_field`
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


def _field(model: type[BaseModel], name: str, field: FieldInfo) -> tuple[Any, ...]:
    """A default that is None is left out when written; any other is written, so msgspec may not know it."""
    kind = _kind(model, field.annotation, field.metadata)
    if field.is_required():
        return name, kind
    default = field.get_default(call_default_factory=True)
    return name, kind, None if default is None else msgspec.field(default_factory=lambda: default)


def _kind(model: type[BaseModel], annotation: Any, metadata: list[Any]) -> Any:
    """A field's type as msgspec has it, with those of its bounds that it knows. Raises: TypeError."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(model, arguments[0], [*arguments[1:], *metadata])
    if annotation is Hand:
        return _HandText
    if annotation is AwareDatetime:
        return Annotated[datetime, msgspec.Meta(tz=True)]
    rules = [part for rule in metadata for part in (rule.metadata if isinstance(rule, FieldInfo) else [rule])]
    for rule in rules:
        if isinstance(rule, _Validator) and rule.func not in _NOT_MISSED:
            if rule.func not in _MISSED:
                msg = f"{model.__name__} has a field with a rule that its plain type could not have"
                raise TypeError(msg)
            _NOT_READ.add(model)
    bounds = {name: getattr(rule, name) for rule in rules for name in _BOUNDS if hasattr(rule, name)}
    kind = _nested(model, annotation, origin, arguments)
    return Annotated[kind, msgspec.Meta(**bounds)] if bounds else kind


def _nested(model: type[BaseModel], annotation: Any, origin: Any, arguments: tuple[Any, ...]) -> Any:
    if origin in {Union, UnionType}:
        return Union[tuple(_kind(model, argument, []) for argument in arguments)]  # noqa: UP007 made, not written
    if origin in {tuple, dict}:
        return origin[tuple(one if one is Ellipsis else _kind(model, one, []) for one in arguments)]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        struct = _struct(annotation)
        if annotation in _NOT_READ:
            _NOT_READ.add(model)
        return struct
    if (
        origin is Literal
        or annotation in _TYPES
        or (isinstance(annotation, type) and issubclass(annotation, Word))
    ):
        return annotation
    msg = f"{model.__name__} has a field of a kind that no plain type has: {annotation}"
    raise TypeError(msg)


# --- Making, writing and reading -----------------------------------------------------------------------


def plain(model: type[_Value]) -> type[_Value]:
    """The plain type of a model, which passes for it in the eyes of a type checker.

    Made by its fields' names, and looks at nothing that it is given. Raises: TypeError: it cannot have one.
    """
    return cast("type[_Value]", _struct(model))


def made_plain(value: _Value) -> _Value:
    """The same value, plain; the models in it stay models, and are written like plain ones."""
    if _is_plain(value):
        return value
    known: Any = _PLAIN.get(type(value)) or _struct(type(value))
    made: _Value = known(**value.__dict__)
    return made


def _is_plain(value: object) -> bool:
    return isinstance(value, msgspec.Struct)


def reader(model: type[_Value]) -> Callable[[bytes], _Value] | None:
    """Reads JSON as the plain type of this model; None where only the model can. See `REFUSALS`."""
    struct = _struct(model)
    if model in _NOT_READ:
        return None
    return cast("Callable[[bytes], _Value]", msgspec.json.Decoder(struct, dec_hook=_read_hand).decode)


def _for_json(value: Any) -> Any:
    """A hand is its text; a model within a plain value (the terms in a table's opening) is its plain one."""
    return value.text if isinstance(value, Hand) else made_plain(value)


write: Callable[[Any], bytes] = msgspec.json.Encoder(enc_hook=_for_json).encode
"""The JSON of a plain value: its fields in order without those that are None, as its model would write it."""


def as_json(value: Any) -> Any:
    """The same as a JSON value: dictionaries, lists, texts, numbers."""
    return msgspec.to_builtins(value, enc_hook=_for_json)


def changed(value: _Value, **changes: Any) -> _Value:
    """The same value, a model or plain, but for these fields."""
    if _is_plain(value):
        return cast("_Value", msgspec.structs.replace(cast("Any", value), **changes))
    return value.model_copy(update=changes)
