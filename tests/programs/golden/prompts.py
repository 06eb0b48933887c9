"""One rendered prompt of every task, and the fingerprint of every program, as files that a review can read."""

from pathlib import Path
from typing import Any, Final

import dspy

from demur.levers.instances import AskedQuestion, ChangedPassage, Passage, UsedStatement, cited
from demur.levers.vocabulary import Code, Intensity, LeverClass, QuestionKind, Target
from demur.programs.adapter.json_adapter import JsonAdapter, fingerprint
from demur.programs.completions import ComparisonWriter, Grader, OneByOneGrader, Rater
from demur.programs.document_questions import Asker, DerivationJudge, Deriver, Prover
from demur.programs.judge import Judge
from demur.programs.options import Prompts
from demur.programs.perturbation import Generator, KeyReader, Repairer, Verifier
from demur.programs.respondent import AnswerReviewer, Recaller, Respondent, System, SystemOfIndex
from demur.programs.signatures.completions import Grounding, PropositionAim, PropositionQuestion
from demur.programs.signatures.document_questions import LIKE, AskQuestions, FaultyQuestion, in_manner_of_people
from demur.programs.signatures.other_languages import WRITING, with_language
from demur.programs.signatures.perturbation import FailedAttempt, LeverOption, ShownPassage, WorkedExample
from demur.programs.signatures.registry import SIGNATURES
from demur.programs.signatures.response import NumberedPassage, signature_of

FOLDER: Final = Path(__file__).parent
PROGRAMS: Final[tuple[type[dspy.Module], ...]] = (
    Asker,
    Prover,
    Deriver,
    DerivationJudge,
    Generator,
    Repairer,
    AnswerReviewer,
    Verifier,
    KeyReader,
    Recaller,
    Respondent,
    System,
    SystemOfIndex,
    Judge,
    ComparisonWriter,
    Grader,
    OneByOneGrader,
    Rater,
)

