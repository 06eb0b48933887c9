"""Prompts change only when somebody means it, and their fingerprints only when they do."""

from pathlib import Path

import dspy
import pytest

from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import fingerprint
from demur.programs.judge import Judge
from demur.programs.perturbation import Verifier
from demur.programs.respondent import Respondent
from demur.programs.signatures.registry import SIGNATURES
from tests.programs.golden.prompts import FOLDER, PROGRAMS, files

GOLDEN = files()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_prompt_is_the_reviewed_one(path: Path) -> None:
    reviewed = path.read_text(encoding="utf-8") if path.exists() else ""
    assert GOLDEN[path] == reviewed, (
        f"{path.name} is not what was reviewed. If you meant to change the prompt, run "
        "`python -m tests.programs.golden`, review the difference and commit it; units that it touches are asked anew"
    )


def test_prompt_folder_holds_nothing_else() -> None:
    assert set(FOLDER.glob("*.txt")) == set(GOLDEN)


def test_fingerprint_is_another_for_every_program_and_the_same_for_every_copy() -> None:
    assert len({fingerprint(program()) for program in PROGRAMS}) == len(PROGRAMS)
    assert fingerprint(Verifier()) == fingerprint(Verifier()) == fingerprint(Verifier().deepcopy())


def test_fingerprint_changes_with_a_description_a_type_and_a_demonstration() -> None:
    program = Judge()
    seen = {fingerprint(program)}
    program.short.signature = program.short.signature.with_updated_fields("response", desc="what was said")
    seen.add(fingerprint(program))
    program.short.signature = program.short.signature.with_updated_fields("quality", type_=int)
    seen.add(fingerprint(program))
    demo = {"question": "q", "reference_answers": (), "response": "r", "explanation": "e", "quality": 1}
    program.grounded.demos = [demo]
    assert fingerprint(program) in seen, "a demonstration that lacks a field is not shown, so it changes nothing"
    demo = {**demo, "classification": "REFUSE_OTHER"}
    program.short.demos = [demo]
    seen.add(fingerprint(program))
    program.short.demos = [{**demo, "response": "s"}]
    seen.add(fingerprint(program))
    assert len(seen) == 5


def test_fingerprint_survives_saving_and_loading_a_compiled_program(tmp_path: Path) -> None:
    program = Respondent()
    program.single.demos = [dspy.Example(passages=(), question="q", response="a").with_inputs("passages", "question")]
    program.several.signature = program.several.signature.with_instructions("Answer from the passages.")
    program.save(tmp_path / "program.json")
    loaded = Respondent()
    assert fingerprint(loaded) != fingerprint(program)
    loaded.load(tmp_path / "program.json")
    assert fingerprint(loaded) == fingerprint(program)


def test_contract_of_changed_instructions_still_knows_its_task() -> None:
    """DSPy renames a signature whose instructions an optimiser replaced; the rules lane must still know what it is."""
    for name, signature in SIGNATURES.items():
        changed = signature.with_instructions("Do it well.")
        assert changed.__name__ != name
        assert contract(changed).task == name
        assert contract(changed).system.startswith(f"Task: {name}\n\nDo it well.\n")
