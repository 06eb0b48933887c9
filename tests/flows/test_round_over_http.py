"""Whole rounds through the real SDKs over HTTP, at a provider that fails: nothing is lost, doubled or made up."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest

from demur.lanes.simulator.engine import SimulatorConfig
from demur.lanes.simulator.faults import BATCH_FAULTS, FAMILIES, TRANSIENT, SimulatorFault, seeded
from demur.lanes.simulator.server import Simulator, serve
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import begun, demur, environment, whole_round
from tests.flows.simulated import (
    KEY,
    KEY_VARIABLE,
    LIMITS,
    MODELS,
    data_files,
    number,
    rows,
    simulated,
    unfinished_units,
)

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]

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


@pytest.mark.exhaustive
def test_round_with_a_fifth_of_all_faults_accounts_for_every_unit_and_ends_as_the_calm_one(
    calm: Calm, tmp_path: Path
) -> None:
    """Units whose reply and repair were both spoilt, or that were refused, are failures with a reason."""
    home = tmp_path / "home"
    is_due, kinds = seeded(3, FAULT_RATE, FAMILIES["all"]), cycle(sorted(FAMILIES["all"]))
    with serve(lambda asked: next(kinds) if is_due(asked) else None, latency_seconds=0.01) as simulator:
        config = simulated(tmp_path, simulator, timeout_seconds=4)
        whole_round(config, home)
        asked = len(simulator.asked)
        met = {fault for fault in simulator.faults if fault}
        assert met == FAMILIES["all"]
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
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []


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


def submitted(simulator: Simulator, count: int) -> Callable[[], bool]:
    return lambda: simulator.counts.batches >= count


@pytest.mark.repeated
def test_round_in_batches_killed_before_collecting_sends_none_again_and_releases_the_same(
    calm: Calm, tmp_path: Path
) -> None:
    """Batches of generators, then of respondents, are at the provider when the round dies; the next run takes them."""
    home = tmp_path / "home"
    with serve(config=SimulatorConfig(batch_seconds=1)) as simulator:
        config = simulated(tmp_path, simulator, mode="batch")
        kills = kill_when(config, home, submitted(simulator, 3))
        kills += kill_when(config, home, submitted(simulator, 7))
        assert kills == 2
        simulator.config = SimulatorConfig()
        whole_round(config, home)
        counts = simulator.counts
        assert len(simulator.asked) == counts.in_batches == calm.answers
        assert counts.answered.total() == calm.answers == number(home, ANSWERS)
        assert counts.batches == number(home, "SELECT count(*) FROM batches WHERE status <> 'void'")
    assert number(home, "SELECT count(*) FROM calls WHERE batch_id IS NULL") == 0
    assert data_files(home) == calm.files
    listed = demur("batches", "list", "--format", "json", home=home)
    assert {batch["status"] for batch in json.loads(listed.stdout)} <= {"collected", "void"}
    assert {batch["model"] for batch in json.loads(listed.stdout)} == set(MODELS)


@pytest.mark.repeated
def test_round_in_batches_with_a_fifth_of_faults_ends_as_the_calm_one(calm: Calm, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serve(seeded(13, FAULT_RATE, FAMILIES["all"])) as simulator:
        simulator.store.control_plan = seeded(13, FAULT_RATE, BATCH_FAULTS)
        config = simulated(tmp_path, simulator, mode="batch")
        whole_round(config, home)
        for stage, (_, neither, both) in unfinished_units(home).items():
            assert neither == both == 0, stage
        simulator.plan, simulator.store.control_plan = (lambda asked: None), None
        whole_round(config, home)
    assert number(home, "SELECT count(*) FROM live_failures") == 0
    assert data_files(home) == calm.files
