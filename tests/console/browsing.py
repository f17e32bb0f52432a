"""What a browser does, without one: keeps cookies and sends the tokens of forms."""

from __future__ import annotations

import re
from collections.abc import Mapping

import httpx

from ledger.terms.access import Role
from tests.service.at_work import AtWork

BROWSER = {"accept": "text/html", "sec-fetch-dest": "document"}


class Session:
    """Somebody who is signed in at the console."""

    def __init__(self, served: AtWork, person: str, *roles: Role, premises: str = "main") -> None:
        self.http = httpx.Client(base_url=f"{served.url}/console", headers=BROWSER, trust_env=False)
        form = self.hidden("/sign-in", "form_token")
        self.posts("/sign-in", {**form, "credential": served.key(person, *roles, premises=premises)})

    def gets(self, path: str) -> httpx.Response:
        """A page."""
        return self.http.get(path)

    def posts(self, path: str, fields: Mapping[str, str]) -> httpx.Response:
        """A form, as whoever made it up."""
        return self.http.post(path, data=fields)

    def sends(self, page: str, form: str, **fields: str) -> httpx.Response:
        """Fill in a form of a page, whose action ends so, and send it with what is hidden in it."""
        text = self.gets(page).text
        found = next((one for one in _FORM.finditer(text) if one["action"].endswith(form)), None)
        assert found is not None, f"no form {form} on {page}"
        hidden = dict(_HIDDEN.findall(found["inside"]))
        return self.posts(found["action"].removeprefix("/console"), {**hidden, **fields})

    def hidden(self, page: str, *names: str) -> dict[str, str]:
        """What is hidden in the forms of a page, under these names."""
        fields = dict(_HIDDEN.findall(self.gets(page).text))
        return {name: fields[name] for name in names}


_FORM = re.compile(r'<form method="post" action="(?P<action>[^"]+)".*?>(?P<inside>.*?)</form>', re.DOTALL)
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
