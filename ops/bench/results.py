"""`python -m ops.bench.results`: what runs of the measurements found, as `ops/bench/RESULTS.md`.

    python -m ops.bench.results --take FOLDER     take them all, a file each in that folder, and the page
    python -m ops.bench.results RUN.json …        write the page from such files again

The runs are `python -m ops.bench --json` and `python -m ops.bench.others --json`. All of them take some hours
at their full size; `--small` takes every figure at a size that says little, in minutes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ops.bench.growth_plot import Line, draw, lines_of
from ops.bench.report import COLUMNS, machine_told, row_of
from ops.cli.screen import err
from ops.output import open_output

PAGE = Path(__file__).with_name("RESULTS.md")
PLOT = Path(__file__).with_name("growth.svg")
"""Beside the page; what is measured in large records is drawn there, too."""
DRAWN = "growth"
"""The part of the measurements that is."""
Run = Mapping[str, Any]
RUNS: Mapping[str, tuple[str, ...]] = {
    "core": (
        "ops.bench",
        "--only",
        "writes",
        "--only",
        "reads",
        "--only",
        "http",
        "--only",
        "feed",
        "--repeat",
        "5",
    ),
    "growth": ("ops.bench", "--only", "growth", "--only", "memory", "--events", "500000"),
    "growth-5m": ("ops.bench", "--only", "growth", "--only", "memory", "--events", "5000000"),
    "pages": ("ops.bench", "--only", "pages", "--events", "500000"),
    "pages-5m": ("ops.bench", "--only", "pages", "--events", "5000000"),
    "others": ("ops.bench.others",),
}
SMALL: Mapping[str, tuple[str, ...]] = {
    "core": ("--coups", "600", "--live", "100", "--repeat", "2", "--clients", "4"),
    "growth": ("--events", "30000", "--small", "5000", "--repeat", "1", "--live", "60"),
    "growth-5m": ("--events", "60000", "--small", "5000", "--repeat", "1", "--live", "60"),
    "pages": ("--events", "30000", "--small", "5000", "--repeat", "1"),
    "pages-5m": ("--events", "60000", "--small", "5000", "--repeat", "1"),
    "others": ("--coups", "2000", "--live", "300", "--seconds", "60"),
}
"""What is added to each for `--small`."""
HEAD = """# What was measured

Written by `python -m ops.bench.results`. A ratio compares two contestants at the same work in the same run,
turn about: the median of the turns, and the quartiles. A rate is better the more there is of it; of time and
memory less is better. Absolute figures are that machine's, in that hour.
"""


def page(runs: Sequence[Run]) -> str:
    """The page, from runs as their JSON has them."""
    plot = _plot_shown(_grown(runs))
    return "\n".join([HEAD, *plot, *(_section(run) for run in runs)])


def _grown(runs: Sequence[Run]) -> Mapping[str, Line]:
    """The lines of the plot. What pages and memory come to is in tables: thirty lines show nothing."""
    return lines_of(
        figure for run in runs for part in run["parts"] if part["name"] == DRAWN for figure in part["figures"]
    )


def _plot_shown(lines: Mapping[str, Line]) -> list[str]:
    """The plot of growth, with what it shows in words; nothing where nothing was measured of it."""
    if not lines:
        return []
    said = "; ".join(
        f"{work}: {', '.join(f'{ratio:.2f} at {events:,}' for events, ratio in line)}"
        for work, line in sorted(lines.items())
    )
    return ["## Growth", "", f"![What work costs in a large record. {said}]({PLOT.name})", ""]


def _section(run: Run) -> str:
    lines = [f"## {run['taken_at'][:10]}: {', '.join(part['name'] for part in run['parts'])}", ""]
    lines += [machine_told(run), ""]
    for part in run["parts"]:
        if part["figures"]:
            lines += [f"### {part['title']}", "", *_table(part["figures"]), ""]
    if run["left_out"]:
        lines += ["Left out:", ""]
        lines += [f"* {name}: {reason}" for name, reason in run["left_out"].items()]
        lines.append("")
    return "\n".join(lines)


def _table(figures: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = [COLUMNS, tuple("---" for _ in COLUMNS), *map(row_of, figures)]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]


def take(folder: Path, *, small: bool) -> list[Path]:
    """Take every run, one after the other, a file each. Returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    for name, (module, *arguments) in RUNS.items():
        err().print(f"taking {name}")
        more = SMALL[name] if small else ()
        path = folder / f"{name}.json"
        with path.open("wb") as stream:
            command = [sys.executable, "-m", module, *arguments, *more, "--json"]
            subprocess.run(command, stdout=stream, check=True)  # noqa: S603 – our own arguments
        taken.append(path)
    return taken


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m ops.bench.results",
        description="\n".join((__doc__ or "").split("\n")[2:]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN.json")
    parser.add_argument("--take", type=Path, metavar="FOLDER", help="take the runs first, into this folder")
    parser.add_argument("--small", action="store_true", help="at a small size")
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page (ops/bench/RESULTS.md)")
    wanted = parser.parse_args()
    files = [*wanted.runs, *(take(wanted.take, small=wanted.small) if wanted.take else ())]
    if not files:
        parser.error("name runs, or --take them")
    runs = [json.loads(path.read_text()) for path in files]
    with open_output(wanted.output, "") as stream:
        stream.write(page(runs).encode())
    if lines := _grown(runs):
        wanted.output.with_name(PLOT.name).write_text(draw(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
