"""Profit and loss of tables."""
