"""The feed: CloudEvents of the record, in order, for whoever may read them."""
