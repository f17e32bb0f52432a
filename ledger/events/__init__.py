"""What happened: one frozen model for each kind of fact, and the catalogue of their stable names."""
