"""What `ops/SECURITY.md` says is so: secrets, comparisons, licences."""
