"""Costs of a finished round, from `demur costs` in each of its groupings."""

import json
from typing import Any

import pytest

from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur_here


def test_costs_by_stage_item_stratum_and_estimate_are_those_of_the_round(simulated_round: FinishedRound) -> None:
    def costs(by: str) -> list[dict[str, Any]]:
        told = demur_here("costs", "--by", by, "--format", "json", home=simulated_round.home.root)
        assert told.returncode == 0, told.stderr
        return list(json.loads(told.stdout))

    [whole], [item], estimates, strata = costs("total"), costs("item"), costs("estimate"), costs("stratum")
    assert whole["unsure_usd"] == 0 and whole["counted_usd"] > 0
    assert sum(row["cost_usd"] for row in costs("stage")) == pytest.approx(whole["cost_usd"], rel=1e-4)
    assert item["make_usd_per_accepted"] == pytest.approx(item["make_usd"] / item["accepted"], rel=1e-3)
    assert len(strata) == 6 and all(row["counted_usd"] > 0 for row in strata)
    assert estimates and all(0.1 < row["ratio"] < 10 for row in estimates)
