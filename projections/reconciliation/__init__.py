"""What the wagers say against what was counted."""
