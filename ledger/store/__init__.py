"""The event store: the eventsourcing library's, with a mapper and recorders of our own."""
