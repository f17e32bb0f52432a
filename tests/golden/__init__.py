"""Files that must read and hash for ever as they do today. See README.md here."""
