"""Regulation 6 of the Gaming Clubs (Bankers' Games) Regulations 1994, as data and pure functions."""
