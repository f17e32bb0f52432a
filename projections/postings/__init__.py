"""The books in double entry."""
