"""Indexes: where coups are to be found."""
