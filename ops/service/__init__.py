"""The service: commands in and figures out over HTTP."""
