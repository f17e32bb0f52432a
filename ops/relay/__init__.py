"""The relay: the record to NATS JetStream, each event once and in order."""
