"""Recordings that nobody here made, through the ledger. They are not in the repository."""
