"""What a figure was taken on: the machine and the versions, which a ratio still depends on."""

from __future__ import annotations

import os
import platform
import sqlite3
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "eventsourcing",
    "fastapi",
    "msgspec",
    "psycopg",
    "pydantic",
    "uvicorn",
)


def machine() -> dict[str, Any]:
    """The processor, its cores, the memory and how busy all that is."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


def versions(**more: str) -> dict[str, str]:
    """Of what does the work. What is not installed is left out."""
    found = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, **more}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
