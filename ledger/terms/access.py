"""Who may do what: the roles that a credential can have at a premises."""

from __future__ import annotations

from ledger.terms.value import Word


class Role(Word):
    """What somebody is there for. A role says nothing about what another may do: none contains another."""

    PIT = "pit"
    """Deals: tables, banks, shoes, coups, wagers; reports disputes."""
    CAGE = "cage"
    """Moves and counts chips and boxes."""
    ACCOUNTING = "accounting"
    """Reads the figures, closes days."""
    COMPLIANCE = "compliance"
    """Reads what was found, rules, resolves disputes."""
    AUDITOR = "auditor"
    """Reads everything, and writes nothing."""
    ADMIN = "admin"
    """Issues and revokes keys, and nothing else."""
