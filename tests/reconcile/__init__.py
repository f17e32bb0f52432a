"""The daily job."""
