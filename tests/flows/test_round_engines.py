"""Stages in workers of Ray make what they make in threads; tests/engine/test_engines.py has those of Dask."""

from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from demur.flows.stages.registry import GENERATION
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import first_stages, write_config
from tests.flows.simulated import rows

CANDIDATES = "SELECT perturbation_id, status, question, changed, content_key FROM live_perturbations ORDER BY ALL"


@pytest.mark.slow
@pytest.mark.usefixtures("prefect_api")
@pytest.mark.skipif(find_spec("prefect_ray") is None, reason="needs the extra ray")
def test_perturbations_of_workers_are_those_of_threads(rules_round: FinishedRound, tmp_path: Path) -> None:
    config = yaml.safe_load(rules_round.config.read_text(encoding="utf-8"))
    ours = write_config(tmp_path, **config | {"engine": {"kind": "ray"}, "shards_at_once": 2})
    first_stages(ours, tmp_path / "home", *GENERATION)
    found = rows(tmp_path / "home", CANDIDATES)
    assert found == rows(rules_round.home.root, CANDIDATES) != []
