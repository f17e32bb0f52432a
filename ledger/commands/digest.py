"""The digest of a command: by it a command that comes again under its id is known to be the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec
from pydantic import BaseModel

from ledger.commands.base import LedgerCommand
from ledger.terms.hands import Hand
from ledger.terms.value import Word

if TYPE_CHECKING:
    from ledger.commands import Command


def digest_of(command: Command) -> str:
    """SHA-256 of a command's content, in hexadecimal.

    Over its JSON without fields at their defaults: a default spelled out is the same command, and a field
    added in later years with a default leaves every old digest as it was. Fields never change their order.
    """
    return hashlib.sha256(command.command.encode() + b"\n" + content_of(command)).hexdigest()


def content_of(command: LedgerCommand) -> bytes:
    """What the digest is over: as pydantic writes it, by what writes the events, at a part of the cost."""
    return _write(_saying(type(command))(command))


_Saying = Callable[[Any], msgspec.Struct]


@cache
def _saying(model: type[BaseModel]) -> _Saying:
    """Makes of a model what is written of it: its fields in order, without those at their defaults."""
    fields = model.model_fields
    defaults = {
        name: field.get_default(call_default_factory=True)
        for name, field in fields.items()
        if not field.is_required()
    }
    said: Callable[..., msgspec.Struct] = msgspec.defstruct(
        model.__name__,
        [(name, Any, defaults[name]) if name in defaults else (name, Any) for name in fields],
        kw_only=True,
        omit_defaults=True,
        gc=False,
    )
    # msgspec leaves out what is the very default; of a word and of nothing there is one object only.
    equal = [(name, of) for name, of in defaults.items() if not isinstance(of, Word | None)]
    several = [(name, _saying(of)) for name, field in fields.items() if (of := _each_of(field.annotation))]
    if not equal and not several:
        return lambda value: said(**value.__dict__)

    def saying(value: BaseModel) -> msgspec.Struct:
        facts = dict(value.__dict__)
        for name, default in equal:
            if facts[name] == default:
                facts[name] = default
        for name, say in several:
            facts[name] = facts[name] and tuple([say(each) for each in facts[name]])
        return said(**facts)

    return saying


def _each_of(annotation: Any) -> type[BaseModel] | None:
    """The model that a field holds any number of, if it does."""
    if get_origin(annotation) is not tuple:
        return None
    each = get_args(annotation)[0]
    return each if isinstance(each, type) and issubclass(each, BaseModel) else None


def _for_json(value: Hand | BaseModel) -> Any:
    return value.text if isinstance(value, Hand) else _saying(type(value))(value)


_write = msgspec.json.Encoder(enc_hook=_for_json).encode
