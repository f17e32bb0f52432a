"""The events as stored values: their names, their shapes, their bytes."""
