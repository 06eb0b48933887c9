"""Finished rounds are what their golden masters say, table by table."""

from pathlib import Path

import pytest

from demur.configuration.round_config import SHIPPED
from demur.warehouse.home import Home
from tests.flows.finished_rounds import FinishedRound
from tests.flows.masters import check_master, lines_of
from tests.flows.rounds import whole_round

pytestmark = [pytest.mark.slow(seconds=40), pytest.mark.usefixtures("prefect_api")]


def test_rules_round_is_what_its_master_says(rules_round: FinishedRound) -> None:
    check_master("rules", rules_round.home, rules_round.round_id)


def test_simulated_round_is_what_its_master_says(simulated_round: FinishedRound) -> None:
    check_master("simulated", simulated_round.home, simulated_round.round_id)


def test_several_round_is_what_its_master_says(several_round: FinishedRound) -> None:
    check_master("several", several_round.home, several_round.round_id)


def test_master_knows_no_id_of_one_run(rules_round: FinishedRound) -> None:
    [one, *_] = lines_of(rules_round.home, rules_round.round_id, "judgements")
    assert '"response_id": "' in one and "always-answers/0" in one
    assert '"unit_id"' not in one and '"call_id"' not in one


@pytest.mark.exhaustive
def test_embedded_round_is_what_its_master_says(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert whole_round(SHIPPED / "embedded.yaml", home) == "embedded/1"
    check_master("embedded", Home(home), "embedded")
