"""The program's own log, on standard error: what it did, never whose stake it was."""

from __future__ import annotations

import logging
import os
import sys

import structlog

from ops.settings import LOG_VARIABLE


def configure(default: str = "warning") -> None:
    """Readable lines on a terminal, JSON elsewhere; `BACCARAT_LEDGER_LOG` sets the level."""
    wanted = os.environ.get(LOG_VARIABLE, default).upper()
    level = logging.getLevelNamesMapping().get(wanted, logging.WARNING)
    terminal = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer() if terminal else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
