"""Decisions: what a command brings about at a table, a shoe or a coup, as events. Pure."""
