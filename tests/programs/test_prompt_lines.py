"""Places in prompts that readers found unclear: each says one thing now, in the prompts that models get."""

import json
from typing import Any

import pytest

from demur.levers.frames import Frame
from demur.levers.load import load_catalogue
from demur.levers.policies import load_policy
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import Code, Intensity, LeverClass
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.signatures.generation import GeneratePerturbation, RepairPerturbation
from demur.programs.signatures.grading import GradePropositions
from demur.programs.signatures.judgement import JudgeShortAnswer
from demur.programs.signatures.propositions import PropositionAim, PropositionQuestion
from demur.programs.signatures.verification import VerifyPerturbation
from tests.programs.rules_roles.cases import MILL
from tests.programs.test_prompts_and_checks import BRIDGE, generator_message, verifier_message

CATALOGUE = load_catalogue()


def line_of(code: Code) -> str:
    return next(entry.line for entry in load_taxonomy().codes if entry.code is code)


def test_ambiguity_is_defined_by_different_answers_once() -> None:
    told = generator_message(BRIDGE, "ambiguity.collapsed-search-query")["class_definition"]
    assert told.count("different answers") == 1


def test_strong_gap_leaves_standing_what_its_lever_keeps() -> None:
    """Half of these levers keep a setting, a heading or a frame: the criterion may not forbid that."""
    levers = CATALOGUE.stratum(LeverClass.MISSING_INFO, Intensity.HIGH)
    keeping = [
        lever.id for lever in levers if "keep" in lever.instruction.casefold() or "may name" in lever.instruction
    ]
    assert {"missing-info.audio-only-reference", "missing-info.page-furniture-only"} <= set(keeping)
    for lever_id in keeping:
        told = generator_message(BRIDGE, lever_id)["intensity_criterion"]
        assert "Nothing in the passages bears" not in told
        assert "What the lever leaves standing" in told and "says nothing of what is asked" in told


def test_question_for_a_common_aim_takes_none_for_granted() -> None:
    lever = CATALOGUE.lever("granularity.individual-actions-vs-collective-goal")
    asked = [example.change.question or "" for example in lever.examples]
    asked += [frame.text for frame in lever.frames if isinstance(frame, Frame)]
    assert len(asked) > 5 and all("if any" in text or "if so" in text for text in asked)
    assert "leaves open whether there was one" in generator_message(BRIDGE, lever.id)["levers"][0]["instruction"]
    assert "had an aim in common" in line_of(Code.FALSE_PREMISE)


def test_summary_that_includes_the_case_is_another_level_and_one_that_leaves_it_out_is_a_gap() -> None:
    for system in (contract(VerifyPerturbation).system, contract(JudgeShortAnswer).system):
        assert "a single case of which only a summary that includes it is given" in system
        assert "missing information, also beside a summary of others" in system
    lever = CATALOGUE.lever("missing-info.average-from-individual")
    assert "leaves the asked case out" in lever.instruction
    assert all("other" in example.change.passages[0] for example in lever.examples)


def test_what_a_text_says_itself_outweighs_what_it_reports_and_not_its_source() -> None:
    line = line_of(Code.CONTRADICTORY)
    assert "better claim than what it merely reports" in line and "none over a source that it relies on" in line
    assert line in generator_message(BRIDGE, "contradiction.modal-dilution")["class_definition"]


@pytest.mark.parametrize(
    ("lever_id", "question", "changed", "told"),
    [
        ("ambiguity.balanced-polysemy", "When did it shut?", {}, False),
        ("ambiguity.balanced-polysemy", None, {1: "It burned down."}, True),
        ("ambiguity.balanced-polysemy", "When did it shut?", {1: MILL.passages[1].text}, False),
        ("ambiguity.collapsed-search-query", "mill when", {}, False),
        ("granularity.nation-from-city-data", "And in the nation?", {}, True),
    ],
)
def test_verifier_is_told_a_strategy_only_where_passages_were_to_change(
    lever_id: str, question: str | None, changed: dict[int, str], told: bool
) -> None:
    message = verifier_message(MILL, lever_id, question or MILL.question, changed)
    assert (message["strategy"] is not None) is told


def test_verifier_that_sees_no_defect_names_no_intensity() -> None:
    outputs = contract(VerifyPerturbation).outputs.model_fields
    assert type(None) in outputs["observed_intensity"].annotation.__args__  # type: ignore[union-attr]
    [line] = [x for x in contract(VerifyPerturbation).system.splitlines() if x.startswith("- observed_intensity (")]
    assert "null where you see no defect" in line


def test_wrong_code_claims_nothing_for_writer_and_grader() -> None:
    [claims] = [p for p in load_policy("selective_refusal").propositions if p.name == "claims_supported"]
    inputs: dict[str, Any] = {
        "policy": "p",
        "refusal_codes": (),
        "propositions": (PropositionQuestion.of(claims),),
        "prompt": "q",
        "grounding": None,
        "completion": "c",
    }
    graded = json.loads(JsonAdapter().format(GradePropositions, [], inputs)[-1]["content"])["propositions"][0]
    for told in (graded["definition"], PropositionAim.aimed(claims, holds=True).definition):
        assert "A refusal code, right or wrong, states nothing about the world" in told


@pytest.mark.parametrize("signature", [GeneratePerturbation, RepairPerturbation])
def test_generator_is_asked_for_what_people_write(signature: Any) -> None:
    system = " ".join(contract(signature).system.split())
    assert "somebody who wants to know something could have typed" in system
    assert "no riddle, no logic puzzle" in system and "has a reason to stand there" in system


@pytest.mark.parametrize(
    ("lever_id", "words"),
    [
        ("ambiguity.comparative-subdeletion", "is a riddle"),
        ("ambiguity.either-or-coordination-scope", "is a riddle"),
        ("ambiguity.reduced-relative-clause-clash", "every verb has its subject and its object"),
        ("ambiguity.attachment-cascade", "makes sense beside its neighbour"),
        ("granularity.nation-from-city-data", "that people do ask of a nation"),
    ],
)
def test_lever_whose_items_read_as_riddles_says_what_is_none(lever_id: str, words: str) -> None:
    assert words in generator_message(MILL, lever_id)["levers"][0]["instruction"]
