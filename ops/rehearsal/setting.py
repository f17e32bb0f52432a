"""What is laid down for a table of the evening tape before its first coup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ops.rehearsal.tray import Patron

Line = dict[str, Any]
"""One line of a tape."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is laid down for a table before its evening. Money in minor units.

    Attributes:
        opens, last_coup: the coups are spread from one to the other.
        changes_shift: when the second shift takes over.
        seated: the patrons, by shift.
        by_steps: which coups of the evening are reported step by step.
        cases: what out of the ordinary happens, by the coup of the evening.
    """

    name: str
    gaming_day: str
    format: str
    decks: int
    coups: int
    opens: datetime
    last_coup: datetime
    changes_shift: datetime
    seated: Mapping[str, tuple[Patron, ...]]
    denominations: tuple[int, ...]
    opener: int
    terms: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, dict[str, int]] = field(default_factory=dict)
    by_steps: frozenset[int] = frozenset()
    cases: Mapping[int, str] = field(default_factory=dict)
