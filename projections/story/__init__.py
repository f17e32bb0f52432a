"""One coup told: from its own stream, for people and for programs."""
