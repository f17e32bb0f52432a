"""The audit: every coup settled again from its cards."""
