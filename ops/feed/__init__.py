"""The consumers' feed: the record as CloudEvents, in order, for whoever may read it."""
