"""What happened at the tables, and whether it may settle."""
