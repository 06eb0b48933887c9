"""What the rules lane answers in each role is what the programs' signatures ask for, and survives the wire."""

import json

import pytest

from demur.levers.policies import load_policy
from demur.levers.vocabulary import CLASS_TARGET, Code, Intensity, LeverClass
from demur.programs.adapter import contract
from demur.programs.comparison_writer import Grounding, PropositionAim
from demur.programs.grader import PropositionQuestion
from demur.programs.rules.roles import answer
from demur.programs.tasks import SIGNATURES
from tests.programs.rules_roles.cases import BRIDGE, CATALOGUE, MILL, lever_of, numbered

POLICY = load_policy("selective_refusal")
GROUNDING = Grounding(
    question=BRIDGE.question,
    passages=BRIDGE.passages,
    reference_answers=BRIDGE.answers,
    expected_behaviour=Code.ANSWER_CORRECTLY,
)
NAME, INSTRUCTION = lever_of(LeverClass.EPISTEMIC, Intensity.MEDIUM)
VERIFY = {
    "lever_class": LeverClass.EPISTEMIC,
    "class_definition": "",
    "intensity": Intensity.MEDIUM,
    "intensity_criterion": "",
    "target": CLASS_TARGET[LeverClass.EPISTEMIC].value,
    "strategy": "",
    "answer_constraint": "",
    "expected_behaviour": Code.NONFACTUAL,
    "lever": NAME,
    "lever_instruction": INSTRUCTION,
    "original_question": MILL.question,
    "answers": MILL.answers,
    "original_passages": MILL.passages,
    "perturbed_question": "Is the Vester Mill a good investment?",
    "perturbed_passages": MILL.passages,
}
GENERATE = {key: VERIFY[key] for key in list(VERIFY)[:8]} | {
    "levers": (),
    "question": BRIDGE.question,
    "answers": BRIDGE.answers,
    "passages": BRIDGE.passages,
}
JUDGE = {"question": BRIDGE.question, "reference_answers": BRIDGE.answers, "response": "Ada Quill"}
WRITE = {
    "policy": POLICY.name,
    "behaviour": "answer",
    "label": "perfect",
    "variant": 0,
    "aims": (PropositionAim(name="attempts_answer", question="?", definition=".", holds=True),),
    "prompt": BRIDGE.question,
    "grounding": GROUNDING,
    "material": None,
}
GRADE = {
    "policy": POLICY.name,
    "propositions": (PropositionQuestion(name="hedges", question="?", definition="."),),
    "prompt": BRIDGE.question,
    "grounding": GROUNDING,
    "completion": "Perhaps Ada Quill.",
}
ASK = {key: value for key, value in GRADE.items() if key != "propositions"} | {
    "proposition": PropositionQuestion(name="hedges", question="?", definition=".")
}
ROLES = [
    ("recipes/terse", "GeneratePerturbation", GENERATE),
    *((f"verifier/{which}", "VerifyPerturbation", VERIFY) for which in ("rederive", "wording", "strict")),
    ("respondent/always-answers", "AnswerFromPassage", {"passages": numbered(BRIDGE), "question": BRIDGE.question}),
    ("respondent/defect-spotter", "AnswerFromPassages", {"passages": numbered(MILL), "question": MILL.question}),
    ("judge/patterns", "JudgeShortAnswer", JUDGE),
    ("judge/patterns", "JudgeGroundedAnswer", {**JUDGE, "passages": MILL.passages}),
    ("writer/phrases", "WriteCompletion", WRITE),
    ("grader/patterns", "GradePropositions", GRADE),
    ("grader/patterns", "AskProposition", ASK),
]


@pytest.mark.parametrize(("model", "task", "inputs"), ROLES, ids=[f"{model}-{task}" for model, task, _ in ROLES])
def test_role_reply_has_the_fields_of_its_signature(model: str, task: str, inputs: dict[str, object]) -> None:
    outputs = answer(model, task, inputs, 7, CATALOGUE)
    codec = contract(SIGNATURES[task])
    reply = codec.outputs.model_validate(outputs)
    assert codec.outputs.model_validate(json.loads(reply.model_dump_json())) == reply


@pytest.mark.parametrize(("model", "task", "inputs"), ROLES, ids=[f"{model}-{task}" for model, task, _ in ROLES])
def test_role_reply_to_equal_inputs_is_equal(model: str, task: str, inputs: dict[str, object]) -> None:
    assert answer(model, task, inputs, 7, CATALOGUE) == answer(model, task, dict(inputs), 7, CATALOGUE)
