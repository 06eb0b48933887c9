"""Whole rounds through the real SDKs over HTTP, at a provider that fails: nothing is lost, doubled or made up."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from demur.errors import ModelsDoNotAnswerError
from demur.flows.round import round_flow
from demur.lanes.simulator.faults import FAMILIES, TRANSIENT, SimulatedRequest, SimulatorFault, seeded
from demur.lanes.simulator.server import serve
from demur.warehouse.home import Home
from tests.flows.finished_rounds import FinishedRound
from tests.flows.masters import check_master
from tests.flows.rounds import begun, demur, environment, whole_round
from tests.flows.simulated import (
    KEY,
    KEY_VARIABLE,
    LIMITS,
    ROUND,
    data_files,
    number,
    rows,
    simulated,
    unfinished_units,
)

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]

UNLIKE_A_KEY = "planted-and-looks-like-nothing-4711"
"""No pattern knows it: it is hidden because it is ours."""
OTHER = "planted-token-of-somebody-else"
HANGS_SECONDS = 3600
"""After so long a command hangs, on the slowest machine too."""
FAULT_RATE = 0.2
ANSWERS = "SELECT count(*) FROM calls WHERE reply IS NOT NULL AND role <> 'probe'"
CALLS = "SELECT count(*) FROM calls WHERE role <> 'probe'"
TIMED_OUT = "SELECT count(*) FROM calls WHERE error_class = 'timeout'"
"""Of these some may never have reached the provider, on a busy machine."""
ANSWERED_TWICE = """
    SELECT count(*) - count(DISTINCT (stage, unit_id, role, model, request_digest)) FROM calls
    WHERE status = 'ok' AND role <> 'probe'"""
ACCEPTED = "SELECT perturbation_id FROM accepted_perturbations"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


@dataclass(frozen=True)
class Calm:
    """The round that nothing disturbed: its home, what it released and accepted, how many answers it took."""

    home: Path
    files: dict[str, str]
    accepted: set[str]
    answers: int


@pytest.fixture(scope="module")
def calm(simulated_round: FinishedRound) -> Calm:
    home = simulated_round.home.root
    accepted = {found for (found,) in rows(home, ACCEPTED)}
    assert len(accepted) >= 5 and number(home, "SELECT count(*) FROM failures") == 0
    return Calm(home, data_files(home), accepted, number(home, ANSWERS))


def touched(calm: Calm, home: Path) -> set[str]:
    """Perturbations of the undisturbed round that a failed unit of this one stands in the way of."""
    failed = {unit for (unit,) in rows(home, "SELECT unit_id FROM failures")}
    found = set()
    for perturbation, base, unit in rows(calm.home, "SELECT perturbation_id, base_id, unit_id FROM perturbations"):
        screens = {u for (u,) in rows(calm.home, f"SELECT unit_id FROM screenings WHERE base_id = '{base}'")}
        verdicts = {
            u for (u,) in rows(calm.home, f"SELECT unit_id FROM verdicts WHERE perturbation_id = '{perturbation}'")
        }
        if failed & {unit, *screens, *verdicts}:
            found.add(perturbation)
    return found


def holding(folder: Path, secret: str) -> list[Path]:
    """Files under a folder that hold a secret, in any case."""
    wanted = secret.encode().lower()
    return [path for path in folder.rglob("*") if path.is_file() and wanted in path.read_bytes().lower()]


def logging_all(prefect: Path) -> dict[str, str]:
    """The environment of a round that keeps as much as it can in a Prefect of its own, and holds two secrets."""
    return {
        KEY_VARIABLE: UNLIKE_A_KEY,
        "OTHER_API_TOKEN": OTHER,
        "PREFECT_HOME": str(prefect),
        "PREFECT_LOGGING_LEVEL": "DEBUG",
        "PREFECT_LOGGING_EXTRA_LOGGERS": "demur,programs,flows,openai,httpx,aiohttp",
        "PREFECT_LOGGING_TO_API_BATCH_INTERVAL": "0.2",
    }


@pytest.mark.exhaustive
def test_round_with_a_fifth_of_all_faults_accounts_for_every_unit_hides_its_key_and_ends_as_the_calm_one(
    calm: Calm, tmp_path: Path
) -> None:
    """Units whose reply and repair were both spoilt, or that were refused, are failures with a reason.

    The provider repeats the key in each error. Prefect's own database holds logs, runs, parameters and artifacts.
    Screeners and respondents reply in plain texts, which are taken as they come. So only faults without a reply fall on
    their requests: a spoilt text would be kept.
    """
    home, prefect = tmp_path / "home", tmp_path / "prefect"
    is_due, kinds = seeded(3, FAULT_RATE, FAMILIES["all"]), sorted(FAMILIES["all"])

    def fault_of(asked: SimulatedRequest) -> SimulatorFault | None:
        if not is_due(asked):
            return None
        allowed = TRANSIENT if asked.task.startswith("AnswerFrom") else FAMILIES["all"]
        fault = next(kind for kind in kinds if kind in allowed)
        kinds.remove(fault)
        kinds.append(fault)
        return fault

    with serve(fault_of, latency_seconds=0.01) as simulator:
        config = simulated(tmp_path, simulator, timeout_seconds=4)
        with pytest.MonkeyPatch.context() as patch:
            patch.delenv("PREFECT_API_URL", raising=False)
            for name, value in logging_all(prefect).items():
                patch.setenv(name, value)
            ended = demur("round", str(config), "--no-probe", home=home, timeout=HANGS_SECONDS)
            assert ended.returncode == 0, ended.stderr[-3000:]
            assert "Respondent " in ended.stdout and f"release verify {ROUND}/1" in ended.stdout
            asked = len(simulator.asked)
            met = {fault for fault in simulator.faults if fault}
            simulator.plan = lambda asked: SimulatorFault.UNAUTHORISED
            patch.setenv("DEMUR_HOME", str(home))
            with pytest.raises(ModelsDoNotAnswerError, match="401 unauthorised for key .key.") as refused:
                round_flow(config=str(config), round_id="refused")
        assert met == FAMILIES["all"]
        assert {one.key for one in simulator.asked} == {UNLIKE_A_KEY}
        for stage, (planned, neither, both) in unfinished_units(home).items():
            assert planned > 0 and neither == both == 0, stage
        assert number(home, CALLS) - number(home, TIMED_OUT) <= asked <= number(home, CALLS)
        declined = "SELECT DISTINCT reason FROM failures WHERE reason IN ('refusal', 'content_filter')"
        assert rows(home, declined), "which of them is met depends on the lane that the fault fell on"
        assert not {found for (found,) in rows(home, ACCEPTED)} & touched(calm, home)
        simulator.plan = lambda asked: None
        whole_round(config, home)
    assert number(home, "SELECT count(*) FROM live_failures") == 0
    assert data_files(home) == calm.files
    check_master("simulated", Home(home), ROUND, spoilt=True)
    assert "or skip this check: --no-probe" in str(refused.value)
    assert number(home, "SELECT count(*) FROM calls WHERE error LIKE '%for key [key]%'") > 0
    written = {path.suffix for path in home.rglob("*") if path.is_file()}
    assert {".duckdb", ".parquet", ".html", ".json"} <= written
    assert holding(prefect, f"{ROUND}/generate") and holding(prefect, "accept")
    for secret in (UNLIKE_A_KEY, OTHER, KEY):
        assert secret not in ended.stdout + ended.stderr + str(refused.value)
        assert holding(tmp_path, secret) == []


def kill_when(config: Path, home: Path, due: Callable[[], bool]) -> bool:
    """Start a round, end it with kill -9 once something is so, and return whether it was still running."""
    process = begun("round", str(config), "--no-probe", env=environment(home), stderr=subprocess.DEVNULL)
    try:
        while process.poll() is None and not due():
            time.sleep(0.01)
        going = process.poll() is None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=60)
    return going


@pytest.mark.exhaustive
def test_round_over_http_killed_twice_repeats_none_but_what_was_under_way(calm: Calm, tmp_path: Path) -> None:
    """The simulator counts: answers that it gave, less those in the ledger, were under way when the round died."""
    home, kills = tmp_path / "home", 0
    with serve(seeded(11, FAULT_RATE, TRANSIENT - {SimulatorFault.HANGING}), latency_seconds=0.02) as simulator:
        config = simulated(tmp_path, simulator)
        for share in (0.3, 0.7):
            kills += kill_when(config, home, lambda share=share: len(simulator.asked) > share * calm.answers)  # type: ignore[misc]
        assert kills == 2
        whole_round(config, home)
        answered = simulator.counts.answered.total()
    lost = answered - number(home, ANSWERS)
    assert 0 <= lost <= kills * 2 * LIMITS["concurrency"]
    assert number(home, ANSWERED_TWICE) == 0
    assert data_files(home) == calm.files
