"""The console: what inspectors, the cage, accountants and compliance look at, in a browser."""
