"""The floor: every table as it stands now, and every coup by where it was dealt."""
