"""The close of a day at the console, over a socket: who may, what is refused, and that nothing had moved."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html import unescape
from typing import Any

import httpx
import pytest

from ledger.events.day import DayReconciled, DaySealed
from ledger.terms.access import Role
from ops.console import sign_off
from tests.console.browsing import Session
from tests.service.at_work import AtWork, as_request, at_work, code_of
from tests.tabletalk import Night, events_of

DAY = "2026-11-27"
OPENER = 1_000_000
PROPOSING = ("form_token", "day", "proposal", "position")
"""What is hidden in the form that proposes a close."""


class House:
    """A premises of its own after an evening at one table, whose day the console closes."""

    def __init__(self, served: AtWork, premises: str) -> None:
        self.served, self.premises = served, premises
        self.night = Night(table="T1", prefix=f"{premises}-").opens()
        self.night.coup(1, "P 9 K / B 7 Q", "player 10000")  # £100 to the patron
        self.night.say("count-drop", amount=0)
        self.night.say("close-table", closer={"chips": {"2500": OPENER // 2500}})
        for line in self.night.lines:
            assert self.sends(line, "dealer-1", *Role).status_code == 200

    @property
    def page(self) -> str:
        """The page of its day."""
        return f"/at/{self.premises}/reconciliation?day={DAY}"

    def act(self, name: str) -> str:
        """Where a form of that page goes."""
        return f"/at/{self.premises}/reconciliation/{name}"

    def asks(self, method: str, path: str, person: str, *roles: Role, **more: Any) -> httpx.Response:
        """A request to the service by somebody of this premises."""
        key = self.served.key(person, *roles, premises=self.premises)
        headers = {"authorization": f"Bearer {key}"}
        return self.served.http.request(method, path, headers=headers, **more)

    def sends(self, line: dict[str, Any], person: str, *roles: Role) -> httpx.Response:
        """A line of a tape, to the resource of its command."""
        path, body = as_request({**line, "premises": self.premises})
        return self.asks("POST", path, person, *roles, json=body)

    def gets(self, path: str, **query: str) -> list[Any]:
        """Rows that an auditor reads."""
        whole = f"/v1/premises/{self.premises}/{path}"
        rows: list[Any] = self.asks("GET", whole, "auditor-1", Role.AUDITOR, params=query).json()["rows"]
        return rows

    def counts(self, closer: int = OPENER - 10_000, command: str = "count-1") -> None:
        """The cage counts the table's only shift."""
        line = {
            "command": "record-count",
            "id": f"{self.premises}-{command}",
            "table": "T1",
            "occurred_at": f"{DAY}T23:00:00Z",
            "gaming_day": DAY,
            "counted": {"shift": "1", "opener": OPENER, "closer": closer, "drop": 0},
            "signed_by": ["cashier-4"],
        }
        assert self.sends(line, "cashier-4", Role.CAGE).status_code == 200

    def events(self) -> list[Any]:
        """What the record says of the day."""
        return events_of(self.served.house.ledger, f"day/{self.premises}/{DAY}")

    @property
    def closed(self) -> bool:
        """Whether the day is."""
        return any(isinstance(event, DaySealed) for event in self.events())


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AtWork]:
    with at_work(tmp_path_factory.mktemp("sign-off") / "ledger.db") as working:
        yield working


@pytest.fixture
def house(served: AtWork, request: pytest.FixtureRequest) -> House:
    return House(served, f"h-{zlib.crc32(request.node.name.encode()):08x}")


SignsIn = Callable[..., Session]


@pytest.fixture
def signs_in(house: House) -> Iterator[SignsIn]:
    """Signs somebody in at a browser of their own."""
    with ExitStack() as stack:

        def session(person: str, *roles: Role) -> Session:
            begun = Session(house.served, person, *roles, premises=house.premises)
            stack.callback(begun.http.close)
            return begun

        yield session


@pytest.fixture
def accountant(signs_in: SignsIn) -> Session:
    return signs_in("accounts-1", Role.ACCOUNTING)


@pytest.fixture
def second(signs_in: SignsIn) -> Session:
    return signs_in("law-1", Role.COMPLIANCE)


def told(text: str) -> str:
    return " ".join(unescape(text).split())


def test_a_day_is_closed_by_the_consent_of_the_second_person(
    house: House, accountant: Session, second: Session
) -> None:
    house.counts()
    proposed = accountant.sends(house.page, "/propose", signed_by="law-1")
    assert proposed.status_code == 303
    assert not house.closed
    assert "waiting for law-1" in told(accountant.gets(house.page).text)
    assert second.sends(house.page, "/consent").status_code == 303
    *_, reconciled, sealed = house.events()
    assert isinstance(reconciled, DayReconciled)
    assert isinstance(sealed, DaySealed)
    assert (sealed.actor, sealed.signed_by) == ("accounts-1", ("law-1",))
    (table,) = reconciled.tables
    # drop 0 + closer 990,000 - opener 1,000,000; by wagers 10,000 at 1 to 1 went to the patron
    assert (table.win_by_wagers, table.win_by_inventory, table.variance) == (-10_000, -10_000, 0)


