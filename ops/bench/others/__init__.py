"""The same work by others: event stores and ledgers that somebody might take instead, by their guides."""
