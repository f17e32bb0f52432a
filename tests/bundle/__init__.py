"""The bundle of a coup: round trips, alterations, and a reader that shares nothing with the ledger."""
