"""What a run of measurements says: tables for people, JSON for programs, always with the machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from rich.table import Table

from ops.bench.figure import Figure, told
from ops.bench.machine import machine, versions
from ops.cli.screen import out, print_json


class Part(NamedTuple):
    """Some figures that stand in one table; taken while it is read."""

    name: str
    title: str
    figures: Iterator[Figure]


def tell(
    parts: Iterable[Part], left_out: Mapping[str, str], more: Mapping[str, str], *, as_json: bool
) -> None:
    """Take all figures and print them: each part's table when it is there, or one JSON value at the end.

    Args:
        left_out: what is not measured, and why.
        more: versions besides those of `ops.bench.machine`.
    """
    begun = {"taken_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
    begun["versions"] = versions(**more)
    found: list[dict[str, Any]] = []
    for part in parts:
        figures = [figure.as_json() for figure in part.figures]
        found.append({"name": part.name, "title": part.title, "figures": figures})
        if not as_json:
            out().print(table_of(found[-1]))
    if as_json:
        print_json({**begun, "parts": found, "left_out": dict(left_out)})
        return
    for name, reason in left_out.items():
        out().print(f"Left out: {name}: {reason}.")
    out().print(machine_told(begun))


def table_of(part: Mapping[str, Any]) -> Table:
    """A part's figures, as its JSON has them."""
    table = Table(*COLUMNS, title=part["title"])
    for figure in part["figures"]:
        table.add_row(*row_of(figure))
    return table


COLUMNS = ("work", "against", "ratio", "quartiles", "goal", "ours", "the other", "turns")


def row_of(figure: Mapping[str, Any]) -> tuple[str, ...]:
    """One figure in words, a word for each of `COLUMNS`."""
    ratio = figure["ratio"]
    sort, unit = figure["sort"], figure["unit"]
    bound = "" if figure["goal"] is None else f"{'≥' if sort == 'rate' else '≤'} {figure['goal']:g}"
    return (
        figure["name"],
        figure["against"],
        f"{ratio['median']:.2f}",
        f"{ratio['low']:.2f} to {ratio['high']:.2f}",
        bound and f"{bound} {'held' if figure['held'] else 'missed'}",
        told(figure["ours"], sort, unit),
        told(figure["other"], sort, unit),
        str(figure["turns"]),
    )


def machine_told(begun: Mapping[str, Any]) -> str:
    """On what it was measured."""
    on = begun["machine"]
    parts = [
        f"{on['cores']} cores of {on['processor']}",
        f"{on['memory_bytes'] / 2**30:.0f} GiB",
        on["system"],
        f"load average at the start {on['load_average'][0]:g}",
    ]
    of = ", ".join(f"{name} {version}" for name, version in begun["versions"].items())
    return f"{'; '.join(parts)}. {of}."
