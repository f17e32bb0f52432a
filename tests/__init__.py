"""The promises, room by room."""
