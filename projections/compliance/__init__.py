"""Findings against the regulation, and which of its branches a month exercised."""
