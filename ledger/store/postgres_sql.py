"""The plain SQL that the read tables are kept in, as PostgreSQL wants it."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count

_TOKENS = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | \? | \bTEXT\b""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
"""What must be left alone (quoted text, quoted names, comments), and the two words that are not."""
_MAKES_TABLE = re.compile(r"\s*CREATE\s+TABLE\b", re.IGNORECASE)
_MAKES_KEPT = re.compile(
    r"\s*CREATE\s+TABLE\s+IF\s+NOT\s+EXISTS\s+(?:seal_\w+|relay_positions)\b", re.IGNORECASE
)
"""The seal's tables and the relay's positions: see `sql/postgres-keeper.sql`."""
_MOVES_TABLE = re.compile(r"\s*(?:ALTER|DROP)\s+TABLE\b", re.IGNORECASE)


@lru_cache(maxsize=1_000)
def for_postgres(sql: str) -> str:
    """The same statement with `$1`, `$2`, … for its marks.

    Columns of text in a new table sort by code points, as on SQLite.
    """
    numbers = count(1)
    makes_table = _MAKES_TABLE.match(sql) is not None

    def written(token: re.Match[str]) -> str:
        if token[0] == "?":
            return f"${next(numbers)}"
        if makes_table and token[0].upper() == "TEXT":
            return 'TEXT COLLATE "C"'
        return token[0]

    return _TOKENS.sub(written, sql)


@lru_cache(maxsize=1_000)
def moves_table(sql: str) -> bool:
    """Whether the statement takes a table from under its name."""
    return _MOVES_TABLE.match(sql) is not None


@lru_cache(maxsize=1_000)
def is_kept(sql: str) -> bool:
    """Whether the statement makes a table that keepers write, who add no event."""
    return _MAKES_KEPT.match(sql) is not None
