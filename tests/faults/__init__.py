"""Faults: what must hold when processes, disks and servers fail. See README.md."""
