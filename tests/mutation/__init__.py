"""Whether the tests would notice: see README.md."""
