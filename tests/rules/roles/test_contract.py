"""What the rules lane answers in each role is what the programs' signatures ask for, and survives the wire."""

import json

import pytest

from demur.levers.instances import Perturbation, cited
from demur.levers.policies import load_policy
from demur.levers.vocabulary import Code, Intensity, LeverClass
from demur.programs.adapter.contract import contract
from demur.programs.perturbation import generating, verifying
from demur.programs.signatures.completions import Grounding, PropositionAim, PropositionQuestion, codes_of
from demur.programs.signatures.perturbation import FailedAttempt
from demur.programs.signatures.registry import SIGNATURES
from demur.programs.signatures.taxonomy_text import stratum_brief
from demur.rules.roles import answer
from tests.rules.roles.cases import BRIDGE, CATALOGUE, MILL, lever_of, numbered

POLICY = load_policy("selective_refusal")
GROUNDING = Grounding(
    question=BRIDGE.question,
    passages=cited(BRIDGE.passages),
    reference_answers=BRIDGE.answers,
    expected_behaviour=Code.ANSWER_CORRECTLY,
)
LEVER = lever_of(LeverClass.EPISTEMIC, Intensity.MEDIUM)
BRIEF = stratum_brief(LeverClass.EPISTEMIC, Intensity.MEDIUM)
VERIFY = verifying(MILL, Perturbation(question="Is the Vester Mill a good investment?", lever=LEVER.name), BRIEF, LEVER)
GENERATE = generating(BRIDGE, BRIEF, ())
EARLIER = FailedAttempt(lever=LEVER.name, perturbed_question="Who?", changed_passages=(), faults=("no_leak: found",))
JUDGE = {"question": BRIDGE.question, "reference_answers": BRIDGE.answers, "response": "Ada Quill"}
WRITE = {
    "policy": POLICY.name,
    "refusal_codes": codes_of(POLICY),
    "behaviour": "answer",
    "behaviour_description": "",
    "label": "perfect",
    "label_description": "",
    "faults": (),
    "variant": 0,
    "aims": (PropositionAim.aimed(POLICY.proposition("attempts_answer"), holds=True),),
    "prompt": BRIDGE.question,
    "grounding": GROUNDING,
    "material": None,
}
HEDGES = PropositionQuestion.of(POLICY.proposition("hedges"))
GRADE = {
    "policy": POLICY.name,
    "refusal_codes": codes_of(POLICY),
    "propositions": (HEDGES,),
    "prompt": BRIDGE.question,
    "grounding": GROUNDING,
    "completion": "Perhaps Ada Quill.",
}
ASK = {key: value for key, value in GRADE.items() if key != "propositions"} | {"proposition": HEDGES}
RATE = {"passages": numbered(BRIDGE), "prompt": BRIDGE.question, "completion": "Ada Quill [1]."}
ROLES = [
    ("recipes/terse", "GeneratePerturbation", GENERATE),
    ("recipes/terse", "RepairPerturbation", GENERATE | {"earlier": EARLIER}),
    ("verifier/editor", "VerifyPerturbation", VERIFY),
    ("respondent/always-answers", "AnswerFromPassage", {"passages": numbered(BRIDGE), "question": BRIDGE.question}),
    ("respondent/defect-spotter", "AnswerFromPassages", {"passages": numbered(MILL), "question": MILL.question}),
    ("judge/patterns", "JudgeShortAnswer", JUDGE),
    ("judge/patterns", "JudgeGroundedAnswer", {**JUDGE, "passages": cited(MILL.passages)}),
    ("judge/patterns", "JudgePlainShortAnswer", JUDGE),
    ("judge/patterns", "JudgePlainGroundedAnswer", {**JUDGE, "passages": cited(MILL.passages)}),
    ("writer/phrases", "WriteCompletion", WRITE),
    ("grader/patterns", "GradePropositions", GRADE),
    ("grader/patterns", "AskProposition", ASK),
    ("rater/patterns", "RateHelpfulness", RATE),
]


@pytest.mark.parametrize(("model", "task", "inputs"), ROLES, ids=[f"{model}-{task}" for model, task, _ in ROLES])
def test_role_reply_has_the_fields_of_its_signature(model: str, task: str, inputs: dict[str, object]) -> None:
    outputs = answer(model, task, inputs, 7, CATALOGUE)
    codec = contract(SIGNATURES[task])
    reply = codec.outputs.model_validate(outputs)
    assert codec.outputs.model_validate(json.loads(reply.model_dump_json())) == reply
