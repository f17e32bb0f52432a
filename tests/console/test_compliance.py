"""The page of compliance over a socket: what its address may say, its pages and its file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest

from ledger.terms.access import Role
from ops.console import compliance
from tests.console.browsing import Session
from tests.service.at_work import AtWork, at_work
from tests.tabletalk import Night

PAGE = "/at/main/compliance"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AtWork]:
    """A punto banco table of limits where seven wagers were too small, one a coup."""
    with at_work(tmp_path_factory.mktemp("compliance") / "ledger.db") as working:
        night = Night().opens(limits={"player": {"min": 500, "max": 10_000}})
        for number in range(1, 8):
            night.coup(number, "P 9 K / B 7 Q", "player 400")
        night.coup(8, "P 9 K / B 7 Q", claimed="banker")  # a warning: the cards say otherwise
        working.plays(night, *Role)
        yield working


@pytest.fixture
def officer(served: AtWork) -> Iterator[Session]:
    session = Session(served, "law-1", Role.COMPLIANCE)
    yield session
    session.http.close()


@pytest.mark.parametrize(
    "query",
    [
        "from=yesterday",
        "from=2026-11-28&to=2026-11-27",
        "severity=terrible",
        "table=a/b",
        "person=%27;--",
        "paragraph=%3Cb%3E",
        "code=No",
        "view=all",
        "after=-1",
    ],
)
def test_what_the_address_says_wrongly_is_told(officer: Session, query: str) -> None:
    answer = officer.gets(f"{PAGE}?{query}")
    assert answer.status_code == 422
    assert "What to do:" in answer.text


def test_findings_come_in_pages_and_none_is_shown_twice_or_never(
    officer: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compliance, "ROWS", 3)
    seen: list[str] = []
    path = PAGE
    while True:
        text = officer.gets(path).text
        seen += [f"T1/S1/{number}" for number in range(1, 8) if f">T1/S1/{number}<" in text]
        if 'rel="next"' not in text:
            break
        path = PAGE + text.partition('<p class="pager"><a href="')[2].partition('#findings"')[0].replace(
            "&amp;", "&"
        )
    assert seen == [f"T1/S1/{number}" for number in range(1, 8)]


def test_the_file_has_all_of_them_whatever_page_is_shown(
    officer: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compliance, "ROWS", 3)
    answer = officer.gets(f"{PAGE}?as=findings.csv&after=3&severity=info")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["about"] for row in rows] == [f"T1/S1/{number}" for number in range(1, 8)]
    assert {(row["severity"], row["paragraph"], row["gaming_day"]) for row in rows} == {
        ("info", "terms.limits", "2026-11-27")
    }


def test_a_severity_is_just_that_one_unless_graver_ones_are_asked_for(officer: Session) -> None:
    shown = {
        severity: [number for number in (1, 8) if f">T1/S1/{number}<" in text]
        for severity in ("info", "warning", "warning-and-graver", "breach")
        if (text := officer.gets(f"{PAGE}?severity={severity}").text)
    }
    assert shown == {"info": [1], "warning": [8], "warning-and-graver": [8], "breach": []}
