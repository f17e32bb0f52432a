"""Figures for Prometheus: of the service, none of a table or a patron."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """The figures of one service."""

    def __init__(
        self,
        last_sequence: Callable[[], int],
        lags: Mapping[str, Callable[[], int]],
        waiting: Callable[[], int],
    ) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "ledger_http_requests_total",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "ledger_http_request_seconds",
            "From a request's head to the end of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.commands = Counter(
            "ledger_commands_total",
            "Commands by what came of them: applied, repeated, refused, rejected.",
            ("command", "outcome"),
            registry=self.registry,
        )
        self.registry.register(_Standing(last_sequence, lags, waiting))

    def page(self) -> bytes:
        """What Prometheus reads."""
        return generate_latest(self.registry)


class _Standing(Collector):
    """What is asked when somebody looks."""

    def __init__(
        self,
        last_sequence: Callable[[], int],
        lags: Mapping[str, Callable[[], int]],
        waiting: Callable[[], int],
    ) -> None:
        self._last_sequence = last_sequence
        self._lags = lags
        self._waiting = waiting

    def describe(self) -> Iterator[Metric]:
        """Nothing is asked of the store until somebody looks."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "ledger_record_sequence", "The sequence of the last event.", self._last_sequence()
        )
        yield GaugeMetricFamily("ledger_commands_waiting", "Commands waiting to be run.", self._waiting())
        lag = GaugeMetricFamily("ledger_lag_events", "Events behind the record.", labels=("of",))
        for name, events in self._lags.items():
            lag.add_metric((name,), events())
        yield lag
