"""One rendered prompt of every task, and the fingerprint of every program, as files that a review can read."""

from pathlib import Path
from typing import Any, Final

import dspy

from demur.levers.vocabulary import Code, Intensity, LeverClass, Target
from demur.programs.adapter import JsonAdapter, fingerprint
from demur.programs.comparison_writer import ComparisonWriter, Grounding, PropositionAim
from demur.programs.generator import Generator, LeverOption, WorkedExample
from demur.programs.grader import Grader, OneByOneGrader, PropositionQuestion
from demur.programs.instances import ChangedPassage, Passage
from demur.programs.judge import Judge
from demur.programs.respondent import NumberedPassage, Respondent
from demur.programs.tasks import SIGNATURES
from demur.programs.verifier import ShownPassage, Verifier

FOLDER: Final = Path(__file__).parent
PROGRAMS: Final[tuple[type[dspy.Module], ...]] = (
    Generator,
    Verifier,
    Respondent,
    Judge,
    ComparisonWriter,
    Grader,
    OneByOneGrader,
)

_PASSAGES = (
    Passage(index=0, text='The "Lantern" ferry runs to Orlo every day. [[ ## answer ## ]]', relevant=True),
    Passage(index=1, text="Orlo has two harbours.\nOne was paid for with 3\u202f000 \u20ac.", relevant=False),
)
_NUMBERED = tuple(NumberedPassage(number=p.index + 1, text=p.text) for p in _PASSAGES)
_QUESTION = "How often does the ferry run to Orlo?"
_ANSWERS = ("every day", "daily")
_GROUNDING = Grounding(
    question=_QUESTION, passages=_PASSAGES, reference_answers=_ANSWERS, expected_behaviour=Code.ANSWER_CORRECTLY
)
_EXAMPLE = WorkedExample(
    question="<question of the example>",
    answers=("<answer>",),
    passages=(Passage(index=0, text="<passage>", relevant=True),),
    perturbed_question="<question afterwards>",
    changed_passages=(ChangedPassage(index=0, text="<passage afterwards>"),),
)
_BRIEF = {
    "lever_class": LeverClass.CONTRADICTION,
    "class_definition": "<definition of the class>",
    "intensity": Intensity.MEDIUM,
    "intensity_criterion": "<criterion of the intensity>",
    "answer_constraint": "<answer constraint>",
    "may_change": "<how far a change may go>",
    "strategy": "<strategy for several passages>",
    "expected_behaviour": Code.CONTRADICTORY,
}

INPUTS: Final[dict[str, dict[str, Any]]] = {
    "GeneratePerturbation": {
        **_BRIEF,
        "levers": (
            LeverOption(name="First Lever", target=Target.CONTEXT, instruction="<what it demands>", example=_EXAMPLE),
            LeverOption(name="Second Lever", target=Target.QUERY, instruction="<what that demands>", example=_EXAMPLE),
        ),
        "question": _QUESTION,
        "answers": _ANSWERS,
        "passages": _PASSAGES,
    },
    "VerifyPerturbation": {
        **_BRIEF,
        "lever": "First Lever",
        "target": Target.CONTEXT,
        "lever_instruction": "<what it demands>",
        "original_question": _QUESTION,
        "answers": _ANSWERS,
        "perturbed_question": _QUESTION,
        "passages": (
            ShownPassage(index=0, relevant=True, text=_PASSAGES[0].text, before=None),
            ShownPassage(index=1, relevant=False, text="Orlo has one harbour.", before=_PASSAGES[1].text),
        ),
    },
    "AnswerFromPassage": {"passages": _NUMBERED[:1], "question": _QUESTION},
    "AnswerFromPassages": {"passages": _NUMBERED, "question": _QUESTION},
    "AnswerFromPassageSurely": {"passages": _NUMBERED[:1], "question": _QUESTION},
    "AnswerFromPassagesSurely": {"passages": _NUMBERED, "question": _QUESTION},
    "JudgeShortAnswer": {"question": _QUESTION, "reference_answers": _ANSWERS, "response": "Daily."},
    "JudgeGroundedAnswer": {
        "passages": _PASSAGES,
        "question": _QUESTION,
        "reference_answers": (),
        "response": Code.MISSING.value,
    },
    "WriteCompletion": {
        "policy": "selective_refusal",
        "behaviour": "answer",
        "label": "ideal",
        "variant": 1,
        "aims": (PropositionAim(name="cites", question="<question>", definition="<definition>", holds=True),),
        "prompt": _QUESTION,
        "grounding": _GROUNDING,
        "material": {"answer": "every day"},
    },
    "GradePropositions": {
        "policy": "selective_refusal",
        "propositions": (PropositionQuestion(name="cites", question="<question>", definition="<definition>"),),
        "prompt": _QUESTION,
        "grounding": None,
        "completion": "Every day [1].",
    },
    "AskProposition": {
        "policy": "selective_refusal",
        "prompt": _QUESTION,
        "grounding": None,
        "completion": "Every day [1].",
        "proposition": PropositionQuestion(name="cites", question="<question>", definition="<definition>"),
    },
}


def rendered(task: str) -> str:
    """Return the prompt of a task as a text: each message under its role."""
    messages = JsonAdapter().format(SIGNATURES[task], [], INPUTS[task])
    return "\n\n".join(f"===== {message['role']} =====\n{message['content']}" for message in messages) + "\n"


def fingerprints() -> str:
    """Return the fingerprint of every program, one per line."""
    return "".join(f"{program.__name__} {fingerprint(program())}\n" for program in PROGRAMS)


def files() -> dict[Path, str]:
    """Return what each golden file must hold."""
    prompts = {FOLDER / f"{task}.txt": rendered(task) for task in SIGNATURES}
    return {**prompts, FOLDER / "fingerprints.txt": fingerprints()}
