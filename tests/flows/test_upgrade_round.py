"""A whole round that is stopped in mid-stage and goes on under other code."""

import json
from pathlib import Path

import pytest

from demur.errors import CapReachedError
from demur.flows.round import round_flow
from demur.flows.stages.items import generate as generating
from demur.lanes.simulator.server import Simulator, serve
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here, whole_round
from tests.flows.simulated import KEY, KEY_VARIABLE, data_files, number, rows, simulated

ANSWERS = "SELECT count(*) FROM calls WHERE status = 'ok' AND role <> 'probe'"
COSTS = "SELECT sum(counted_usd), sum(counted_usd) FILTER (stage NOT IN ('write', 'grade')) FROM spending"
STAMPS = "SELECT stamp FROM perturbations"


def asked(provider: Simulator) -> int:
    """How many requests came in, probes apart."""
    return sum(bool(request.task) for request in provider.asked)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.usefixtures("prefect_api")
def test_round_upgraded_in_mid_stage_buys_nothing_again(
    simulated_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All perturbations are computed again from their answers, and what follows from them stays as it is."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    calm, home = simulated_round.home.root, tmp_path / "home"
    [(cost, cap)] = rows(calm, COSTS)
    with serve() as provider:
        config = simulated(tmp_path, provider)
        with pytest.MonkeyPatch.context() as patch, pytest.raises(CapReachedError, match="^(verify|respond|judge): "):
            patch.setenv("DEMUR_HOME", str(home))
            round_flow(config=str(config), probe=False, max_usd=cap)
        stamps = {stamp for (stamp,) in rows(home, STAMPS)}
        monkeypatch.setattr(generating, "checks_version", lambda: "other code")
        whole_round(config, home)
    assert stamps and stamps.isdisjoint(stamp for (stamp,) in rows(home, STAMPS))
    assert asked(provider) == number(home, ANSWERS) == number(calm, ANSWERS)
    assert data_files(home) == data_files(calm)
    total = demur_here("costs", "--by", "total", "--format", "json", home=home)
    [told] = json.loads(total.stdout)
    assert told["calls"] == number(calm, ANSWERS) and told["counted_usd"] < 1.01 * cost
