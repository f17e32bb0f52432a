"""Bad input, made up without end: see `__main__`."""
