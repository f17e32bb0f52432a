"""The relay, against real NATS servers."""
