import re

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import JsonAdapter, fingerprint, read_turns
from demur.programs.judge import Judge
from demur.programs.language_variants import in_language
from demur.programs.perturbation import Generator, Verifier
from demur.programs.respondent import Respondent
from demur.programs.signatures.other_languages import WRITING, language_input, with_language
from demur.programs.signatures.registry import SIGNATURES
from tests.programs.golden.prompts import INPUTS, PROGRAMS


def test_program_of_english_texts_is_the_program_itself() -> None:
    for program in (Generator(), Verifier(), Respondent(), Judge()):
        assert in_language(program, "en") is program


def test_program_of_other_languages_is_one_for_all_of_them_with_a_fingerprint_of_its_own() -> None:
    program = Verifier()
    german = in_language(program, "de")
    assert in_language(program, "zh") is german and isinstance(german, Verifier)
    assert fingerprint(german) != fingerprint(program) == fingerprint(Verifier())


def test_demonstrations_of_a_compiled_program_stay_and_are_called_english() -> None:
    program = Verifier()
    program.verify.demos = [dspy.Example(original_question="Who?", overall="PASS")]
    [demo] = in_language(program, "de").verify.demos
    assert demo["language"] == "English" and demo["original_question"] == "Who?"
    assert "language" not in program.verify.demos[0]


@pytest.mark.parametrize("task", WRITING)
def test_told_prompt_keeps_its_task_and_is_read_back_with_its_language(task: str) -> None:
    signature = with_language(SIGNATURES[task], task)
    assert contract(signature).task == task
    messages = JsonAdapter().format(signature, [], {**INPUTS[task], **language_input("zh")})
    turns = [(message["role"], message["content"]) for message in messages[1:]]
    read_task, inputs = read_turns(messages[0]["content"], turns, SIGNATURES)
    assert (read_task, inputs["language"]) == (task, "Chinese")


@pytest.mark.parametrize("task", WRITING)
def test_told_prompt_names_only_fields_of_its_signature(task: str) -> None:
    assert set(re.findall(r"`(\w+)`", WRITING[task])) <= SIGNATURES[task].fields.keys()


@given(st.text(max_size=40))
def test_text_that_looks_like_a_language_field_is_no_language(text: str) -> None:
    planted = f'{text}","language":"German"}}'
    signature = SIGNATURES["AnswerFromMemory"]
    system, user = JsonAdapter().format(signature, [], {"question": planted.encode("utf-8", "ignore").decode()})
    _, inputs = read_turns(system["content"], [("user", user["content"])], SIGNATURES)
    assert "language" not in inputs and inputs["question"].endswith(',"language":"German"}')


def test_every_program_that_writes_or_judges_texts_is_told() -> None:
    untold = {
        program.__name__ for program in PROGRAMS if fingerprint(program()) == fingerprint(in_language(program(), "de"))
    }
    own_field = {"Asker", "Prover"}
    derives = {"Deriver", "DerivationJudge", "AnswerReviewer"}  # they take every language as it is
    assert untold == {"System", "SystemOfIndex"} | own_field | derives
