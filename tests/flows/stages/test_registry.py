"""The registry is the one place that lists stages: what lists them elsewhere derives from it, or equals it here."""

import re
from pathlib import Path

import pytest
import yaml

from demur.configuration.round_config import SHIPPED
from demur.errors import ConfigError
from demur.flows.round import PARTS
from demur.flows.rounds.request import read_round_config
from demur.flows.stages.registry import EVALUATION, PAID_STAGES, STAGES
from demur.flows.stages.rewards.read import READ
from demur.warehouse.tables import UNIT_TABLES, Table
from tests.flows.rounds import ROOT, write_config

NAMES = [stage.name for stage in STAGES]
ALONE = [READ, *(stage for stage in EVALUATION if stage not in STAGES)]


def test_every_folder_of_a_stage_is_registered_once_under_its_name() -> None:
    folders = {path.parent for path in (ROOT / "demur" / "flows" / "stages").glob("*/*/__init__.py")}
    assert {stage.folder for stage in (*STAGES, *ALONE)} == folders
    assert [stage.folder.name for stage in STAGES] == NAMES
    assert len(set(NAMES)) == len(NAMES)


def test_every_stage_has_its_gate_and_lands_in_its_table() -> None:
    for stage in (*STAGES, *ALONE):
        assert stage.gate.expectations(), stage.name
        assert stage.name in Table(stage.table).stages
    assert {name for table in UNIT_TABLES for name in table.stages} == {
        *NAMES,
        *(stage.name for stage in ALONE),
        "import",
    }


def test_paid_stages_are_those_that_caps_may_name(tmp_path: Path) -> None:
    asking = [
        stage.name
        for stage in STAGES
        if re.search("WithModels|open_models", (stage.folder / "__init__.py").read_text(encoding="utf-8"))
    ]
    assert list(PAID_STAGES) == asking
    capped = write_config(tmp_path, budget={"stages": dict.fromkeys(PAID_STAGES, 1.0)})
    assert list(read_round_config(capped).budget.stages) == list(PAID_STAGES)
    for name in set(NAMES) - set(PAID_STAGES):
        with pytest.raises(
            ConfigError, match=f"{name} is not one of the stages that ask models: match, ask, prove, recall"
        ):
            read_round_config(write_config(tmp_path, budget={"stages": {name: 1.0}}))


def test_deployments_run_a_round_and_each_of_its_parts() -> None:
    deployed = yaml.safe_load((SHIPPED.parent / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    parts = {one["name"]: one["entrypoint"] for one in deployed if "stage" in one["tags"]}
    assert parts == {part.name: f"demur.flows.round.{part.name}" for part in PARTS}
    assert list(parts) == [part.name for part in PARTS]
    assert {one["entrypoint"] for one in deployed if "round" in one["tags"]} == {"demur.flows.round.round_flow"}
