"""The list of survivors is read as it is meant."""

from __future__ import annotations

from tests.mutation.judge import SURVIVORS, Mutant, dead, ends_of, explained, mutant_of

NAME = "ledger.regulation.acceptance.x_outside_limits__mutmut_1"
DIFF = """# ledger.regulation.acceptance.x_outside_limits__mutmut_1: survived
--- ledger/regulation/acceptance.py
+++ ledger/regulation/acceptance.py
@@ -1,5 +1,5 @@
 def outside_limits(stake: int, least: int, most: int) -> str | None:
-    if least <= stake <= most:
+    if least < stake <= most:
         return None
"""


def test_a_mutant_is_known_by_its_function_and_its_lines() -> None:
    """Its number would be another's after the next change."""
    mutant = mutant_of(NAME, DIFF)
    assert mutant == Mutant(
        "ledger.regulation.acceptance.outside_limits",
        "if least <= stake <= most:",
        "if least < stake <= most:",
    )
    assert explained(f"{mutant}nobody stakes that\n") == {mutant: "nobody stakes that"}


def test_a_method_is_known_by_its_class() -> None:
    assert mutant_of("ledger.terms.odds.xǁOddsǁon__mutmut_2", DIFF).where == "ledger.terms.odds.Odds.on"


def test_without_a_reason_a_survivor_is_not_explained() -> None:
    assert explained(f"{mutant_of(NAME, DIFF)}\n") == {}


def test_what_became_of_each_is_read() -> None:
    assert ends_of(f"    {NAME}: survived\n    other: no tests\n") == {NAME: "survived", "other": "no tests"}


def test_what_is_explained_and_died_is_found_unless_it_was_not_tried() -> None:
    """`run` may be asked for some of the functions."""
    mutant = mutant_of(NAME, DIFF)
    other = mutant_of("ledger.terms.odds.xǁOddsǁon__mutmut_2", DIFF)
    ends = {NAME: "killed", "ledger.terms.odds.xǁOddsǁon__mutmut_2": "not checked"}
    assert dead([mutant, other], [], ends) == {mutant}
    assert dead([mutant, other], [mutant], ends) == set()


def test_every_line_of_the_list_is_read() -> None:
    lines = [line for line in SURVIVORS.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
    assert len(explained("\n".join(lines))) == len(lines)
