"""The command line: for people tables, for programs `--json`, for both exit codes."""
