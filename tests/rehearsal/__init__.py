"""Tapes: made, read and imported."""
