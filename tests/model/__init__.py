"""Whole nights at three tables, step by step, beside the oracle: see README.md."""
