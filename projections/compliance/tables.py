"""The read tables of compliance, and the SQL that fills them."""

from __future__ import annotations

from projections.at_hand import at_hand_table
from projections.read_table import MAYBE_NUMBER, MAYBE_TEXT, NUMBER, TEXT, ReadTable

FINDINGS = ReadTable(
    "compliance_findings",
    {"premises": TEXT, "gaming_day": TEXT, "sequence": NUMBER, "code": TEXT, "stream": TEXT},
    {
        "table_name": TEXT,  # empty where it is about the premises
        "shift": MAYBE_TEXT,
        "currency": MAYBE_TEXT,
        "severity": TEXT,
        "paragraph": MAYBE_TEXT,
        "reason": MAYBE_TEXT,
        "evidence": TEXT,
        "facts": TEXT,
    },
)
"""A finding a row, those of a premises together: whoever reads them passes over no others. `evidence` are
sequences and `facts` what its sentence is made from, both as JSON."""

PERSONS = ReadTable("compliance_persons", {"sequence": NUMBER, "role": TEXT, "person": TEXT}, {})
"""Whom the findings from an event concern."""

NIGHTS = ReadTable(
    "compliance_nights",
    {"premises": TEXT, "table_name": TEXT, "gaming_day": TEXT},
    {"opened": NUMBER, "loser_gives_up_bank": NUMBER, "currency": TEXT, "closed": MAYBE_NUMBER},
)
"""Each table's gaming days: the sequences of opening and closing."""

SHOES = ReadTable(
    "compliance_shoes",
    {"premises": TEXT, "table_name": TEXT, "shoe": TEXT},
    {"gaming_day": TEXT, "started": NUMBER},
)
"""A shoe is used once, on one gaming day: so it says the day of every coup dealt from it, years later too."""

SHIFTS = ReadTable(
    "compliance_shifts",
    {"premises": TEXT, "gaming_day": TEXT, "table_name": TEXT, "shift": TEXT},
    {"begun": MAYBE_NUMBER, "dropped": MAYBE_NUMBER, "counted": MAYBE_NUMBER},
)
"""Each shift of a table: the sequences of its beginning, of its drop and of the cage's count."""

SEALED = ReadTable("compliance_sealed", {"premises": TEXT, "gaming_day": TEXT}, {"sealed": NUMBER})

DISPUTES = ReadTable(
    "compliance_disputes",
    {"premises": TEXT, "coup": TEXT, "dispute": TEXT},
    {
        "table_name": TEXT,
        "gaming_day": TEXT,
        "raised": NUMBER,
        "received_at": TEXT,
        "unresolved_at": TEXT,
        "resolved": MAYBE_NUMBER,
        "resolved_at": MAYBE_TEXT,
    },
)
"""Every dispute. Whether one is overdue is a fact of the clock, which a fold has none of."""

COVERAGE = ReadTable(
    "compliance_coverage",
    {
        "month": TEXT,
        "premises": TEXT,
        "format": TEXT,
        "profile": TEXT,
        "what": TEXT,
        "results": TEXT,
        "outcome": TEXT,
    },
    {"coups": NUMBER, "wagers": NUMBER, "first_coup": TEXT, "first_sequence": NUMBER},
)
"""What coups exercised: `what` is a kind of wager, or `bank` or `offer`. The first one is the example."""

AT_HAND = at_hand_table("compliance")

TABLES = (FINDINGS, PERSONS, NIGHTS, SHOES, SHIFTS, SEALED, DISPUTES, COVERAGE, AT_HAND)

# --- Adding --------------------------------------------------------------------------------------------

EXERCISED = """
    INSERT INTO {compliance_coverage} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (month, premises, format, profile, what, results, outcome) DO UPDATE SET
        coups = {compliance_coverage}.coups + excluded.coups,
        wagers = {compliance_coverage}.wagers + excluded.wagers"""
"""The example stays the one that is there: events come in order."""

CLOSED = "UPDATE {compliance_nights} SET closed = ? WHERE premises = ? AND table_name = ? AND gaming_day = ?"
RESOLVED = "UPDATE {compliance_disputes} SET resolved = ?, resolved_at = ? "
RESOLVED += "WHERE premises = ? AND coup = ? AND dispute = ?"


def _shift_told(column: str) -> str:
    """SQL that notes what is known of a shift in one column; the first that is told of it stays."""
    table = "{compliance_shifts}"
    return (
        f"INSERT INTO {table} (premises, table_name, gaming_day, shift, {column}) VALUES (?, ?, ?, ?, ?) "
        f"ON CONFLICT ({', '.join(SHIFTS.key)}) "
        f"DO UPDATE SET {column} = COALESCE({table}.{column}, excluded.{column})"
    )


SHIFT_BEGUN = _shift_told("begun")
SHIFT_DROPPED = _shift_told("dropped")
SHIFT_COUNTED = _shift_told("counted")

# --- Placing -------------------------------------------------------------------------------------------
# Where an event does not say its gaming day SQL looks it up. What a lookup may see are events before its own,
# whatever the batch: hence the sequences in its conditions.

_NIGHT_THEN = """(
    SELECT gaming_day FROM {compliance_nights} AS night
    WHERE night.premises = ? AND night.table_name = ? AND night.opened < ?
    ORDER BY gaming_day DESC LIMIT 1)"""
