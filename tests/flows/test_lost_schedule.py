"""A worker lost in a run that a schedule started: another worker goes on with the run."""

from dataclasses import replace
from pathlib import Path

import pytest

from demur.lanes.simulator.server import serve
from tests.flows.deployed import deployed, waited_for
from tests.flows.simulated import KEY, KEY_VARIABLE, simulated
from tests.flows.test_deployments import killed

OLDER_SECONDS = 420
"""Prefect holds back for a quarter of an hour the events of a run whose schedule was made less than 300 s before it."""


@pytest.mark.slow(seconds=900)
@pytest.mark.repeated
def test_scheduled_run_of_a_killed_worker_goes_on_by_itself_on_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with deployed(tmp_path) as there, serve(latency_seconds=2.0) as simulator:
        run = there.scheduled("weekly", simulated(tmp_path, simulator), (OLDER_SECONDS,))
        waited_for(lambda: len(simulator.asked) > 25, 900, "the round asks its models")
        killed(there.worker)
        simulator.config = replace(simulator.config, latency_seconds=0.05)
        with there.other_worker(tmp_path / "other.log"):
            waited_for(lambda: there.states(run)[-1] == "Completed", 1200, "the run goes on and ends")
        states = there.states(run)
        assert there.run(run)["auto_scheduled"] and states[states.index("Crashed") + 1] == "AwaitingRetry"
