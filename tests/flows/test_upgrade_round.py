"""A whole round that is stopped in mid-stage and goes on under code that gives its units other ids."""

import json
from pathlib import Path

import pytest

from demur.errors import CapReachedError
from demur.flows.round import round_flow
from demur.flows.stages.generate import stage as generating
from demur.lanes.simulator.server import Simulator, serve
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here, whole_round
from tests.flows.simulated import KEY, KEY_VARIABLE, number, rows, simulated

ANSWERS = "SELECT count(*) FROM calls WHERE status = 'ok' AND role <> 'probe' AND reused_from IS NULL"
COSTS = """
    SELECT sum(counted_usd), sum(counted_usd) FILTER (stage NOT IN ('write', 'grade')),
        sum(counted_usd) FILTER (stage = 'generate')
    FROM spending"""
USED_TWICE = """
    SELECT count(*) - count(DISTINCT coalesce(c.reused_from, c.call_id))
    FROM calls c SEMI JOIN units u USING (stage, unit_id) WHERE c.status = 'ok' AND role <> 'probe'"""


def asked(provider: Simulator) -> int:
    """How many requests came in, probes apart."""
    return sum(bool(request.task) for request in provider.asked)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.usefixtures("prefect_api")
def test_round_upgraded_in_mid_stage_buys_nothing_again(
    simulated_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids of perturbations change, and with them those of verdicts, items and responses.

    The round stops before completions are written: which faults these have is drawn by the ids of items.
    """
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    calm, home = simulated_round.home.root, tmp_path / "home"
    [(cost, cap, generated)] = rows(calm, COSTS)
    with serve() as provider:
        config = simulated(tmp_path, provider)
        with pytest.MonkeyPatch.context() as patch, pytest.raises(CapReachedError, match="^(verify|respond|judge): "):
            patch.setenv("DEMUR_HOME", str(home))
            round_flow(config=str(config), probe=False, max_usd=cap)
        monkeypatch.setattr(generating, "checks_version", lambda: "other code")
        whole_round(config, home)
    reused = number(home, "SELECT sum(replies) FROM reused_replies")
    assert reused > number(calm, f"{ANSWERS} AND stage = 'generate'") > 0
    assert number(home, USED_TWICE) == 0
    assert asked(provider) == number(home, ANSWERS) == number(calm, ANSWERS)
    total = demur_here("costs", "--by", "total", "--format", "json", home=home)
    [told] = json.loads(total.stdout)
    assert (told["calls"], told["reused_replies"]) == (number(calm, ANSWERS), reused)
    assert generated < told["saved_usd"] < cap and told["counted_usd"] < 1.01 * cost
