"""The values: what is read exactly, and what is refused."""
