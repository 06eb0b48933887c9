"""Figures for Prometheus: what they count, what they never hold, and the dashboard that reads them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from demur.engine.logs import observer
from demur.engine.progress_state import progress_written
from demur.engine.round_lock import round_lock
from demur.engine.state.shared import shared_state
from demur.engine.upkeep.monitoring import home_figures
from demur.errors import FlowError
from demur.programs.installation import installed_version
from demur.reports.prometheus import COUNTERS, GAUGES, application, registry_of, serve_metrics
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from tests.engine.test_calls import put
from tests.flows.finished_rounds import HOSTILE, PLANTED_KEY, FinishedRound
from tests.flows.rounds import demur_here
from tests.flows.simulated import rows

prometheus = pytest.importorskip("prometheus_client", reason="needs the extra metrics")
DASHBOARD = Path(__file__).parents[2] / "demur" / "deployments" / "grafana.json"


def samples(home: Home) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """The samples that Prometheus would read, by name and labels."""
    text = prometheus.generate_latest(registry_of(home, installed_version())).decode()
    from prometheus_client.parser import text_string_to_metric_families

    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def summed(found: dict[tuple[str, frozenset[tuple[str, str]]], float], name: str, **labels: str) -> float:
    return sum(value for (one, of), value in found.items() if one == name and labels.items() <= dict(of).items())


def test_figures_of_a_finished_round_are_those_of_its_tables(simulated_round: FinishedRound) -> None:
    found = samples(simulated_round.home)
    [(calls, tokens, usd)] = rows(
        simulated_round.home.root,
        "SELECT count(*), sum(input_tokens), sum(cost_usd) FROM calls",
    )
    assert summed(found, "demur_calls_total") == calls
    assert summed(found, "demur_tokens_total", kind="input") == tokens
    assert summed(found, "demur_cost_dollars_total") == pytest.approx(usd)
    planned, failed = summed(found, "demur_round_units", outcome="planned"), summed(found, "demur_round_failed_units")
    assert planned == summed(found, "demur_round_units", outcome="landed") + failed
    assert planned == rows(simulated_round.home.root, "SELECT count(*) FROM units")[0][0]
    assert summed(found, "demur_round_queue_units") == 0 == summed(found, "demur_rounds_running")
    [shown] = json.loads(demur_here("rounds", "--format", "json", home=simulated_round.home.root).stdout)
    assert sum(one["calls"] for one in shown["figures"]["calls"]) == calls


def test_figures_and_rounds_hold_no_text_of_items_and_no_secret(rules_round: FinishedRound) -> None:
    text = prometheus.generate_latest(registry_of(rules_round.home, installed_version())).decode()
    figures = str(home_figures(rules_round.home, [rules_round.round_id]))
    questions = [str(one) for (one,) in rows(rules_round.home.root, "SELECT DISTINCT question FROM items")]
    for hidden in (HOSTILE.split(".")[0], "DROP TABLE", "<script>", PLANTED_KEY, "Karl Lund", *questions):
        assert hidden not in text and hidden not in figures


def stored(call_id: str, stage: str, **values: Any) -> dict[str, Any]:
    call = {"call_id": call_id, "stage": stage, "model": "m", "status": "ok", "queue_seconds": 0.5, "reply": HOSTILE}
    place = {"round_id": "embedded", "unit_id": call_id, "started_at": "2026-03-01T12:00:00+00:00"}
    return place | call | {"input_tokens": 10, "cost_usd": 0.25} | values


def test_calls_count_once_wherever_they_stand_while_a_round_runs(rules_round: FinishedRound, tmp_path: Path) -> None:
    home = rules_round.copy(tmp_path / "copy").home
    with writing(home, wait_seconds=5) as con:
        con.execute("UPDATE rounds SET status = 'open', finished_at = NULL")
        [(known, stage, shard)] = con.execute("SELECT call_id, stage, shard FROM calls ORDER BY ALL LIMIT 1").fetchall()
    publish(home)
    before = samples(home)
    limited = stored("new-2", stage, status="error", error_class="rate_limit", cost_usd=None)
    put(shared_state(home), stored(known, stage), stored("new-1", stage), limited, shard=shard)
    put(shared_state(home), stored("new-3", "judge"), shard="another")
    after = samples(home)
    assert summed(after, "demur_calls_total") - summed(before, "demur_calls_total") == 3
    assert summed(after, "demur_calls_total", outcome="rate_limit") == 1
    assert summed(after, "demur_tokens_total", model="m", kind="input") == 30
    assert summed(after, "demur_cost_dollars_total", model="m") == 0.5


def test_running_round_tells_units_queue_dollars_and_time_left(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with round_lock(home, "r1"), progress_written(home, "r1", 20.0):
        observer().expect({"respond": 100}, 20.0)
        observer().started("respond", 100, 60)
        for _ in range(9):
            observer().advanced("respond", 1)
        observer().failed("respond", "rate_limit", unit="u-1")
        observer().paid(3.5)
        observer().ended("respond", 1)
        found = samples(home)
    assert summed(found, "demur_rounds_running") == 1 == summed(found, "demur_state_reachable")
    assert summed(found, "demur_round_units", outcome="landed") == 68
    assert summed(found, "demur_round_failed_units", reason="rate_limit") == 1
    assert summed(found, "demur_round_queue_units") == 31
    assert summed(found, "demur_round_spent_dollars") == 3.5 and summed(found, "demur_round_cap_dollars") == 20


def test_metrics_are_served_to_this_machine_or_to_who_has_the_key(rules_round: FinishedRound) -> None:
    registry = registry_of(rules_round.home, installed_version())
    ours = TestClient(application(registry, None), base_url="http://127.0.0.1")
    assert "demur_round_info{" in ours.get("/metrics").text
    assert ours.get("/metrics", headers={"Host": "evil.example"}).status_code == 403
    keyed = TestClient(application(registry, "k" * 16), base_url="http://metrics.example")
    assert keyed.get("/metrics").status_code == 401
    assert keyed.get("/metrics", headers={"Authorization": f"Bearer {'k' * 16}"}).status_code == 200
    assert keyed.get("/metrics", headers={b"Authorization": b"Bearer \xff\xfe"}).status_code == 401
    with pytest.raises(FlowError, match="other machines need a key"):
        serve_metrics(registry, host="0.0.0.0", port=0, key=None, started=lambda _: None)


@pytest.fixture
def dashboard() -> dict[str, Any]:
    """The dashboard as Grafana imports it."""
    return dict(json.loads(DASHBOARD.read_text("utf-8")))


def test_dashboard_asks_for_metrics_and_labels_that_the_exporter_has(dashboard: dict[str, Any]) -> None:
    labels = {name: set(of) for name, (_, of) in GAUGES.items()}
    labels |= {f"{name}_total": set(of) for name, (_, of) in COUNTERS.items()}
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [one["query"]["query"] for one in dashboard["templating"]["list"] if one["type"] == "query"]
    used = set()
    for expression in asked:
        for name, _, matchers in re.findall(r"\b(demur_\w+)(\{([^}]*)\})?", expression):
            assert name in labels, expression
            used.add(name)
            assert set(re.findall(r"(\w+)(?==~|!=|=)", matchers)) <= labels[name], expression
        of_metrics = set().union(*(labels[name] for name in re.findall(r"\bdemur_\w+", expression)))
        for grouped in re.findall(r"by \(([^)]*)\)", expression):
            assert {label.strip() for label in grouped.split(",")} <= of_metrics, expression
    assert set(labels) - used <= {"demur_round_info"}
