"""Figures of a home for Prometheus, and their HTTP server. They contain no text of items."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from demur.configuration.settings import is_loopback, is_secret, names_this_machine
from demur.engine.upkeep.monitoring import HomeFigures, RoundFigures, home_figures
from demur.errors import FlowError
from demur.programs.installation import Version
from demur.warehouse.home import Home

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response


# Figures of a home for Prometheus. They contain names, numbers and times, but no text of items.


if TYPE_CHECKING:
    Family = CounterMetricFamily | GaugeMetricFamily

FRESH_SECONDS: Final = 15.0
"""Time for which figures are cached, so that frequent scrapes are cheap."""
GAUGES: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "demur_build_info": ("The version that reads the figures; always 1.", ("version", "commit")),
    "demur_state_reachable": ("Whether the state of rounds answers: 1 or 0.", ()),
    "demur_rounds_running": ("Rounds that a process works on now.", ()),
    "demur_round_info": (
        "A round that runs, or is the newest of its configuration; always 1.", ("round", "configuration", "status"),
    ),
    "demur_round_started_timestamp_seconds": ("When the round began.", ("round", "configuration")),
    "demur_round_units": ("Units of a stage: planned, landed, failed.", ("round", "stage", "outcome")),
    "demur_round_queue_units": ("Units that are planned and have no outcome yet.", ("round", "stage")),
    "demur_round_failed_units": ("Units without a result, by reason.", ("round", "stage", "reason")),
    "demur_round_batches_open": ("Batches at providers that have not ended.", ("round",)),
    "demur_round_spent_dollars": ("Dollars that count against the cap; none if a price is unknown.", ("round",)),
    "demur_round_cap_dollars": ("The cap of the round; none without.", ("round",)),
    "demur_round_left_seconds": ("Time left of a round that runs: at least, at most.", ("round", "bound")),
    "demur_release_timestamp_seconds": ("When the newest release was frozen.", ("configuration", "release")),
}  # fmt: skip
_OF_CALLS: Final = ("round", "stage", "model")
COUNTERS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "demur_calls": (
        "Requests by outcome: ok, or the class of the error; 429s are rate_limit.",
        (*_OF_CALLS, "outcome"),
    ),
    "demur_tokens": ("Tokens: input, output, and of the input those cached.", (*_OF_CALLS, "kind")),
    "demur_cost_dollars": ("Dollars of requests whose price is known.", _OF_CALLS),
    "demur_queue_seconds": ("Time that requests waited for a free place before they were sent.", _OF_CALLS),
}
"""Counters of rounds, which never decrease. Prometheus adds the suffix `_total` to their names."""


class FiguresCollector:
    """Collects the figures of a home. Figures younger than FRESH_SECONDS are not read again."""

    def __init__(self, home: Home, version: Version, *, read: Callable[[Home], HomeFigures] = home_figures) -> None:
        self._home = home
        self._version = version
        self._read = read
        self._found: HomeFigures | None = None
        self._at = 0.0

    def collect(self) -> Iterator["Family"]:
        """Yield the metric families with their samples."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        if self._found is None or time.monotonic() - self._at >= FRESH_SECONDS:
            self._found = self._read(self._home)
            self._at = time.monotonic()
        families: dict[str, Family] = {
            **{name: GaugeMetricFamily(name, said, labels=labels) for name, (said, labels) in GAUGES.items()},
            **{name: CounterMetricFamily(name, said, labels=labels) for name, (said, labels) in COUNTERS.items()},
        }
        for name, labels, value in _samples(self._found, self._version):
            families[name].add_metric(labels, value)
        yield from families.values()


def registry_of(home: Home, version: Version) -> "CollectorRegistry":
    """Return a registry that has nothing but the figures of a home."""
    from prometheus_client import CollectorRegistry

    registry = CollectorRegistry(auto_describe=False)
    registry.register(FiguresCollector(home, version))
    return registry


Sample = tuple[str, tuple[str, ...], float]


def _samples(found: HomeFigures, version: Version) -> Iterator[Sample]:
    yield "demur_build_info", (version.version, version.commit or "unknown"), 1
    yield "demur_state_reachable", (), float(found.state_reachable)
    yield "demur_rounds_running", (), sum(one.running for one in found.rounds)
    released: dict[str, RoundFigures] = {}
    for one in found.rounds:
        yield from _of_round(one)
        before = released.get(one.configuration)
        if one.released_at and (before is None or before.released_at is None or one.released_at > before.released_at):
            released[one.configuration] = one
    for configuration, one in released.items():
        assert one.released_at is not None and one.release is not None
        yield "demur_release_timestamp_seconds", (configuration, one.release), _seconds(one.released_at)


