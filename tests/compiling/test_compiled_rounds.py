"""Rounds that name compiled programs: their fingerprints, and files that cannot be used."""

import json
import re
from pathlib import Path

import pytest

from demur.errors import ConfigError
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.flows.stages.round_programs import round_fingerprints
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.compiled.file import compiled_file, load_compiled
from demur.programs.compiled.kinds import ProgramKind, program_of
from tests.flows.rounds import small

INSTRUCTIONS = "Grade with care, by each definition."


def compiled(path: Path, **changes: object) -> Path:
    program = program_of(ProgramKind.GRADER)
    program.grade.signature = program.grade.signature.with_instructions(INSTRUCTIONS)
    text = compiled_file(ProgramKind.GRADER, program, {}).model_dump(mode="json")
    path.write_text(json.dumps(text | changes), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"format": "x"}, "grader.json: format: Input should be 'demur-compiled/1'"),
        ({"program": "verifier"}, "is a compiled verifier, and a grader is wanted"),
        ({"fingerprint": "0"}, "it was edited, or made for another version of the grader's prompt. Compile it again"),
        ({"predictors": {}}, "does not fit the grader of this version. Compile it again"),
        ({"predictors": {"grade": {"instructions": "Grade.", "demonstrations": []}}}, "it was edited"),
        (
            {"predictors": {"grade": {"instructions": "G.", "demonstrations": [{"inputs": {}, "reply": {}}]}}},
            "does not fit the grader of this version",
        ),
    ],
)
def test_round_with_a_compiled_file_that_cannot_be_used_says_so_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], told: str
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    path = compiled(tmp_path / "grader.json", **changes)
    config = small(tmp_path, compiled={"grader": path.name})
    with pytest.raises(ConfigError, match="compiled.grader: .*" + re.escape(told)):
        check_round(RoundRequest(str(config)))


def test_round_with_a_compiled_program_names_its_fingerprint_and_plans_other_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    plain = check_round(RoundRequest(str(small(tmp_path))))
    path = compiled(tmp_path / "grader.json")
    with_file = check_round(RoundRequest(str(small(tmp_path, compiled={"grader": path.name}))))
    before, after = round_fingerprints(plain), round_fingerprints(with_file)
    assert before["verifier"] == after["verifier"] and before["grader"] != after["grader"]
    assert after["grader"] == fingerprint(load_compiled(path, ProgramKind.GRADER))
    assert with_file.config.recorded()["compiled"] == {"grader": "grader.json", "verifier": None}
