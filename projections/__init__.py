"""The read side: what the record adds up to. Never decides anything."""
