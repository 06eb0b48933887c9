"""Probes of a release are refused as its respondents, whatever their names."""

import json
from pathlib import Path

import pytest

from demur.errors import ConfigError
from demur.flows.evaluations.evaluation_request import EvaluationRequest, evaluation_context
from demur.warehouse.releases.manifest import release_at
from tests.flows.finished_rounds import FinishedRound


def test_probe_of_a_release_is_refused_as_its_respondent(rules_round: FinishedRound, tmp_path: Path) -> None:
    made = rules_round.copy(tmp_path / "round")
    release = release_at(made.home, "embedded/1")
    manifest = release.path / "manifest.json"
    said = json.loads(manifest.read_text(encoding="utf-8"))
    said["configuration"]["generation"]["known"] = {"probe": ["lexical-overlap"], "min_share": 0.5, "asked": 20}
    said["configuration"]["roles"]["respondents"] = ["always-answers"]
    manifest.write_text(json.dumps(said), encoding="utf-8")
    mine = EvaluationRequest("embedded/1", models=("mine=rules:respondent/lexical-overlap",))
    with pytest.raises(ConfigError, match="respondent 'mine' is the probe 'lexical-overlap' of embedded/1"):
        evaluation_context(made.home, mine, release)
    evaluation_context(made.home, EvaluationRequest("embedded/1", models=("always-refuses",)), release)
