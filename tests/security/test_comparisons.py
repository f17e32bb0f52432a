"""Secrets are compared in the same time whatever they are: by `hmac.compare_digest`, and nowhere by `==`."""

from __future__ import annotations

import ast
import hmac
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.terms.access import Role
from ops.service.admitted import TRUSTED_FOR
from ops.service.cursors import Cursors
from ops.service.refusals import CursorUnknown
from tests.service.at_work import at_work

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for room in ("ops/service", "ops/console", "ops/feed", "ops/relay", "ledger/seal")
    for path in (ROOT / room).glob("*.py")
)
SECRET = re.compile(r"(secret|digest|signature|password|token|seed|mac)$", re.IGNORECASE)
NO_SECRETS = {
    ("ops/console/assets.py", "digest"): "of a file that everybody may have, and in its address",
    ("ops/service/consents.py", "digest"): "of a proposal, shown to whoever consents to it",
    ("ledger/seal/oneform.py", "digest"): "a bundle's digest is in the bundle, for everybody",
}
"""Compared with `==`, and why that tells nobody anything."""


def compared_plainly(source: str) -> Iterator[str]:
    """What the names are that end like a secret's and stand in `==` or `!=`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and any(isinstance(each, ast.Eq | ast.NotEq) for each in node.ops):
            for side in (node.left, *node.comparators):
                name = _name(side)
                if name is not None and SECRET.search(name):
                    yield name


def _name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


@pytest.mark.parametrize("module", MODULES)
def test_no_secret_is_compared_with_equals(module: str) -> None:
    found = set(compared_plainly((ROOT / module).read_text(encoding="utf-8")))
    assert found == {name for at, name in NO_SECRETS if at == module}


def test_such_a_comparison_would_be_found() -> None:
    source = "if _digest(secret) == digest or row.signature != signed: pass"
    assert set(compared_plainly(source)) == {"_digest", "digest", "signature"}


def never(*_: Any) -> bool:
    return False


def test_it_is_the_safe_comparison_that_decides_on_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it says no, a good key opens nothing."""
    with at_work(tmp_path / "ledger.db") as working:
        assert working.gets("pnl", Role.AUDITOR).status_code == 200
        monkeypatch.setattr(hmac, "compare_digest", never)
        working.clock.moves(TRUSTED_FOR)
        assert working.gets("pnl", Role.AUDITOR).status_code == 401


def test_it_is_the_safe_comparison_that_decides_on_a_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    cursors = Cursors(b"secret")
    given = cursors.make("coups", {}, [1])
    assert cursors.read("coups", {}, given) == [1]
    monkeypatch.setattr(hmac, "compare_digest", never)
    with pytest.raises(CursorUnknown):
        cursors.read("coups", {}, given)
