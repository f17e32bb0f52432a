"""From the bytes of a line to a value, or to an error that says where and why.

Strict where leniency would lose money: a key that stands twice, NaN, an amount with a fraction and text
after the object are errors. What a lenient reader would pick of them is anybody's guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import jiter
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ledger.errors import MalformedInput, NotJson, Unreadable

_Read = TypeVar("_Read")

CODES: Mapping[str, str] = {
    "int_type": "not-an-integer",
    "int_from_float": "not-an-integer",
    "int_parsing": "not-an-integer",
    "greater_than": "too-small",
    "greater_than_equal": "too-small",
    "less_than_equal": "too-large",
    "less_than": "too-large",
    "int_parsing_size": "too-large",
    "missing": "field-missing",
    "extra_forbidden": "field-unknown",
    "enum": "unknown-value",
    "literal_error": "unknown-value",
    "union_tag_invalid": "unknown-command",
    "union_tag_not_found": "field-missing",
    "string_pattern_mismatch": "bad-name",
    "too_long": "too-many",
}
"""pydantic's name of an error, to the code it goes by here; any other is `unreadable`."""
_CODES_BY_FIELD: Mapping[tuple[str, str], str] = {("enum", "kind"): "unknown-kind"}
_FINDINGS_MAX = 20


class Finding(MalformedInput):
    """What is wrong with a line: the first finding's code, and all findings with their positions."""

    def __init__(self, code: str, detail: str, paragraph: str | None) -> None:
        super().__init__(detail)
        self.code = code  # type: ignore[misc]  # of this line, not of the class
        self.detail = detail
        self.paragraph = paragraph

    def __str__(self) -> str:
        return self.detail


def read_json(content: bytes) -> Any:
    """The JSON value of one line.

    Raises:
        NotJson: not UTF-8, not JSON, cut short, a key twice, NaN, or not an object.
    """
    try:
        value = jiter.from_json(content, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        raise NotJson(str(error)) from error
    if not isinstance(value, dict):
        raise NotJson(f"a {type(value).__name__} where an object should be")
    return value


def read(content: bytes, reader: TypeAdapter[_Read]) -> _Read:
    """One line as the value that `reader` reads.

    Raises:
        NotJson: see `read_json`.
        Finding: it is JSON, but not such a value; all findings at once.
    """
    return validated(read_json(content), reader)


def validated(value: Any, reader: TypeAdapter[_Read]) -> _Read:
    """What `read_json` gave as the value that `reader` reads. Raises: Finding, see `read`."""
    try:
        return reader.validate_python(value)
    except ValidationError as error:
        raise _finding(error) from error


def _finding(error: ValidationError) -> Finding:
    details = error.errors(include_url=False, include_input=False)
    said = "; ".join(_said(detail) for detail in details[:_FINDINGS_MAX])
    if len(details) > _FINDINGS_MAX:
        said += f"; and {len(details) - _FINDINGS_MAX} more"
    ours = _ours(details[0])
    return Finding(_code(details[0]), said, ours.paragraph if ours else None)


def _ours(detail: ErrorDetails) -> MalformedInput | None:
    cause = detail.get("ctx", {}).get("error")
    return cause if isinstance(cause, MalformedInput) else None


def _code(detail: ErrorDetails) -> str:
    if ours := _ours(detail):
        return ours.code
    field = str(detail["loc"][-1]) if detail["loc"] else ""
    kind = detail["type"]
    return _CODES_BY_FIELD.get((kind, field)) or CODES.get(kind, Unreadable.code)


def _said(detail: ErrorDetails) -> str:
    where = ".".join(str(part) for part in detail["loc"] if not _is_inner(part))
    ours = _ours(detail)
    what = str(ours) if ours else detail["msg"].removeprefix("Value error, ").replace("tuple", "list")
    return f"{where}: {what}" if where else what


def _is_inner(part: str | int) -> bool:
    """Whether a part of a position is pydantic's name of a validator, and no place in the line."""
    return isinstance(part, str) and "[" in part
