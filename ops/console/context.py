"""What the pages of the console share."""

from __future__ import annotations

from jinja2 import Environment

from ops.console.session import Sessions
from ops.console.settings import ConsoleSettings
from ops.console.templates import environment
from ops.feed.streams import Places
from ops.service.context import Service
from ops.service.tables import cursor_secret


class Console:
    """A service, looked at in a browser.

    Attributes:
        service: whose house, read tables and rights these are.
        sessions: who is signed in.
        templates: the pages' templates, with the filters they use.
        places: how many live updates are open.
    """

    def __init__(self, service: Service, settings: ConsoleSettings) -> None:
        self.service = service
        self.settings = settings
        tables = service.house.tables
        self.sessions = Sessions(
            cursor_secret(tables),
            tables,
            service.keys,
            service.clock,
            settings,
            tokens_taken=service.tokens is not None,
        )
        self.templates: Environment = environment()
        self.places = Places(service.settings.streams_max)
