"""The deployments as users use them: runs by schedule and by name, what they show, a worker lost with its machine."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
import yaml

from demur.lanes.simulator.server import Simulator, serve
from tests.flows.deployed import Deployed, deployed, waited_for, webhook
from tests.flows.document_rounds import of_documents
from tests.flows.rounds import NO_POLICY, ONE_CLASS, ROOT
from tests.flows.simulated import KEY, KEY_VARIABLE, LIMITS

pytestmark = [pytest.mark.slow(seconds=400), pytest.mark.exhaustive]

Sent = list[dict[str, str]]
AT_ONCE = 2 * int(LIMITS["concurrency"])
"""Of the models of one stage."""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY_VARIABLE, KEY)
        with deployed(tmp_path_factory.mktemp("prefect")) as found:
            yield found


@pytest.fixture(scope="module")
def notified(there: Deployed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    """What a webhook received, set up as docs/deploying.md says before any round was run."""
    with webhook() as (hook, received):
        page = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
        [steps] = re.findall(r"```sh\n(python - <<'END'\n.*?)```", page, re.DOTALL)
        env = there.env | {"SITE": str(tmp_path_factory.mktemp("word")), "HOOK": hook, "MODEL_KEY": "sk-none"}
        done = subprocess.run(["sh", "-euc", steps], cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        yield received


@dataclass(frozen=True)
class Lost:
    """A run of a round of documents, ended, whose worker was killed in the middle, and the worker that went on with it.

    `asked` are requests to models.
    """

    config: Path
    simulator: Simulator
    run: str
    asked: int
    there: Deployed


@pytest.fixture(scope="module")
def lost(notified: Sent, there: Deployed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lost]:
    """The run of the deployment when the folder held two documents."""
    folder = tmp_path_factory.mktemp("grown")
    with serve(latency_seconds=2.0) as simulator:
        config = of_documents(
            folder, simulator, name="grown", round_id="grown-{started}", seed="fresh", bases=12,
            corpus={"fresh": "since_last_round", "fresh_by": "document", "when_short": "smaller_round", "at_least": 2},
            base_reuse={"policy": "never"}, asking={"questions": 1, "passages": 99},
            generation=ONE_CLASS, fit=NO_POLICY,
        )  # fmt: skip
        for path in sorted((folder / "handbooks").iterdir())[2:]:
            path.unlink()
        run = there.started("round/documents", config)
        waited_for(lambda: len(simulator.asked) > 25, 900, "the round asks its models")
        killed(there.worker)
        simulator.config = replace(simulator.config, latency_seconds=0.05)
        with there.other_worker(folder / "other.log") as other:
            waited_for(lambda: there.states(run)[-1] == "Completed", 1800, "the run goes on and ends")
            asked = sum(bool(request.task) for request in simulator.asked)
            yield Lost(config, simulator, run, asked, other)


def killed(worker: psutil.Process) -> None:
    """Kill a worker and all that it started, as if its machine had lost power."""
    for process in (worker, *worker.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def test_run_of_a_killed_worker_goes_on_by_itself_on_another_and_buys_nothing_twice(
    there: Deployed, notified: Sent, lost: Lost
) -> None:
    assert there.states(lost.run)[-6:] == [
        "Crashed", "AwaitingRetry", "Pending", "Submitting", "Running", "Completed",
    ]  # fmt: skip
    assert there.rows("SELECT count(*) FROM releases WHERE name = 'grown'") == [(1,)]
    what = "count(*), count(DISTINCT (stage, unit_id, role, request_digest))"
    [(answered, once)] = there.rows(f"SELECT {what} FROM calls WHERE status = 'ok' AND role <> 'probe'")
    assert answered == once
    more = lost.asked - int(str(once))
    assert more <= AT_ONCE, "more was asked again than can have been under way when the worker was killed"


def test_word_is_sent_of_a_run_that_crashed_and_of_its_end(there: Deployed, notified: Sent, lost: Lost) -> None:
    message = there.run(lost.run)["state"]["message"]
    assert re.search(r"^Released grown/1\. The round is smaller: \d base instances of 12 ", message)
    waited_for(lambda: heard(notified, "Crashed", "No heartbeat for 90 s"), 600, "word that the run was lost")
    waited_for(lambda: heard(notified, "Completed", message), 600, "word that the run has ended")


def heard(sent: Sent, state: str, body: str) -> bool:
    return any(one["subject"].endswith(f" {state}") and one["body"].startswith(body) for one in sent)


def test_artifacts_hang_on_the_run_of_the_round_under_keys_of_its_configuration(there: Deployed, lost: Lost) -> None:
    shown = there.found("artifacts/latest")
    assert {found["key"]: found["type"] for found in shown} == {
        "grown-summary": "markdown", "grown-progress": "progress", "grown-corpus": "markdown",
    }  # fmt: skip
    assert {found["flow_run_id"] for found in shown} == {lost.run}
    data = {found["key"]: found["data"] for found in shown}
    assert data["grown-progress"] == 100
    summary = data["grown-summary"]
    for part in ("Warnings", "Leaderboard", "Items by stratum", "Costs by stage", "| res-a |", "$0."):
        assert part in summary
    folder = next(line.split("cd ")[1] for line in summary.splitlines() if line.startswith("    cd "))
    assert f"`{folder}/report.html`" in summary
    assert (Path(folder) / "report.html").is_file()


def test_scheduled_run_without_new_documents_fails_with_one_message_and_asks_nothing(
    there: Deployed, lost: Lost
) -> None:
    before = len(lost.simulator.asked)
    run = there.scheduled("documents", lost.config)
    waited_for(lambda: there.run(run)["end_time"], 1800, "the run ends")
    failed = there.run(run)
    assert failed["auto_scheduled"] and failed["state_type"] == "FAILED"
    message = failed["state"]["message"]
    assert re.search(r"gave 0 base instances; bases: 12 are wanted\. 0 of \d passages are new", message)
    assert len(lost.simulator.asked) == before
    artifacts = there.found("artifacts", artifacts={"flow_run_id": {"any_": [failed["id"]]}})
    assert any(one["key"] == "grown-corpus" and "0 of" in one["data"] for one in artifacts)
    errors = [line.partition("| ERROR ")[2] for line in lost.there.output().splitlines() if "| ERROR " in line]
    assert len(errors) == 2, "the run of the round and that of its part tell the error once each"
    assert all(" - prove: documents handbooks gave 0 base instances" in error for error in errors)


def test_worker_says_how_runs_end_and_writes_neither_traceback_nor_leaked_objects(there: Deployed, lost: Lost) -> None:
    output = lost.there.output()
    name = there.run(lost.run)["name"]
    assert f"Flow run '{name}' - Finished in state Completed('Released grown/1. " in output
    assert "The round is smaller: corpus.when_short is smaller_round" in output
    for said in (output, there.log.read_text(encoding="utf-8")):
        assert "Traceback" not in said and "leaked" not in said


def test_deployments_hold_no_directory_of_a_machine(there: Deployed) -> None:
    names = [entry["name"] for entry in yaml.safe_load((ROOT / "deployments/prefect.yaml").read_text())["deployments"]]
    parts = {"ingest", "generate", "verify", "assemble", "evaluate", "grade", "finish"}
    assert {"embedded", "weekly", "documents", "release", *parts} == set(names)
    deployments = there.found("deployments")
    assert {found["name"] for found in deployments} == set(names)
    assert str(ROOT) not in json.dumps(deployments)
