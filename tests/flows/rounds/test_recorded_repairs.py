"""A round in which perturbations went back to their generators is recorded, and its release made again from that."""

from collections import Counter
from pathlib import Path

import pytest

from demur.flows.round import round_flow
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.server import serve
from demur.programs.recording import read_recording
from demur.warehouse.home import Home
from tests.flows.careless import LEAK, POLITE, Careless
from tests.flows.rounds import demur_here
from tests.flows.simulated import KEY, KEY_VARIABLE, ROUND, number, rows, simulated
from tests.reports.explorer.test_prompts import kept

pytestmark = [pytest.mark.slow(seconds=40), pytest.mark.repeated, pytest.mark.usefixtures("prefect_api")]

GENERATION = {
    "lever_choice": "generator",
    "replicates": 1,
    "classes": ["P-EpistemicMismatch"],
    "repairs": 2,
    "repair_verdicts": True,
}


def test_repairs_of_checks_and_verdicts_are_recorded_and_the_release_is_rederived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First attempts fail a check, first repairs are turned down by verifiers or fail too, second ones are sound."""
    home, file = tmp_path / "home", tmp_path / "replies.jsonl.gz"
    monkeypatch.setenv("DEMUR_HOME", str(home))
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with serve(config=SimulatorConfig(reply=Careless(LEAK, again=POLITE))) as simulator:
        round_flow(config=str(simulated(tmp_path, simulator, generation=GENERATION)))
    monkeypatch.delenv(KEY_VARIABLE)
    went = rows(home, "SELECT repair, status, count(*) FROM perturbations GROUP BY ALL ORDER BY ALL")
    assert {(repair, status) for repair, status, _ in went} >= {(0, "rejected"), (1, "candidate"), (2, "candidate")}
    assert number(home, "SELECT count(*) FROM accepted_perturbations WHERE repair = 2") > 0
    repaired = "SELECT unit_id FROM perturbations WHERE perturbation_id IN (SELECT repair_of FROM perturbations)"
    assert kept(Home(home), f"unit_id IN ({repaired})")["generator"] > 0
    assert demur_here("record", ROUND, "--out", str(file), home=home).returncode == 0
    recorded = Counter(entry.task for entry in read_recording(file).entries.values())
    assert recorded["RepairPerturbation"] == sum(count for repair, _, count in went if repair)
    assert recorded["VerifyPerturbation"] == number(home, "SELECT count(*) FROM verdicts")
    ended = demur_here("release", "rederive", f"{ROUND}/1", "--replay", str(file), home=home)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    assert "all bytes are equal" in ended.stdout
