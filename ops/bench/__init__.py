"""Measurements: what the ledger costs, as ratios to a bare loop over the same rows in the same run."""
