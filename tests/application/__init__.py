"""Tests of the application: once for ever, whole or not at all, and several writers at once."""
