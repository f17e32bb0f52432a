"""Tapes: reading them, importing them, making them."""