_SHOES_DAY = """(
    SELECT gaming_day FROM {compliance_shoes} AS shoe
    WHERE shoe.premises = ? AND shoe.table_name = ? AND shoe.shoe = ? AND shoe.started < ?)"""

DAY = f"COALESCE({_SHOES_DAY}, {_NIGHT_THEN}, CAST(? AS TEXT))"
"""The gaming day of something about a table, perhaps about a coup from this shoe: the shoe's, else the latest
that the table had opened for, else the day by the clock.

Parameters: premises, table, shoe, sequence, premises, table, sequence, the day by the clock.
"""

_BIG, _TEXT = (
    "CAST(? AS BIGINT)",
    "CAST(? AS TEXT)",
)  # an engine may not guess what a bare mark in a SELECT is
_WHAT = f"{_TEXT}, {_TEXT}, {_TEXT}"  # severity, paragraph, reason
_FACTS = f"{_TEXT}, {_TEXT}"  # evidence, facts
_SINCE_OPENING = f"'[' || CAST(hand.opened AS TEXT) || ',' || {_TEXT} || ']', {_TEXT}"

_INTO = """INSERT INTO {compliance_findings}
        (gaming_day, sequence, code, stream, premises, table_name, shift, currency,
        severity, paragraph, reason, evidence, facts)"""

FOUND_ON_TABLE = f"""
    {_INTO}
    SELECT {DAY}, {_BIG}, {_TEXT}, {_TEXT}, {_TEXT}, {_TEXT}, NULL, NULL, {_WHAT}, {_FACTS}"""
"""Of a table or of a coup that need not be at hand. Parameters: those of `DAY`, then sequence, code, stream,
premises, table, severity, paragraph, reason, evidence, facts."""

FOUND_ON_COUP = f"""
    {_INTO}
    SELECT hand.gaming_day, {_BIG}, {_TEXT}, hand.coup, hand.premises, hand.table_name, hand.shift,
        hand.currency, {_WHAT}, {_FACTS}
    FROM {{compliance_at_hand}} AS hand WHERE hand.coup = ?"""
"""Of a coup at hand. Parameters: sequence, code, severity, paragraph, reason, evidence, facts, coup."""

FOUND_ON_COUPS = f"""
    {_INTO}
    SELECT hand.gaming_day, {_BIG}, {_TEXT}, hand.coup, hand.premises, hand.table_name, hand.shift,
        hand.currency, {_WHAT}, {_SINCE_OPENING}
    FROM {{compliance_at_hand}} AS hand WHERE hand.premises = ? AND hand.gaming_day = ?"""
"""Of every coup at hand on a gaming day. Parameters: sequence, code, severity, paragraph, reason, sequence,
facts, premises, day."""
FOUND_ON_COUPS_OF_TABLE = FOUND_ON_COUPS + " AND hand.table_name = ?"
FOUND_ON_COUPS_OF_BANK = f"""{FOUND_ON_COUPS_OF_TABLE} AND EXISTS (
        SELECT 1 FROM {{compliance_nights}} AS night
        WHERE night.premises = hand.premises AND night.table_name = hand.table_name
            AND night.gaming_day = hand.gaming_day AND night.loser_gives_up_bank = ?)"""

_NIGHT = """
    FROM {compliance_nights} AS night
    WHERE night.premises = ? AND night.table_name = ? AND night.gaming_day = ?"""
_NIGHT_OF_BANK = f"{_NIGHT} AND night.loser_gives_up_bank = ?"
FOUND_ON_NIGHT = f"""
    {_INTO}
    SELECT night.gaming_day, {_BIG}, {_TEXT}, {_TEXT}, night.premises, night.table_name, {_TEXT},
        night.currency, {_WHAT}, {_FACTS} {_NIGHT}"""
"""Of a table's night. Parameters: sequence, code, stream, shift, severity, paragraph, reason, evidence,
facts, premises, table, day."""
FOUND_ON_BANK = f"{FOUND_ON_NIGHT} AND night.loser_gives_up_bank = ?"
"""The same, if a losing banker gives up the bank there (1) or does not (0), which is the last parameter."""
PERSON_OF_BANK = f"INSERT INTO {{compliance_persons}} SELECT {_BIG}, {_TEXT}, {_TEXT} {_NIGHT_OF_BANK}"

DISPUTE_RAISED = f"""
    INSERT INTO {{compliance_disputes}}
        (coup, dispute, premises, table_name, gaming_day, raised, received_at, unresolved_at)
    SELECT {_TEXT}, {_TEXT}, {_TEXT}, {_TEXT}, {DAY}, {_BIG}, {_TEXT}, {_TEXT}"""
"""Parameters: coup, dispute, premises, table, those of `DAY`, sequence, received_at, unresolved_at."""

LATER = (
    DISPUTE_RAISED,
    RESOLVED,
    CLOSED,
    FOUND_ON_TABLE,
    FOUND_ON_COUP,
    FOUND_ON_COUPS,
    FOUND_ON_COUPS_OF_TABLE,
    FOUND_ON_COUPS_OF_BANK,
    FOUND_ON_NIGHT,
    FOUND_ON_BANK,
    PERSON_OF_BANK,
)
"""Statements that look something up or change what is there, in the order in which they are run: a dispute is
raised before it is resolved."""
