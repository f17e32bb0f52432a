"""The read side against the oracle: the same figures, each event once, whatever stops the folding."""
