"""The deployments as users use them: pool, deploy, worker, runs by name, fresh rounds from a corpus that runs out."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from demur.warehouse.home import Home
from demur.warehouse.query import query
from tests.flows.rounds import ROOT

pytestmark = pytest.mark.slow

PIERS = (("Orlo", 1904), ("Varn", 1911), ("Teskel", 1922), ("Midby", 1936), ("Halvik", 1948))


def corpus(folder: Path) -> Path:
    """Five questions that the screener answers."""
    rows = [
        {
            "id": town,
            "question": f"When was the pier of {town} opened?",
            "answers": [str(year)],
            "context": (
                f"{town} is a small harbour town on the northern coast. The pier of {town} was opened in {year} by the "
                "mayor, Karl Lund. It is 240 metres long and made of oak. A green lighthouse was added at its end by "
                "the port company. Ferries to the islands leave twice a day in summer."
            ),
        }
        for town, year in PIERS
    ]
    path = folder / "piers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def prefect(*arguments: str, env: dict[str, str], timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """Run Prefect's command line from the checkout."""
    return subprocess.run(
        [sys.executable, "-m", "prefect", *arguments],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip


@pytest.fixture(scope="module")
def worker(prefect_api: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which everything is deployed and a worker runs, in a folder that is not the checkout."""
    folder = tmp_path_factory.mktemp("worker")
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PREFECT_API_URL": prefect_api, "DEMUR_HOME": str(folder / "home"), "PYTHONPATH": path}
    created = prefect("work-pool", "create", "demur", "--type", "process", env=env)
    assert created.returncode == 0, created.stdout + created.stderr
    deployed = prefect("--no-prompt", "deploy", "--all", "--prefect-file", "deployments/prefect.yaml", env=env)
    assert deployed.returncode == 0, deployed.stdout + deployed.stderr
    process = subprocess.Popen(
        [sys.executable, "-m", "prefect", "worker", "start", "--pool", "demur"],
        cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    yield env
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def rows(env: dict[str, str], text: str) -> list[tuple[object, ...]]:
    return query(Home(Path(env["DEMUR_HOME"])), text, limit=None).rows


def test_deployments_hold_no_directory_of_a_machine(worker: dict[str, str]) -> None:
    names = [entry["name"] for entry in yaml.safe_load((ROOT / "deployments/prefect.yaml").read_text())["deployments"]]
    assert {"embedded", "weekly", "ingest", "generate", "verify", "assemble", "evaluate", "grade", "finish"} == set(
        names
    )
    for deployment in ("round/embedded", "round/weekly", "verify/verify"):
        shown = prefect("deployment", "inspect", deployment, "--output", "json", env=worker)
        assert shown.returncode == 0, shown.stderr
        assert str(ROOT) not in shown.stdout


@pytest.mark.exhaustive
def test_weekly_runs_three_times_two_disjoint_rounds_then_the_corpus_rests(
    worker: dict[str, str], tmp_path: Path
) -> None:
    given = ["-p", f"corpus={corpus(tmp_path)}", "-p", "bases=2"]
    for _ in range(2):
        done = prefect("deployment", "run", "round/weekly", *given, "--watch", env=worker)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Completed" in done.stdout
    assert rows(worker, "SELECT count(*), count(DISTINCT seed) FROM rounds WHERE status = 'finished'") == [(2, 2)]
    assert rows(worker, "SELECT count(DISTINCT base_id) FROM live_items") == [(4,)]
    assert rows(worker, "SELECT count(DISTINCT round_id), count(*) FROM releases") == [(2, 2)]
    fitted_once = "SELECT count(DISTINCT round_id) FROM {} WHERE policy = 'safety'"
    assert rows(worker, fitted_once.format("completions")) == rows(worker, fitted_once.format("fits")) == [(1,)]
    assert rows(worker, "SELECT count(DISTINCT round_id) FROM live_fits WHERE policy = 'safety'") == [(2,)]
    third = prefect("deployment", "run", "round/weekly", *given, "--watch", env=worker)
    assert third.returncode != 0
    assert rows(worker, "SELECT count(*) FROM rounds WHERE status = 'finished'") == [(2,)]
