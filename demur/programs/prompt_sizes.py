"""Sizes of prompts in tokens, counted on rendered ones, which a plan multiplies by prices."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import dspy

from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation, cited
from demur.levers.models import Lever
from demur.levers.vocabulary import STRATA, Code, Target
from demur.programs.adapter.contract import contract
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.generator import generating
from demur.programs.signatures.comparison import Grounding
from demur.programs.signatures.propositions import PropositionAim, PropositionQuestion
from demur.programs.signatures.registry import SIGNATURES
from demur.programs.signatures.response import NumberedPassage
from demur.programs.signatures.strata import stratum_brief
from demur.programs.signatures.taxonomy_text import CODE_LINES
from demur.programs.token_count import count_tokens
from demur.programs.verifier import verifying

CHARACTERS_PER_TOKEN = 4.0
"""Where nothing can be counted. Errs on the dear side: our rendered English prompts measure 4.2 to 4.5."""
COUNTED_TEXTS = 24
"""Rendered prompts that are counted, evenly picked; the others are taken to have as many characters to a token."""
TYPICAL_RESPONSE = "x" * 200
TYPICAL_PROPOSITIONS = 11

_TASKS = (
    "GeneratePerturbation",
    "VerifyPerturbation",
    "",
    "",
    "WriteCompletion",
    "GradePropositions",
    "AskProposition",
    "RateHelpfulness",
    "",
)
"""Whose prompts the columns are, in the order of `Sizes`; those of respondents and judges are never compiled."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Mean input tokens of one request, by stage; `counted` says whether they were counted or reckoned."""

    counted: bool
    generate: float
    verify: float
    respond: float
    judge: float
    write: float
    grade: float
    grade_one: float
    rate: float
    recall: float


def prompt_sizes(
    bases: Sequence[BaseInstance],
    catalogue: Catalogue,
    offered_at_once: int,
    elicit_confidence: bool = False,
    compiled: Sequence[dspy.Module] = (),
    generated_from: Sequence[BaseInstance] = (),
) -> Sizes:
    """Return mean prompt sizes over sample bases and all strata, where so many levers are offered at once.

    With `elicit_confidence` respondents are asked how sure they are too. Of `compiled` programs, instructions and
    demonstrations count as they are. `generated_from` are the bases as generators see them, where these see less.
    """
    generate, verify = _stratum_texts(bases, generated_from or bases, catalogue, offered_at_once)
    columns = [generate, verify, *zip(*(_base_texts(base, elicit_confidence) for base in bases), strict=True)]
    longer = _characters_added(compiled)
    texts = [text for column in columns for text in column]
    picked = texts[:: max(1, len(texts) // COUNTED_TEXTS)]
    counts = [count for text in picked if (count := count_tokens(text)) is not None]
    per_token = sum(map(len, picked)) / sum(counts) if counts else CHARACTERS_PER_TOKEN
    characters = [mean(map(len, column)) + longer.get(task, 0) for task, column in zip(_TASKS, columns, strict=True)]
    return Sizes(bool(counts), *(each / per_token for each in characters))


def _stratum_texts(
    bases: Sequence[BaseInstance], generated_from: Sequence[BaseInstance], catalogue: Catalogue, offered_at_once: int
) -> tuple[list[str], list[str]]:
    """Prompts of generators and of verifiers."""
    generate: list[str] = []
    verify: list[str] = []
    for base, own in zip(bases, generated_from, strict=True):
        for lever_class, intensity in STRATA:
            levers = catalogue.stratum(lever_class, intensity)
            if not levers:
                continue
            brief, offered = stratum_brief(lever_class, intensity), levers[:offered_at_once]
            generate.append(_text("GeneratePerturbation", generating(own, brief, offered)))
            verify.append(_text("VerifyPerturbation", verifying(base, _changed(own, levers[0]), brief, levers[0])))
    return generate, verify


def _changed(base: BaseInstance, lever: Lever) -> Perturbation:
    """A perturbation as long as they are: where the lever changes passages, one of them, by a word."""
    first = base.passages[0]
    changed = () if lever.target is Target.QUERY else (ChangedPassage(index=first.index, text=f"{first.text} x"),)
    return Perturbation(question=base.question, changed=changed, lever=lever.name)


def _base_texts(base: BaseInstance, elicit_confidence: bool) -> tuple[str, ...]:
    """Prompts to respond, judge, write, grade, grade one by one, rate and recall for one base."""
    single = len(base.passages) == 1
    numbered = tuple(NumberedPassage(number=p.index + 1, text=p.text) for p in base.passages)
    task = ("AnswerFromPassage" if single else "AnswerFromPassages") + ("Surely" if elicit_confidence else "")
    respond = _text(task, {"question": base.question, "passages": numbered})
    judged: dict[str, Any] = {
        "question": base.question,
        "reference_answers": base.answers,
        "response": TYPICAL_RESPONSE,
    }
    if not single:
        judged["passages"] = cited(base.passages)
    judge = _text("JudgeShortAnswer" if single else "JudgeGroundedAnswer", judged)
    grounding = Grounding(
        question=base.question,
        passages=cited(base.passages),
        reference_answers=base.answers,
        expected_behaviour=Code.ANSWER_CORRECTLY,
    )
    text = "x" * 150
    asked = PropositionQuestion(
        name="name", question=text, definition=text, example_true=text[:80], example_false=text[:80]
    )
    aims = (PropositionAim(**asked.model_dump(), holds=True),) * TYPICAL_PROPOSITIONS
    write = _text(
        "WriteCompletion",
        {
            "policy": "policy",
            "refusal_codes": CODE_LINES,
            "behaviour": "behaviour",
            "behaviour_description": text,
            "label": "label",
            "label_description": text,
            "faults": (text[:80],),
            "variant": 0,
            "aims": aims,
            "prompt": base.question,
            "grounding": grounding,
            "material": None,
        },
    )
    graded: dict[str, Any] = {
        "policy": "policy",
        "refusal_codes": CODE_LINES,
        "prompt": base.question,
        "grounding": grounding,
        "completion": TYPICAL_RESPONSE,
    }
    grade = _text("GradePropositions", {**graded, "propositions": (asked,) * TYPICAL_PROPOSITIONS})
    grade_one = _text("AskProposition", {**graded, "proposition": asked})
    rated = {"passages": numbered, "prompt": base.question, "completion": TYPICAL_RESPONSE}
    recalled = _text("AnswerFromMemory", {"question": base.question})
    return respond, judge, write, grade, grade_one, _text("RateHelpfulness", rated), recalled


def _text(task: str, inputs: dict[str, Any]) -> str:
    messages = JsonAdapter().format(SIGNATURES[task], [], inputs)
    return "\n".join(message["content"] for message in messages)


def _characters_added(compiled: Sequence[dspy.Module]) -> dict[str, int]:
    """By task, how much longer instructions and demonstrations of compiled programs make every prompt."""
    added: dict[str, int] = {}
    for program in compiled:
        for _, predictor in program.named_predictors():
            codec = contract(predictor.signature)
            longer = len(codec.system) - len(contract(SIGNATURES[codec.task]).system)
            for demo in predictor.demos:
                inputs = {name: demo[name] for name in predictor.signature.input_fields}
                reply = {name: demo[name] for name in predictor.signature.output_fields}
                longer += len(codec.write_inputs(inputs)) + len(codec.write_reply(reply))
            added[codec.task] = longer
    return added
