"""What comes from outside, spoilt in every way that can be made up: see `__main__`."""
