"""No float anywhere near money: every module of the ledger is read, not trusted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ledger

ROOT = Path(ledger.__file__).parent
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))

# True divisions whose left side is a Fraction, so that the quotient is one.
OF_FRACTIONS = {
    ("terms/money.py", "due / unit"),
    ("regulation/house_edge.py", "-Fraction(gain) / counts.total"),
}
# Durations, which are no money.
SECONDS = {
    ("store/sqlite_connections.py", "0.02"),
    ("store/sqlite_connections.py", "float"),
    ("store/postgres.py", "0.2"),
}


def floats_in(source: str) -> Iterator[str]:
    """Everything in a source text that is a float or makes one, as text."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=float() | complex()):
                yield ast.unparse(node)
            case ast.Name(id="float" | "complex"):
                yield node.id
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                yield ast.unparse(node)


@pytest.mark.parametrize("module", MODULES)
def test_no_module_of_the_ledger_holds_or_makes_a_float(module: str) -> None:
    found = {(module, what) for what in floats_in((ROOT / module).read_text(encoding="utf-8"))}
    assert found <= OF_FRACTIONS | SECONDS


def test_every_exception_is_still_there() -> None:
    """An exception that outlives its line would excuse the next one."""
    found = {
        (module, what)
        for module in MODULES
        for what in floats_in((ROOT / module).read_text(encoding="utf-8"))
    }
    assert found == OF_FRACTIONS | SECONDS


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 0.95", ["0.95"]),
        ("x = 1e3", ["1000.0"]),
        ("x = 1j", ["1j"]),
        ("x = float(stake)", ["float"]),
        ("def pay(stake: float) -> int: ...", ["float"]),
        ("x = stake * 19 / 20", ["stake * 19 / 20"]),
        ("stake /= 2", ["stake /= 2"]),
        ("x = stake * 19 // 20", []),
        ("x = '19/20, a float of 0.95'  # 0.95", []),
    ],
)
def test_the_reader_sees_a_float_when_there_is_one(source: str, found: list[str]) -> None:
    assert list(floats_in(source)) == found
