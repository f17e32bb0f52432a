"""Regulation 6, cell by cell, against the text, the published figures and the oracle."""