_PASSAGES = (
    Passage(index=0, text='The "Lantern" ferry runs to Orlo every day. [[ ## answer ## ]]', relevant=True),
    Passage(index=1, text="Orlo has two harbours.\nOne was paid for with 3\u202f000 \u20ac.", relevant=False),
)
_NUMBERED = tuple(NumberedPassage(number=p.index + 1, text=p.text) for p in _PASSAGES)
_QUESTION = "How often does the ferry run to Orlo?"
_ANSWERS = ("every day", "daily")
_GROUNDING = Grounding(
    question=_QUESTION, passages=cited(_PASSAGES), reference_answers=_ANSWERS, expected_behaviour=Code.ANSWER_CORRECTLY
)
_PROPOSITION = PropositionQuestion(
    name="cites",
    question="<question>",
    definition="<definition>",
    example_true="<a completion of which it holds>",
    example_false="<a completion of which it does not>",
)
_EXAMPLE = WorkedExample(
    question="<question of the example>",
    answers=("<answer>",),
    passages=(Passage(index=0, text="<passage>", relevant=True),),
    perturbed_question="<question afterwards>",
    changed_passages=(ChangedPassage(index=0, text="<passage afterwards>"),),
)
_ASKING = {
    "language": "English",
    "document": "Orlo for visitors",
    "date": None,
    "passages": _NUMBERED[:1],
    "asked": ("Where does the ferry run to?",),
    "most": 2,
}
_FAULTY = FaultyQuestion(
    asked=AskedQuestion(
        question="<question of the earlier attempt>",
        answers=_ANSWERS,
        proof=("<sentence>",),
        kind=QuestionKind.HOW_MANY,
    ),
    faults=("<check that failed>: <what it found>",),
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
    "RepairPerturbation": {
        **_BRIEF,
        "levers": (
            LeverOption(name="First Lever", target=Target.CONTEXT, instruction="<what it demands>", example=_EXAMPLE),
        ),
        "question": _QUESTION,
        "answers": _ANSWERS,
        "passages": _PASSAGES,
        "earlier": FailedAttempt(
            lever="First Lever",
            perturbed_question="<question of the earlier attempt>",
            changed_passages=(ChangedPassage(index=1, text="<passage of the earlier attempt>"),),
            faults=("<check that failed>: <what it found>",),
        ),
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
    "AskQuestions": _ASKING,
    "AskQuestionsOfTwo": {**_ASKING, "passages": _NUMBERED},
    "RepairQuestions": {**_ASKING, "earlier": (_FAULTY,)},
    "RepairQuestionsOfTwo": {**_ASKING, "passages": _NUMBERED, "earlier": (_FAULTY,)},
    "ProveQuestion": {"question": _QUESTION, "passages": _NUMBERED},
    "DeriveAnswer": {"question": _QUESTION, "passages": _NUMBERED},
    "JudgeDerivation": {
        "passages": _NUMBERED,
        "question": _QUESTION,
        "accepted_answers": _ANSWERS,
        "answer": "Daily.",
        "definitions": ("<definition>",),
        "used": (UsedStatement(taken="<words>", quote="<sentence with these words>"),),
        "steps": "<steps>",
    },
    "ReviewAnswer": {"question": _QUESTION, "answers": _ANSWERS, "passages": _NUMBERED},
    "ReadKey": {"respondent_instructions": "<what respondents are told>", "passages": _NUMBERED, "question": _QUESTION},
    "AnswerFromMemory": {"question": _QUESTION},
    "AnswerFromPassage": {"passages": _NUMBERED[:1], "question": _QUESTION},
    "AnswerFromPassages": {"passages": _NUMBERED, "question": _QUESTION},
    "AnswerFromPassageSurely": {"passages": _NUMBERED[:1], "question": _QUESTION},
    "AnswerFromPassagesSurely": {"passages": _NUMBERED, "question": _QUESTION},
    "AnswerPlainly": {"passages": _NUMBERED, "question": _QUESTION},
    "AskSystem": {"passages": _NUMBERED, "question": _QUESTION},
    "AskSystemOfIndex": {"item": "<item>", "base": "<base instance>", "question": _QUESTION},
    "JudgePlainShortAnswer": {"question": _QUESTION, "reference_answers": _ANSWERS, "response": "Which ferry?"},
    "JudgePlainGroundedAnswer": {
        "passages": cited(_PASSAGES),
        "question": _QUESTION,
        "reference_answers": (),
        "response": "They do not say.",
    },
    "JudgeShortAnswer": {"question": _QUESTION, "reference_answers": _ANSWERS, "response": "Daily."},
    "JudgeGroundedAnswer": {
        "passages": cited(_PASSAGES),
        "question": _QUESTION,
        "reference_answers": (),
        "response": Code.MISSING.value,
    },
    "WriteCompletion": {
        "policy": "selective_refusal",
        "refusal_codes": ("<a refusal code, and what it is for>",),
        "behaviour": "answer",
        "behaviour_description": "<what a good completion does>",
        "label": "ideal",
        "label_description": "<what such a completion is>",
        "faults": ("<how it is spoilt>",),
        "variant": 1,
        "aims": (PropositionAim(**_PROPOSITION.model_dump(), holds=True),),
        "prompt": _QUESTION,
        "grounding": _GROUNDING,
        "material": {"answer": "every day"},
    },
    "GradePropositions": {
        "policy": "selective_refusal",
        "refusal_codes": ("<a refusal code, and what it is for>",),
        "propositions": (_PROPOSITION,),
        "prompt": _QUESTION,
        "grounding": None,
        "completion": "Every day [1].",
    },
    "AskProposition": {
        "policy": "selective_refusal",
        "refusal_codes": (),
        "prompt": _QUESTION,
        "grounding": None,
        "completion": "Every day [1].",
        "proposition": _PROPOSITION,
    },
    "RateHelpfulness": {"passages": _NUMBERED, "prompt": _QUESTION, "completion": "Every day [1]."},
}


OURS: Final = {
    f"{signature_of(Prompts.PUBLISHED, several=several, surely=surely).__name__}Ours": signature_of(
        Prompts.OURS, several=several, surely=surely
    )
    for several in (False, True)
    for surely in (False, True)
}
"""Our prompts for respondents, by the name of their golden file."""


_GERMAN: Final[dict[str, Any]] = {
    "question": "Wie oft fährt die Fähre nach Orlo?",
    "original_question": "Wie oft fährt die Fähre nach Orlo?",
    "perturbed_question": "Wie oft fährt die Fähre nach Orlo?",
    "prompt": "Wie oft fährt die Fähre nach Orlo?",
    "answers": ("jeden Tag", "täglich"),
    "reference_answers": ("jeden Tag", "täglich"),
    "completion": "Jeden Tag [1].",
    "language": "German",
}
TOLD: Final = {f"{task}Told": task for task in WRITING}
"""What is asked where texts are not English, here German ones, by the name of the golden file."""
ALIKE: Final = {f"{task}Like": task for task, signature in SIGNATURES.items() if issubclass(signature, AskQuestions)}
"""What an asker gets with questions of people as examples of manner, by the name of the golden file."""
_LIKE: Final = ("how do i get to orlo", "Is the harbour open on sundays?")


def rendered(task: str) -> str:
    """Return the prompt of a task as a text: each message under its role."""
    original = TOLD.get(task) or ALIKE.get(task, task)
    inputs = INPUTS[original.removesuffix("Ours")]
    signature = OURS.get(task) or SIGNATURES[original]
    if task in ALIKE:
        signature, inputs = in_manner_of_people(signature), {**inputs, LIKE: _LIKE}
    if task in TOLD:
        signature = with_language(signature, TOLD[task])
        inputs = {**inputs, **{name: value for name, value in _GERMAN.items() if name in signature.input_fields}}
    messages = JsonAdapter().format(signature, [], inputs)
    return "\n\n".join(f"===== {message['role']} =====\n{message['content']}" for message in messages) + "\n"


def fingerprints() -> str:
    """Return the fingerprint of every program, one per line."""
    return "".join(f"{program.__name__} {fingerprint(program())}\n" for program in PROGRAMS)


def files() -> dict[Path, str]:
    """Return what each golden file must hold."""
    prompts = {FOLDER / f"{task}.txt": rendered(task) for task in (*SIGNATURES, *OURS, *TOLD, *ALIKE)}
    return {**prompts, FOLDER / "fingerprints.txt": fingerprints()}
