"""What fails a code check, or is turned down by verifiers, goes back to its generator once, with what is wrong."""

from pathlib import Path

import pytest

from demur.flows.stages.registry import GENERATION, VERIFICATION
from demur.lanes.simulator.behaviour import SimulatorConfig
from demur.lanes.simulator.server import serve
from tests.flows.careless import LEAK, POLITE, Careless
from tests.flows.rounds import first_stages
from tests.flows.simulated import KEY, KEY_VARIABLE, ROUND, number, rows, simulated

pytestmark = [pytest.mark.slow(seconds=60), pytest.mark.usefixtures("prefect_api")]

MEDIUM = {
    "lever_choice": "generator",
    "replicates": 1,
    "intensities": ["MEDIUM"],
}
LIVE = f"FROM live_perturbations WHERE round_id = '{ROUND}'"
MADE = f"FROM perturbations WHERE round_id = '{ROUND}'"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    return tmp_path / "home"


def test_rejected_perturbation_goes_back_once_with_the_evidence_as_a_unit_of_its_own(
    tmp_path: Path, home: Path
) -> None:
    careless = Careless(LEAK)
    with serve(config=SimulatorConfig(reply=careless)) as simulator:
        first_stages(simulated(tmp_path, simulator, bases=6, generation={**MEDIUM, "repairs": 0}), home, *GENERATION)
        assert careless.earlier == [], "a round without repairs sends nothing back"
        rejected = number(home, f"SELECT count(*) {LIVE} AND status = 'rejected'")
        assert rejected >= 2
        config = simulated(tmp_path, simulator, bases=6, generation=MEDIUM)
        first_stages(config, home, *GENERATION)
        bought = len(simulator.asked)
        first_stages(config, home, *GENERATION)
        assert len(simulator.asked) == bought, "nothing is mended twice"
    assert number(home, f"SELECT count(*) {MADE} AND repair = 1") == rejected == len(careless.earlier)
    for told in careless.earlier:
        assert told["perturbed_question"].endswith(f"{LEAK}?")
        assert any(fault.startswith("no_leak: the question holds a code") for fault in told["faults"])
    assert number(home, f"SELECT count(*) {LIVE} AND status = 'rejected'") == 0
    assert number(home, f"SELECT count(*) {LIVE} AND repair = 1 AND status = 'candidate'") == rejected
    cells = "SELECT count(*) - count(DISTINCT (base_id, class, intensity, generator, replicate))"
    assert number(home, f"{cells} {LIVE}") == 0
    mended = rows(
        home,
        f"SELECT p.repair_of = o.perturbation_id, o.status, c.stage, c.cost_usd > 0 FROM (SELECT * {LIVE}) p "
        "JOIN perturbations o ON o.perturbation_id = p.repair_of JOIN calls c ON c.unit_id = p.unit_id "
        "WHERE p.repair = 1",
    )
    assert len(mended) == rejected and set(mended) == {(True, "rejected", "generate", True)}


@pytest.mark.exhaustive
def test_candidate_that_verifiers_turn_down_goes_back_where_the_round_asks_for_that(tmp_path: Path, home: Path) -> None:
    careless = Careless(POLITE)
    # classes whose levers change the question: elsewhere a code check turns it down before verifiers see it
    asked = {**MEDIUM, "intensities": ["LOW"], "classes": ["P-EpistemicMismatch", "P-FalsePremise"]}
    with serve(config=SimulatorConfig(reply=careless)) as simulator:
        config = simulated(tmp_path, simulator, bases=4, generation={**asked, "repair_verdicts": False})
        first_stages(config, home, *GENERATION)
        rejected = len(careless.earlier)  # where a lever leaves the question as it is
        first_stages(config, home, *VERIFICATION, *GENERATION)
        assert len(careless.earlier) == rejected
        config = simulated(tmp_path, simulator, bases=4, generation={**asked, "repair_verdicts": True})
        for _ in range(2):  # what the mended one had kept from verification as its duplicate is mended a run later
            first_stages(config, home, *GENERATION, *VERIFICATION)
        bought = len(simulator.asked)
        first_stages(config, home, *GENERATION, *VERIFICATION)
        assert len(simulator.asked) == bought
    begged = careless.earlier[rejected:]
    assert begged and all("it begs" in told["faults"] for told in begged)
    repaired = "JOIN perturbations o ON o.perturbation_id = p.repair_of WHERE o.status = 'candidate'"
    assert number(home, f"SELECT count(*) FROM live_perturbations p {repaired}") == len(begged)
    assert number(home, f"SELECT count(*) FROM accepted_perturbations p {repaired}") > 0
