"""What the cage and the tables counted."""
