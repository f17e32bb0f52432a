"""Nights that never happened: seeded, dealt by the tableau, for the demo, for tests and for load."""
