"""What came of a fault test, and how it tells while it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ops.cli.screen import err, progress_bar


@dataclass
class Held:
    """What was done, by what people call it, and what did not hold."""

    done: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    promise: str = ""

    def last_line(self, test: str) -> str:
        """In one sentence."""
        counts = ", ".join(f"{count:,} {what}" for what, count in self.done.items())
        if self.broken:
            return f"{test}: {len(self.broken)} broken after {counts}"
        return f"{test}: held after {counts}: {self.promise}"


class Telling:
    """Progress: a bar for people; where there is no terminal, a line now and then."""

    def __init__(self, bar: object, task: object, total: int) -> None:
        self._bar, self._task, self._total, self._done, self._told = bar, task, total, 0, 0

    def step(self, count: int = 1) -> None:
        """So many more are done."""
        self._done += count
        self._bar.update(self._task, completed=min(self._done, self._total))  # type: ignore[attr-defined]
        if not err().is_terminal and self._done * 10 // self._total > self._told:
            self._told = self._done * 10 // self._total
            err().print(f"{self._done:,} of {self._total:,}")


@contextmanager
def telling(what: str, total: int) -> Iterator[Telling]:
    """Tell how far it is."""
    with progress_bar(what) as (bar, task):
        bar.update(task, total=total)
        yield Telling(bar, task, total)
