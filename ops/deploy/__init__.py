"""What an installation needs around the program, and the drill that runs its runbook."""
