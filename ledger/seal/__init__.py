"""The seal: a Merkle tree over the record's stored bytes, signed checkpoints of it, and proofs."""
