"""Programs that DSPy's optimisers worked on: the documented example, and files that a round cannot use."""

import json
import re
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy.clients.cache import Cache

from demur.errors import ConfigError
from demur.flows.rounds.request import RoundRequest
from demur.flows.rounds.session import check_round
from demur.flows.stages.volumes import round_fingerprints
from demur.lanes.simulator.server import serve
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.compiled import ProgramKind, load_compiled, program_of
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import ROOT, small

INSTRUCTIONS = "Grade with care, by each definition."


def saved(path: Path) -> dict[str, Any]:
    """The state of a grader with other instructions, as DSPy saves it."""
    program = program_of(ProgramKind.GRADER)
    program.grade.signature = program.grade.signature.with_instructions(INSTRUCTIONS)
    program.save(path)
    return dict(json.loads(path.read_text(encoding="utf-8")))


def refused(path: Path, told: str) -> None:
    config = small(path.parent, compiled={"grader": path.name})
    with pytest.raises(ConfigError, match="compiled.grader: .*grader.json.*" + re.escape(told)):
        check_round(RoundRequest(str(config)))


@pytest.mark.parametrize(
    ("grade", "told"),
    [
        (None, "has nothing, but a grader has grade"),
        ({}, "grade: is not the state of a predictor ('signature')"),
        ({"demos": [3]}, "grade: is not the state of a predictor"),
        ({"demos": [{"policy": 3, **dict.fromkeys(
            ("refusal_codes", "propositions", "prompt", "grounding", "completion", "grades"), ()
        )}]}, "a demonstration does not fit the grader of this version"),
        ({"signature": {"instructions": "Grade.", "fields": []}}, "was saved with another version of the grader"),
    ],
)  # fmt: skip
def test_round_with_a_saved_program_that_cannot_be_used_says_so_before_it_begins(
    demur_home: Path, tmp_path: Path, grade: dict[str, object] | None, told: str
) -> None:
    path = tmp_path / "grader.json"
    state = saved(path)["grade"]
    content = {} if grade is None else {"grade": {**state, **grade} if grade else {}}
    path.write_text(json.dumps(content), encoding="utf-8")
    refused(path, told)


def test_round_with_a_file_that_is_no_saved_program_says_so(demur_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "grader.json"
    refused(path, "cannot be read")
    path.write_text("{", encoding="utf-8")
    refused(path, "is not JSON")
    program_of(ProgramKind.VERIFIER).save(path)
    refused(path, "but a grader has grade")


def test_round_with_a_saved_program_names_its_fingerprint_and_plans_other_units(
    demur_home: Path, tmp_path: Path
) -> None:
    plain = check_round(RoundRequest(str(small(tmp_path))))
    saved(tmp_path / "grader.json")
    with_file = check_round(RoundRequest(str(small(tmp_path, compiled={"grader": "grader.json"}))))
    before, after = round_fingerprints(plain), round_fingerprints(with_file)
    assert before["verifier"] == after["verifier"] and before["grader"] != after["grader"]
    assert after["grader"] == fingerprint(load_compiled(tmp_path / "grader.json", ProgramKind.GRADER))
    assert with_file.config.recorded()["compiled"] == {"grader": "grader.json", "verifier": None}


@pytest.mark.slow
@pytest.mark.exhaustive
def test_documented_example_makes_a_grader_with_demonstrations_that_a_round_takes(
    rules_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "compiling.md").read_text(encoding="utf-8")
    [example] = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    monkeypatch.setenv("DEMUR_HOME", str(rules_round.home.root))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dspy, "cache", Cache(False, False, str(tmp_path)))  # else replies to an earlier test are taken
    with serve() as simulator:
        code = example.replace("http://127.0.0.1:8765/v1", simulator.openai_url).replace(
            'ROUND = "rules"', f'ROUND = "{rules_round.round_id}"'
        )
        exec(compile(code, "docs/compiling.md", "exec"), {"__name__": "__main__"})
        assert simulator.asked
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path / "home"))
    grader = load_compiled(tmp_path / "grader.json", ProgramKind.GRADER)
    assert grader.grade.demos and fingerprint(grader) != fingerprint(program_of(ProgramKind.GRADER))
    context = check_round(RoundRequest(str(small(tmp_path, compiled={"grader": "grader.json"}))))
    assert round_fingerprints(context)["grader"] == fingerprint(grader)
