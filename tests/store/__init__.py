"""The store on SQLite: the contracts of its ports, the library's own cases, and what is SQLite's alone."""
