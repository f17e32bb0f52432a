"""Exports: the same figures in other programs' files, to the last part of a penny."""
