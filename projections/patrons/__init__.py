"""What patrons staked and won, by token, against dated thresholds."""
