"""Somebody who reads pages that need no script: signed in once for a module, so that it costs little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page

from ledger.terms.access import Role
from tests.browser.conftest import Visitor
from tests.service.at_work import AtWork

Opens = Callable[..., Page]


@contextmanager
def reading(browser: Browser, served: AtWork) -> Iterator[Opens]:
    """Opens pages for a role, the auditor's if none is named; at the end none may have had a fault.

    To a browser a page that answers with an error is a fault; `may_fail` says that it is meant.
    """
    visitors: dict[Role, Visitor] = {}

    def opens(path: str, role: Role = Role.AUDITOR, *, may_fail: bool = False) -> Page:
        if role not in visitors:
            context = browser.new_context(locale="en-GB", java_script_enabled=False)
            visitors[role] = Visitor(context, served).signs_in(role)
        page = visitors[role].opens(path)
        if may_fail:
            visitors[role].faults.clear()
        return page

    yield opens
    for visitor in visitors.values():
        visitor.page.context.close()
    assert [fault for visitor in visitors.values() for fault in visitor.faults] == []
