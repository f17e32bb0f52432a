"""The command line as others script against it: arguments in; tables, JSON and an exit code out."""
