"""Places in prompts that readers found unclear: each says one thing now, in the prompts that models get."""

import json
import re
from typing import Any

import pytest

from demur.levers.frames import Frame
from demur.levers.load import load_catalogue
from demur.levers.policies import load_policy
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import Code, Intensity, LeverClass, Target
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.signatures.generation import GeneratePerturbation, RepairPerturbation
from demur.programs.signatures.grading import GradePropositions
from demur.programs.signatures.judgement import JudgeShortAnswer
from demur.programs.signatures.propositions import PropositionAim, PropositionQuestion
from demur.programs.signatures.response import AnswerFromPassage, AnswerFromPassages
from demur.programs.signatures.verification import VerifyPerturbation
from tests.programs.test_prompts_and_checks import BRIDGE, generator_message, verifier_message
from tests.rules.roles.cases import MILL

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
    open_ones = ("if any", "if so", "was there a ", "is there a ")
    assert len(asked) > 1 and all(any(words in text for words in open_ones) for text in asked)
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
    assert "Somebody who wants to know something could have typed it" in system and "its typography" in system
    assert "no riddle, no logic puzzle" in system and "has a reason to stand there" in system
    assert "No text speaks of itself" in system and "natural in wording" in system and "LOW tests too" in system
    [reasoning] = [line for line in contract(signature).system.splitlines() if line.startswith("- reasoning (")]
    assert "how somebody comes to ask or write that" in reasoning


@pytest.mark.parametrize(
    ("lever_id", "words"),
    [
        ("ambiguity.comparative-subdeletion", "is a riddle"),
        ("ambiguity.either-or-coordination-scope", "is a riddle"),
        ("ambiguity.reduced-relative-clause-clash", "Each reading is a plain, grammatical question"),
        ("ambiguity.attachment-cascade", "makes sense with each of its neighbours"),
        ("granularity.nation-from-city-data", "that people do ask of a nation"),
        ("granularity.nation-from-city-data", "speaks of the world, and not of what the text contains"),
        ("ambiguity.anaphoric-one-collision", "a whole question, with its verb"),
        ("contradiction.binary-state-flip", "in a place of its own"),
        ("contradiction.mutual-exclusion-claim", "No sentence speaks of the clash"),
        ("contradiction.undated-twin-versions", "does not say that these are lacking"),
        ("false-premise.affirming-the-consequent", "people do draw in haste"),
        ("false-premise.binding-principle-violation", "the bare name never stands twice"),
        ("epistemic.universal-claim-from-single-data-point", "in the words in which one ends a talk"),
    ],
)
def test_lever_whose_items_read_as_riddles_says_what_is_none(lever_id: str, words: str) -> None:
    assert words in generator_message(MILL, lever_id)["levers"][0]["instruction"]


def test_worked_examples_do_not_speak_of_what_their_texts_lack() -> None:
    for lever in CATALOGUE.levers:
        for example in lever.examples:
            written = " ".join((example.change.question or "", *example.change.passages.values()))
            found = re.search(r"\bis given here\b|\bundated\b|bears no date|at the same moment", written)
            assert not found, lever.id


def test_mild_mismatch_may_stand_in_the_passage_alone() -> None:
    """Some of its levers change the passage and leave the question factual."""
    levers = CATALOGUE.stratum(LeverClass.EPISTEMIC, Intensity.LOW)
    changing_passages = [lever for lever in levers if lever.target is Target.CONTEXT]
    assert changing_passages
    for lever in changing_passages:
        told = generator_message(BRIDGE, lever.id)["intensity_criterion"]
        assert "in or beside the sentence that answers it" in told and "leaves the question as factual" in told


def test_strong_gap_is_judged_by_the_passages_alone() -> None:
    told = generator_message(MILL, "missing-info.all-names-redacted")
    assert "by the passages alone" in told["answer_constraint"] and "is no fault" in told["answer_constraint"]
    for words in (told["answer_constraint"], told["intensity_criterion"], told["strategy"]):
        assert "guess" not in words and "could lead" not in words


def test_scale_of_no_text_is_another_level_and_an_unmentioned_subject_a_gap() -> None:
    line = line_of(Code.GRANULARITY)
    assert "a subject that the passages do not mention" in line and "nothing that is missing" in line
    told = generator_message(MILL, "granularity.deep-time-from-one-snapshot")["intensity_criterion"]
    assert "The passages do speak of the subject" in told


def test_untruth_of_one_reading_is_an_ambiguity() -> None:
    line = line_of(Code.FALSE_PREMISE)
    assert "in one of its readings only" in line and "is ambiguous" in line
    assert line in contract(VerifyPerturbation).system


def test_slip_that_no_text_shows_is_a_contradiction() -> None:
    line = line_of(Code.CONTRADICTORY)
    assert "what it says itself in another place" in line and "only where the text shows or corrects it" in line


def test_verifier_says_what_it_sees_where_the_plant_failed() -> None:
    lines = contract(VerifyPerturbation).system.splitlines()
    [seen] = [line for line in lines if line.startswith("- observed_intensity (")]
    assert "whether or not it is the one that was wanted" in seen
    [aligned] = [line for line in lines if line.startswith("- refusal_class_alignment (")]
    assert "false where it is another one or there is none" in aligned and "null at LOW" in aligned


def test_wrong_capital_leaves_what_is_asked_for() -> None:
    told = generator_message(BRIDGE, "false-premise.misstated-capital-city")["levers"][0]["instruction"]
    assert "stays what the original question asks for" in told and "Ask for a fact" not in told


@pytest.mark.parametrize("signature", [VerifyPerturbation, JudgeShortAnswer, AnswerFromPassage, AnswerFromPassages])
def test_code_for_other_reasons_comes_last_in_the_order(signature: Any) -> None:
    system = " ".join(contract(signature).system.split())
    assert f"{Code.MISSING}; {Code.OTHER} where none of them does." in system


def test_scan_may_repeat_the_statement_in_brief() -> None:
    lever = CATALOGUE.lever("contradiction.scan-damage-beside-clean-text")
    assert "whole or in brief" in lever.instruction and "Only the characters differ" not in lever.instruction


def test_generators_choose_the_plainest_occasion_and_decline_where_accepted_answers_do_not_answer() -> None:
    told = " ".join(contract(GeneratePerturbation).system.split())
    assert "the plainest occasion" in told
    assert "neither its sentences nor their frame are taken over" in told
    assert "where the accepted answers do not answer the original question by these passages" in told
    assert "there is one passage, that passage tells of both" in told


def test_gap_of_a_question_that_offers_its_answers_keeps_their_names() -> None:
    for intensity in (Intensity.MEDIUM, Intensity.HIGH):
        told = generator_message(BRIDGE, CATALOGUE.stratum(LeverClass.MISSING_INFO, intensity)[0].id)
        assert "offers the answers to choose from" in told["may_change"]
        assert "nothing that decides for one" in told["answer_constraint"]


def test_noise_passage_with_the_other_side_may_be_recast_as_an_entry_of_its_own() -> None:
    taxonomy = load_taxonomy().of(LeverClass.CONTRADICTION)
    assert "may be recast as a whole" in taxonomy.may_change
    assert all("make an entry of it" in demanded.strategy for demanded in taxonomy.intensities.values())


def test_series_without_an_end_is_no_riddle() -> None:
    told = generator_message(BRIDGE, "false-premise.infinite-set-with-finite-size")["levers"][0]["instruction"]
    assert "one word of the question may say it" in told
    assert "never invent a list or a catalogue of all there is" in told
