"""The deployments as users use them: runs by schedule and by name, what they show, fresh rounds until a corpus ends."""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from demur.lanes.simulator.server import Simulator, serve
from tests.flows.deployed import Deployed, deployed, waited_for, webhook
from tests.flows.document_rounds import OF_BASES, handbooks, of_documents
from tests.flows.rounds import NO_POLICY, ONE_CLASS, ROOT, command
from tests.flows.simulated import KEY, KEY_VARIABLE

pytestmark = [pytest.mark.slow(seconds=400), pytest.mark.exhaustive]

Sent = list[dict[str, str]]


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
class Grown:
    """A round of a folder of documents: the folder, its configuration, its provider, and its first run, ended."""

    documents: Path
    config: Path
    simulator: Simulator
    first: dict[str, Any]


@pytest.fixture(scope="module")
def grown(notified: Sent, there: Deployed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grown]:
    """The round whose first run a schedule of the next half minute has started, when the folder held two documents."""
    folder = tmp_path_factory.mktemp("grown")
    with serve() as simulator:
        config = of_documents(
            folder, simulator, name="grown", round_id="grown-{started}", seed="fresh", bases=12,
            corpus={"fresh": "since_last_round", "fresh_by": "document", "when_short": "smaller_round", "at_least": 2},
            base_reuse={"policy": "never"}, asking={"questions": 1, "passages": 99},
            generation=ONE_CLASS, fit=NO_POLICY,
        )  # fmt: skip
        for path in sorted((folder / "handbooks").iterdir())[2:]:
            path.unlink()
        yield Grown(folder / "handbooks", config, simulator, there.scheduled("documents", config))


def test_schedule_runs_and_releases(there: Deployed, grown: Grown) -> None:
    assert grown.first["state_type"] == "COMPLETED", grown.first["state"]["message"]
    assert grown.first["auto_scheduled"]
    assert there.rows("SELECT count(*) FROM releases WHERE name = 'grown'") == [(1,)]


def test_artifacts_hang_on_the_run_of_the_round_under_keys_of_its_configuration(there: Deployed, grown: Grown) -> None:
    shown = [found for found in there.found("artifacts") if found["key"]]
    assert {found["key"]: found["type"] for found in shown} == {
        "grown-summary": "markdown", "grown-progress": "progress", "grown-corpus": "markdown",
    }  # fmt: skip
    assert {found["flow_run_id"] for found in shown} == {grown.first["id"]}
    data = {found["key"]: found["data"] for found in shown}
    assert data["grown-progress"] == 100
    summary = data["grown-summary"]
    for part in ("Warnings", "Leaderboard", "Items by stratum", "Costs by stage", "| res-a |", "$0."):
        assert part in summary
    folder = next(line.split("cd ")[1] for line in summary.splitlines() if line.startswith("    cd "))
    assert f"`{folder}/report.html`" in summary
    assert (Path(folder) / "report.html").is_file()


def test_doctor_says_when_a_schedule_runs_next(there: Deployed) -> None:
    def told() -> re.Match[str] | None:
        done = subprocess.run(command("doctor"), cwd=ROOT, env=there.env, capture_output=True, text=True)
        return re.search(r"^ok +schedule +round/weekly runs next at (\S+ \S+) UTC$", done.stdout, re.MULTILINE)

    found = waited_for(told, 600, "the server makes a run of the weekly schedule")
    assert datetime.fromisoformat(f"{found[1]}+00:00") > datetime.now(UTC) - timedelta(minutes=1)


def test_worker_refuses_a_home_that_would_be_deleted_with_its_directory_and_word_is_sent(
    there: Deployed, notified: Sent
) -> None:
    before = len(there.output())
    run = there.prefect(
        "deployment", "run", "round/embedded", "--job-variable", 'env={"DEMUR_HOME": "results"}', "--watch"
    )
    assert run.returncode != 0
    (failed,) = there.found("flow_runs", flow_runs={"state": {"type": {"any_": ["FAILED"]}}})
    message = "DEMUR_HOME 'results' is no absolute path"
    assert message in failed["state"]["message"]
    assert not there.found("task_runs", flow_runs={"id": {"any_": [failed["id"]]}})
    output = there.output()[before:]
    [word, *_] = waited_for(lambda: [sent for sent in notified if sent["subject"].endswith(" Failed")], 600, "word")
    assert message in word["body"]
    assert output.count("| ERROR ") == output.count(f"| ERROR   | Flow run 'embedded/round' - {message}") == 1


def test_worker_writes_neither_traceback_nor_leaked_objects(there: Deployed, grown: Grown) -> None:
    output = there.output()
    assert f"Flow run '{grown.first['name']}' - Finished in state Completed('Released grown/1. " in output
    assert "Traceback" not in output
    assert "leaked" not in output


def test_deployments_hold_no_directory_of_a_machine(there: Deployed) -> None:
    names = [entry["name"] for entry in yaml.safe_load((ROOT / "deployments/prefect.yaml").read_text())["deployments"]]
    parts = {"ingest", "generate", "verify", "assemble", "evaluate", "grade", "finish"}
    assert {"embedded", "weekly", "documents", "release", *parts} == set(names)
    deployments = there.found("deployments")
    assert {found["name"] for found in deployments} == set(names)
    assert str(ROOT) not in json.dumps(deployments)


def test_documents_runs_on_a_growing_folder_use_new_ones_alone_and_word_of_each_end_is_sent(
    there: Deployed, notified: Sent, grown: Grown
) -> None:
    def told(run: dict[str, Any]) -> dict[str, str]:
        """The message of the run's end: what its state says, in the log and at the webhook."""
        message = run["state"]["message"]
        [word, *_] = waited_for(lambda: [sent for sent in notified if sent["body"] == message], 600, "word is sent")
        return word

    def shown(run: dict[str, Any]) -> str:
        artifacts = there.found("artifacts", artifacts={"flow_run_id": {"any_": [run["id"]]}})
        return str(next(one["data"] for one in artifacts if one["key"] == "grown-corpus"))

    asked = len(grown.simulator.asked)
    nothing_new = there.ended(there.started("round/documents", grown.config))
    assert nothing_new["state_type"] == "FAILED"
    assert re.search(r"gave 0 base instances; bases: 12 are wanted\. 0 of \d passages are new", shown(nothing_new))
    assert len(grown.simulator.asked) == asked
    handbooks(grown.documents, 4, 8)
    last = there.ended(there.started("round/documents", grown.config))
    assert "passages are new" in told(nothing_new)["body"] and told(nothing_new)["subject"].endswith(" Failed")
    assert re.search(r"^Released grown/2\. The round is smaller: \d base instances of 12 ", told(last)["body"])
    rounds = there.rows("SELECT round_id FROM rounds WHERE name = 'grown' AND status = 'finished' ORDER BY started_at")
    used = [set(there.rows(OF_BASES.format(round_id))) for (round_id,) in rounds]
    assert len(used) == 2 and all(used)
    assert not {document for _, document in used[0]} & {document for _, document in used[1]}
    ours = "round_id IN (SELECT round_id FROM rounds WHERE name = 'grown') AND kind = 'control'"
    [(items, questions)] = there.rows(f"SELECT count(*), count(DISTINCT question) FROM live_items WHERE {ours}")
    assert items == questions
    assert "The round is smaller: corpus.when_short is smaller_round" in there.output()
