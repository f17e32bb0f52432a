"""The close of a day at a browser: one proposes it, a second person consents by a session of their own.

It is the service's own proposal, which its resources show too; what runs it is the daily job's own close
(`ops.reconcile.closing`), which looks under the writers' lock that nothing has moved since the figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import TypeAdapter, ValidationError

from ledger.answer import Answer
from ledger.commands import CloseDay
from ledger.commands.base import Reason
from ledger.errors import RecordMoved
from ops.console.day_sheet import DaySheet, day_sheet
from ops.console.desk import Desk
from ops.console.door import allow
from ops.console.forms import form_of
from ops.reconcile.closing import check_unmoved, close_day, sign_off_of
from ops.reconcile.day_record import day_record
from ops.service.commands import count, facts_of
from ops.service.consents import Consents, Outstanding
from ops.service.permissions import COMMAND_ROLES, CONSENT
from ops.service.principal import Principal
from ops.service.problems import note
from ops.service.refusals import NotFound, ParameterUnreadable, Stopping

Form = Annotated[Mapping[str, str], Depends(form_of)]
Show = Callable[..., Response]
"""The page of a day: `ops.console.reconciliation.shown`."""

_PERSON = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:\-]{0,63}", re.ASCII)
_ID = re.compile(r"close-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-f]{16}", re.ASCII)
_REASON: TypeAdapter[str] = TypeAdapter(Reason)
EXPLANATION_MAX = 500
_EXPLAIN = "explain-"

ADVICE: Mapping[str, str] = {
    "sign-off-not-independent": "Whoever signed a slip, a float, a drop or a count of that day cannot sign "
    "it off. Propose it anew, and name somebody of neither pit nor cage.",
    "day-is-sealed": "It is closed already; what is found later is booked as an adjustment.",
    "table-still-open": "Close the table, then propose the close anew.",
    "coups-unfinished": "Settle the coup or have it ruled upon, then propose the close anew.",
    "figures-incomplete": "Another table opened for the day: look at the figures again, and propose anew.",
}
"""What to do where the ledger refuses a close, by its code."""
_MOVED = "Look at the figures as they are now. Whoever proposed it proposes it anew."


def add(routes: APIRouter, path: str, show: Show) -> None:
    """Add the routes, each of which is sent a form."""

    @routes.post(f"{path}/propose", dependencies=[allow(COMMAND_ROLES[CloseDay])])
    def propose(request: Request, form: Form) -> Response:
        """Propose the close, as the page had it."""
        return _proposed(Desk(request), form, show)

    @routes.post(f"{path}/consent", dependencies=[allow(CONSENT[CloseDay].roles)])
    def consent(request: Request, form: Form) -> Response:
        """Consent to what was shown; with the last consent the day is closed."""
        return _consented(Desk(request), form, show)

    @routes.post(f"{path}/withdraw", dependencies=[allow(COMMAND_ROLES[CloseDay])])
    def withdraw(request: Request, form: Form) -> Response:
        """Withdraw what one has proposed."""
        desk = Desk(request)
        waiting = _proposal(desk, form)
        day = _close_of(waiting).gaming_day
        try:
            reason = _REASON.validate_python(form.get("reason", "").strip())
        except ValidationError:
            return show(desk, day, said=[("A reason is missing.", "Say why it is withdrawn.")], status=422)
        Consents(desk.console.service).withdraw(desk.premises, waiting.command.id, reason, _who(desk))
        note(request, **facts_of(waiting.command), outcome="withdrawn")
        return _back(desk, day)


def _who(desk: Desk) -> Principal:
    if desk.principal is None:  # the door lets nobody else in
        raise NotFound("session")
    return desk.principal


def _back(desk: Desk, day: date) -> Response:
    to = desk.request.url.path.rpartition("/")[0]
    return RedirectResponse(f"{to}?day={day}", 303)


def _day_of(form: Mapping[str, str]) -> date:
    try:
        return date.fromisoformat(form.get("day", ""))
    except ValueError:
        raise ParameterUnreadable("day: no day of the calendar") from None


# --- Proposing -----------------------------------------------------------------------------------------


def _proposed(desk: Desk, form: Mapping[str, str], show: Show) -> Response:
    day, command, position = _day_of(form), form.get("proposal", ""), form.get("position", "")
    if not _ID.fullmatch(command) or not re.fullmatch(r"[0-9]{1,18}", position, re.ASCII):
        raise ParameterUnreadable("proposal: this form is none of the page's")
    consents, who = Consents(desk.console.service), _who(desk)
    try:
        consents.one(desk.premises, command)
    except NotFound:
        pass
    else:
        return _back(desk, day)  # the same form, sent twice
    explained = _explained(form)
    sheet = day_sheet(desk, day, explained)
    named = tuple(dict.fromkeys(re.split(r"[\s,;]+", form.get("signed_by", "").strip())))
    if faults := [*_faults(sheet, explained, named, who)]:
        return show(desk, day, said=faults, typed=dict(form), status=422)
    record = desk.console.service.house.ledger.record
    try:
        check_unmoved(record, desk.premises, day, int(position))
    except RecordMoved as moved:
        return show(desk, day, said=[(f"{moved}.", _MOVED)], typed=dict(form), status=409)
    now = desk.console.service.clock()
    close = sign_off_of(sheet.report, named, now, who.person, command)
    consents.propose(close, who)
    note(desk.request, **facts_of(close), outcome="proposed")
    return _back(desk, day)


def _explained(form: Mapping[str, str]) -> dict[str, str]:
    said = {name.removeprefix(_EXPLAIN): text for name, text in form.items() if name.startswith(_EXPLAIN)}
    return {table: text.strip()[:EXPLANATION_MAX] for table, text in said.items() if text.strip()}


def _faults(
    sheet: DaySheet, explained: Mapping[str, str], named: tuple[str, ...], who: Principal
) -> list[tuple[str, str]]:
    """What is wrong with what was asked for, and what to do."""
    if sheet.record.closed:
        return [("The day is closed already.", ADVICE["day-is-sealed"])]
    faults = [(obstacle.what, obstacle.advice) for obstacle in sheet.in_the_way()]
    faults += [
        (f"The variance of {table} is above its threshold.", "Explain it, in the form below.")
        for table in sheet.to_explain
        if table not in explained
    ]
    if unreadable := [name for name in named if not _PERSON.fullmatch(name)]:
        told = ", ".join(name[:40] for name in unreadable) or "nobody"
        faults.append((f"This is nobody's name: {told}.", "Write names as they sign in, such as accounts-2."))
    elif not {name.casefold() for name in named} - {who.person.casefold()}:
        faults.append(("A second person signs the day off.", "Name somebody besides yourself."))
    return faults


# --- Consenting ----------------------------------------------------------------------------------------


def _proposal(desk: Desk, form: Mapping[str, str]) -> Outstanding:
    """The close that a form is about. Raises: NotFound."""
    command = form.get("proposal", "")
    found = Consents(desk.console.service).one(desk.premises, command)
    if not isinstance(found.command, CloseDay):
        raise NotFound(f"close {command}")
    return found


def _close_of(found: Outstanding) -> CloseDay:
    close: Any = found.command
    return close  # type: ignore[no-any-return]  # `_proposal` has looked


def _consented(desk: Desk, form: Mapping[str, str], show: Show) -> Response:
    service = desk.console.service
    if service.stopping.is_set():
        raise Stopping
    consents = Consents(service)
    close = _close_of(_proposal(desk, form))
    if _is_closed(desk, close):
        return _back(desk, close.gaming_day)
    try:
        check_unmoved(service.house.ledger.record, desk.premises, close.gaming_day, close.position)
    except RecordMoved as moved:
        return show(desk, close.gaming_day, said=[(f"{moved}.", _MOVED)], status=409)
    found = consents.consent(desk.premises, close.id, form.get("digest", ""), _who(desk))
    if isinstance(found, Outstanding):
        note(desk.request, **facts_of(close), outcome="consented")
        return _back(desk, close.gaming_day)
    try:
        answer = _closed(desk, close)
    except RecordMoved as moved:
        if _is_closed(desk, close):  # by somebody who was first
            return _back(desk, close.gaming_day)
        consents.lapse(close, str(moved))
        return show(desk, close.gaming_day, said=[(f"{moved}.", _MOVED)], status=409)
    consents.came_of(close, answer)
    if answer.applied:
        return _back(desk, close.gaming_day)
    why = f"The ledger refuses: {answer.detail}"
    paragraph = f" ({answer.paragraph})" if answer.paragraph else ""
    advice = ADVICE.get(answer.code or "", "Put that right, then propose the close anew.")
    return show(desk, close.gaming_day, said=[(f"{why}{paragraph}.", advice)], status=409)


def _is_closed(desk: Desk, close: CloseDay) -> bool:
    record = desk.console.service.house.ledger.record
    return day_record(record, close.premises, close.gaming_day).closed


def _closed(desk: Desk, close: CloseDay) -> Answer:
    """Raises: RecordMoved; LedgerBusy."""
    service = desk.console.service
    answer = close_day(service.house.ledger, close)
    outcome = count(service, close, answer)
    note(desk.request, **facts_of(close), outcome=outcome)
    service.committed()
    return answer
