"""Tapes: every line read or reported, nothing lost, nothing applied by halves."""
