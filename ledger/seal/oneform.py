"""Files that are JSON in one form only, with a digest in them: bundles and proofs of extension.

The form is that of RFC 8785: UTF-8, members sorted by name, no blank between, nothing escaped that need not
be; then one newline. So no byte of such a file can be another. The digest finds accidents, and protects from
nobody: whoever changes the file can make it anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, TypeVar

from pydantic import ValidationError

from ledger.errors import LedgerError
from ledger.terms.value import Value

File = TypeVar("File", bound=Value)
Refusal = Callable[[str], LedgerError]
"""Makes an error of a reason."""

_PLACE_SHOWN = 60
"""Characters of the name of a bad member that its error shows."""


def write_one_form(content: Mapping[str, Any]) -> bytes:
    """The file of this content, with its digest. Numbers in it are whole."""
    return _canonical({**content, "digest": _digest(content)}) + b"\n"


def read_one_form(source: bytes, model: type[File], malformed: Refusal, altered: Refusal) -> File:
    """What a file says, whose `model` has a member `digest`.

    Raises:
        malformed: it cannot be read, or was cut short.
        altered: it is not in its one form, or the digest is not its own.
    """
    if not source.endswith(b"}\n"):
        raise malformed("it does not end as such a file ends; it may have been cut short")
    try:
        file = model.model_validate_json(source)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))[:_PLACE_SHOWN]
        raise malformed(f"{place!r}: {first['msg']}" if place else first["msg"]) from error
    content = file.model_dump(mode="json")
    if _canonical(content) + b"\n" != source:
        raise altered("it is not written in its one form")
    digest = content.pop("digest")
    if digest != (found := _digest(content)):
        raise altered(f"its digest is {found}, and it says {digest[:80]!r}")
    return file


def _canonical(content: Any) -> bytes:
    """Python writes whole numbers and text just as RFC 8785 asks, and there is nothing else in such files."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def _digest(content: Any) -> str:
    """SHA-256 of all else in the file."""
    return sha256(_canonical(content)).hexdigest()
