"""The seal against the RFCs, published vectors, and implementations that nobody here wrote."""
