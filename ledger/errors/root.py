"""The root of every error of ours. Imports nothing of ours."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar


class LedgerError(Exception):
    """The root. `code` is stable and for programs, `str()` is for people, the fields are the facts.

    Subclasses are dataclasses; `template` is filled with their fields, but never with who a patron is.
    `paragraph` is the paragraph of the regulation (or the term of the table) that decides, where one does.
    """

    code: ClassVar[str] = "ledger-error"
    template: ClassVar[str] = ""
    paragraph: str | None = None

    def facts(self) -> dict[str, Any]:
        """The fields of this error by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __str__(self) -> str:
        return self.template.format(**self.facts())