def test_a_close_waits_as_the_services_own_proposal(house: House, accountant: Session) -> None:
    house.counts()
    accountant.sends(house.page, "/propose", signed_by="law-1")
    (waiting,) = house.gets("proposals")
    assert (waiting["proposed_by"], waiting["waiting_for"]) == ("accounts-1", ["law-1"])
    assert waiting["command"]["command"] == "close-day"


def test_a_form_that_is_sent_twice_proposes_once(house: House, accountant: Session) -> None:
    house.counts()
    fields = {**accountant.hidden(house.page, *PROPOSING), "signed_by": "law-1"}
    answers = [accountant.posts(house.act("propose"), fields) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert len(house.gets("proposals")) == 1


def test_nobody_signs_off_alone(house: House, accountant: Session) -> None:
    house.counts()
    answer = accountant.sends(house.page, "/propose", signed_by="Accounts-1")
    assert answer.status_code == 422
    assert "A second person signs the day off. What to do: Name somebody besides yourself." in told(
        answer.text.replace("<strong>", "").replace("</strong>", "")
    )


@pytest.mark.parametrize("name", ["", "two words!", "<b>"])
def test_who_signs_has_a_name(house: House, accountant: Session, name: str) -> None:
    house.counts()
    answer = accountant.sends(house.page, "/propose", signed_by=name)
    assert answer.status_code == 422
    assert "This is nobody" in told(answer.text)


def test_a_variance_above_the_threshold_is_explained_first(
    house: House, accountant: Session, second: Session
) -> None:
    house.counts(closer=OPENER - 15_000)  # £50 short; the threshold is £25
    assert accountant.sends(house.page, "/propose", signed_by="law-1").status_code == 422
    assert (
        accountant.sends(house.page, "/propose", signed_by="law-1", **{"explain-T1": " "}).status_code == 422
    )
    why = "a chip of £50 was found under the table"
    assert (
        accountant.sends(house.page, "/propose", signed_by="law-1", **{"explain-T1": why}).status_code == 303
    )
    second.sends(house.page, "/consent")
    reconciled = house.events()[-2]
    assert (reconciled.tables[0].variance, reconciled.tables[0].explanation) == (5_000, why)


def test_what_is_not_counted_cannot_be_closed(house: House, accountant: Session) -> None:
    page = told(accountant.gets(house.page).text)
    assert "The cage has not counted shift 1 of table T1." in page
    assert "/propose" not in page


def test_whoever_signed_a_count_is_refused_by_the_ledger_and_told_what_to_do(
    house: House, accountant: Session, signs_in: SignsIn
) -> None:
    house.counts()
    accountant.sends(house.page, "/propose", signed_by="cashier-4")
    answer = signs_in("cashier-4", Role.ACCOUNTING, Role.CAGE).sends(house.page, "/consent")
    assert answer.status_code == 409
    assert "The ledger refuses: " in answer.text
    assert "name somebody of neither pit nor cage" in answer.text
    assert not house.closed
    refused = house.gets("compliance", code="sign-off-not-independent")
    assert len(refused) == 1


def test_a_count_that_comes_after_the_figures_stops_the_close(
    house: House, accountant: Session, second: Session
) -> None:
    house.counts()
    accountant.sends(house.page, "/propose", signed_by="law-1")
    house.counts(closer=OPENER - 9_000, command="count-2")
    answer = second.sends(house.page, "/consent")
    assert answer.status_code == 409
    assert "has moved since the record was read" in answer.text
    assert not house.closed
    accountant.sends(house.page, "/withdraw", reason="counted again")
    assert accountant.sends(house.page, "/propose", signed_by="law-1").status_code == 303
    assert second.sends(house.page, "/consent").status_code == 303
    assert house.events()[-2].tables[0].win_by_inventory == -9_000


def test_what_comes_in_the_last_moment_stops_it_and_the_proposal_lapses(
    house: House, accountant: Session, second: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look before the consent and the save, which looks again under the writers' lock."""
    house.counts()
    accountant.sends(house.page, "/propose", signed_by="law-1")
    (waiting,) = house.gets("proposals")
    house.counts(closer=OPENER - 9_000, command="count-2")
    monkeypatch.setattr(sign_off, "check_unmoved", lambda *_: None)
    assert second.sends(house.page, "/consent").status_code == 409
    assert not house.closed
    assert house.gets("proposals") == []
    again = house.sends(waiting["command"], "accounts-1", Role.ACCOUNTING)
    assert (again.status_code, code_of(again)) == (409, "proposal-withdrawn")
    assert not house.closed


def test_a_ruling_that_comes_after_the_figures_stops_the_close(
    house: House, accountant: Session, second: Session
) -> None:
    house.counts()
    accountant.sends(house.page, "/propose", signed_by="law-1")
    ruling = house.night.step("void-coup", 1, reason="A card too many", approvers=["pit-1", "law-1"])
    digest = house.sends(ruling, "dealer-1", Role.PIT).json()["digest"]
    path = f"/v1/premises/{house.premises}/proposals/{ruling['id']}/consents"
    for person, role in (("pit-1", Role.PIT), ("law-1", Role.COMPLIANCE)):
        house.asks("POST", path, person, role, json={"digest": digest})
    assert second.sends(house.page, "/consent").status_code == 409
    assert not house.closed


def test_figures_that_moved_while_somebody_looked_are_not_proposed(house: House, accountant: Session) -> None:
    house.counts()
    fields = {**accountant.hidden(house.page, *PROPOSING), "signed_by": "law-1"}
    house.counts(closer=OPENER - 9_000, command="count-2")
    answer = accountant.posts(house.act("propose"), fields)
    assert answer.status_code == 409
    assert house.gets("proposals") == []


def test_nobody_consents_for_another_nor_to_what_was_not_shown(
    house: House, accountant: Session, second: Session, signs_in: SignsIn
) -> None:
    house.counts()
    accountant.sends(house.page, "/propose", signed_by="law-1")
    third = signs_in("law-2", Role.COMPLIANCE)
    assert "/consent" not in third.gets(house.page).text
    (waiting,) = house.gets("proposals")
    fields = {"proposal": waiting["proposal"], "digest": waiting["digest"]}
    answer = third.posts(house.act("consent"), third.hidden(house.page, "form_token") | fields)
    assert answer.status_code == 403
    assert second.sends(house.page, "/consent", digest="0" * 64).status_code == 409
    assert not house.closed


@pytest.mark.parametrize("act", ["propose", "consent", "withdraw"])
def test_acts_are_for_their_roles_and_for_forms_of_the_session(
    house: House, accountant: Session, signs_in: SignsIn, act: str
) -> None:
    path = house.act(act)
    pit = signs_in("pit-1", Role.PIT, Role.AUDITOR)
    assert pit.posts(path, {**pit.hidden(house.page, "form_token"), "day": DAY}).status_code == 403
    assert "This form is too old" in accountant.posts(path, {"day": DAY}).text


def test_a_closed_day_is_not_proposed_again(house: House, accountant: Session, second: Session) -> None:
    house.counts()
    fields = {**accountant.hidden(house.page, *PROPOSING), "signed_by": "law-1"}
    accountant.sends(house.page, "/propose", signed_by="law-1")
    second.sends(house.page, "/consent")
    answer = accountant.posts(house.act("propose"), fields)
    assert answer.status_code == 422
    assert "The day is closed already." in answer.text


def test_compliance_signs_what_is_proposed_and_reads_no_counts(house: House, second: Session) -> None:
    house.counts()
    page = second.gets(house.page).text
    assert "Win by inventory" not in page
    assert second.gets(house.act(f"report?day={DAY}")).status_code == 403


def test_a_report_is_of_the_whole_day(house: House, accountant: Session) -> None:
    path = house.act(f"report?day={DAY}")
    refused = accountant.gets(path)
    assert refused.status_code == 422
    assert "T1 shift 1" in refused.text
    house.counts()
    report = accountant.gets(path)
    assert "Reconciliation of gaming day 2026-11-27" in report.text
    assert "'unsafe-inline'" not in report.headers["content-security-policy"]
    assert "style-src 'sha256-" in report.headers["content-security-policy"]


def test_a_day_without_tables_says_so(house: House, accountant: Session) -> None:
    answer = accountant.gets(house.page.replace(DAY, "2020-01-01"))
    assert answer.status_code in {404, 409}
    assert "What to do:" in answer.text


def test_the_services_own_refusal_is_as_it_was(house: House) -> None:
    line = {
        "command": "close-day",
        "id": f"{house.premises}-by-hand",
        "occurred_at": f"{DAY}T23:30:00Z",
        "gaming_day": DAY,
        "position": house.served.house.ledger.record.last_sequence(),
        "tables": [],
        "signed_by": ["accounts-1"],
    }
    answer = house.sends(line, "accounts-1", Role.ACCOUNTING)
    assert (answer.status_code, code_of(answer)) == (409, "figures-incomplete")