def _of_round(one: RoundFigures) -> Iterator[Sample]:
    name = one.round_id
    yield "demur_round_info", (name, one.configuration, "running" if one.running else one.status), 1
    if one.started_at is not None:
        yield "demur_round_started_timestamp_seconds", (name, one.configuration), _seconds(one.started_at)
    yield "demur_round_batches_open", (name,), one.open_batches
    if one.spent_usd is not None:
        yield "demur_round_spent_dollars", (name,), one.spent_usd
    if one.cap_usd is not None:
        yield "demur_round_cap_dollars", (name,), one.cap_usd
    if one.left is not None:
        yield "demur_round_left_seconds", (name, "low"), one.left.low
        yield "demur_round_left_seconds", (name, "high"), one.left.high
    yield from _of_units(one)
    by_model: dict[tuple[str, str], list[float]] = {}
    for call in one.calls:
        yield "demur_calls", (name, call.stage, call.model, call.outcome), call.calls
        sums = by_model.setdefault((call.stage, call.model), [0.0] * 5)
        numbers = (call.input_tokens, call.output_tokens, call.cached_tokens, call.cost_usd, call.queue_seconds)
        for place, number in enumerate(numbers):
            sums[place] += number
    for (stage, model), sums in by_model.items():
        of_calls = name, stage, model
        for kind, tokens in zip(("input", "output", "cached"), sums, strict=False):
            yield "demur_tokens", (*of_calls, kind), tokens
        yield "demur_cost_dollars", of_calls, sums[3]
        yield "demur_queue_seconds", of_calls, sums[4]


def _of_units(one: RoundFigures) -> Iterable[Sample]:
    counts: dict[str, dict[str, int]] = {}
    for units in one.units:
        of_stage = counts.setdefault(units.stage, dict.fromkeys(("planned", "landed", "failed"), 0))
        of_stage[units.outcome] += units.units
        if units.reason is not None:
            yield "demur_round_failed_units", (one.round_id, units.stage, units.reason), units.units
    for stage, of_stage in counts.items():
        for outcome, number in of_stage.items():
            yield "demur_round_units", (one.round_id, stage, outcome), number
        waiting = max(0, of_stage["planned"] - of_stage["landed"] - of_stage["failed"])
        yield "demur_round_queue_units", (one.round_id, stage), waiting


def _seconds(moment: datetime) -> float:
    """Return a naive UTC time as seconds since 1970."""
    return moment.replace(tzinfo=UTC).timestamp()


# HTTP server of a home's figures for Prometheus. Other machines need a key.


PATH: Final = "/metrics"


def serve_metrics(
    registry: "CollectorRegistry", *, host: str, port: int, key: str | None, started: Callable[[str], None]
) -> None:
    """Serve until Ctrl-C. Call `started` with the address when the port is open.

    Raises:
        FlowError: other machines can connect and there is no key, or the port is taken.
    """
    from demur.reports.explorer.app import serve_application

    if key is None and not is_loopback(host):
        raise FlowError(f"--host {host}: other machines need a key; name the variable with the key (--key-env)")
    serve_application(application(registry, key), host, port, lambda address: started(f"{address}{PATH}"))


def application(registry: "CollectorRegistry", key: str | None) -> "Starlette":
    """Return the ASGI application with GET /metrics in the text format of Prometheus."""
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    reading = asyncio.Lock()

    async def metrics(request: "Request") -> "Response":
        if key is None and not names_this_machine(request.headers.get("host")):
            return PlainTextResponse("These figures are for this machine alone.", 403)
        given = (
            request.headers.get("authorization", "").removeprefix("Bearer ").encode("latin-1")
        )  # as Starlette decodes
        if key is not None and not is_secret(given.removeprefix(b"Bearer "), key):
            return PlainTextResponse("Send the key as `Authorization: Bearer KEY`.", 401)
        try:
            async with reading:
                text = await asyncio.to_thread(generate_latest, registry)
        except (FlowError, OSError) as exc:
            return PlainTextResponse(f"{exc}", 503)
        return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST, "X-Content-Type-Options": "nosniff"})

    return Starlette(routes=[Route(PATH, metrics, methods=["GET"])])
