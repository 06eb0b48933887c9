"""A worker that is killed with its machine: Prefect's automations let another worker go on with its run."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import httpx
import psutil
import pytest

from demur.lanes.simulator.server import Simulator, serve
from tests.flows.deployed import LONGEST_SECONDS, Deployed, deployed, waited_for
from tests.flows.rounds import NO_POLICY, ONE_CLASS
from tests.flows.simulated import KEY, KEY_VARIABLE, LIMITS, simulated

pytestmark = [pytest.mark.slow(seconds=330), pytest.mark.exhaustive]

AT_ONCE = 2 * int(LIMITS["concurrency"])
"""Of the models of one stage."""
DEPLOYMENT = "round/weekly"
"""One run at a time: a lost one would keep the next from starting."""
MADE = (
    ("work-pool", "create", "demur", "--type", "process"),
    ("--no-prompt", "deploy", "--name", "weekly", "--prefect-file", "deployments/prefect.yaml"),
    ("automation", "create", "--from-file", "deployments/automations.yaml"),
)
"""The commands of `deployments/deploy` that this needs; each starts a process."""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with deployed(tmp_path, *MADE) as found:
        yield found


def states(there: Deployed, run: str) -> list[str]:
    """The states that a run has had, in their order."""
    found = httpx.get(f"{there.api}/flow_run_states/", params={"flow_run_id": run}, timeout=LONGEST_SECONDS).json()
    return [state["name"] for state in sorted(found, key=lambda state: str(state["timestamp"]))]


def slower(simulator: Simulator, seconds: float) -> None:
    simulator.config = replace(simulator.config, latency_seconds=seconds)


def killed(worker: psutil.Process) -> None:
    """Kill a worker and all that it started, as if its machine had lost power."""
    for process in (worker, *worker.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def test_run_of_a_killed_worker_goes_on_by_itself_on_another_and_buys_nothing_twice(
    there: Deployed, tmp_path: Path
) -> None:
    with serve(latency_seconds=2.0) as simulator:
        fresh = {"name": "lost", "round_id": "lost-{started}", "seed": "fresh"}
        config = simulated(tmp_path / "lost", simulator, generation=ONE_CLASS, fit=NO_POLICY, **fresh)
        run = there.started(DEPLOYMENT, config)
        waited_for(lambda: len(simulator.asked) > 20, 900, "the round asks its models")
        killed(there.worker)
        slower(simulator, 0.05)
        with there.other_worker(tmp_path / "other.log"):
            waited_for(lambda: states(there, run)[-1] == "Completed", 1800, "the run goes on and ends")
        asked = len(simulator.asked)
    assert states(there, run)[-6:] == ["Crashed", "AwaitingRetry", "Pending", "Submitting", "Running", "Completed"]
    assert there.rows("SELECT count(*) FROM releases WHERE name = 'lost'") == [(1,)]
    what = "count(*), count(DISTINCT (stage, unit_id, role, request_digest))"
    [(answered, once)] = there.rows(f"SELECT {what} FROM calls WHERE status = 'ok'")
    assert answered == once
    assert asked - once <= AT_ONCE, "more was asked again than can have been under way when the worker was killed"
