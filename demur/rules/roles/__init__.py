"""Answers of the rules lane, one module for a role; a model's name is `<role>/<rules>`.

    recipes/terse, recipes/elaborate                      generators
    verifier/editor                                       verifier
    respondent/always-answers, .../always-refuses, .../lexical-overlap, .../defect-spotter
    judge/patterns, writer/phrases, grader/patterns, rater/patterns

Respondents, verifiers and judges get the same inputs as other models, never a recipe. Verifiers look up the
catalogue's entry of the named lever.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from demur.levers.catalogue import Catalogue
from demur.programs.errors import ProgramError
from demur.rules.rivals import NO_CORPUS, Corpus

Inputs = Mapping[str, Any]
Outputs = dict[str, object]

_ROLES: dict[str, tuple[str, frozenset[str]]] = {
    "recipes": ("generate", frozenset({"GeneratePerturbation", "RepairPerturbation"})),
    "verifier": ("verify", frozenset({"VerifyPerturbation", "ReadKey"})),
    "respondent": (
        "respond",
        frozenset(
            {
                "AnswerFromMemory",
                "AnswerFromPassage",
                "AnswerFromPassages",
                "AnswerFromPassageSurely",
                "AnswerFromPassagesSurely",
                "AnswerPlainly",
                "DeriveAnswer",
                "ReviewAnswer",
            }
        ),
    ),
    "judge": (
        "judge",
        frozenset(
            {
                "JudgeShortAnswer",
                "JudgeGroundedAnswer",
                "JudgePlainShortAnswer",
                "JudgePlainGroundedAnswer",
                "JudgeDerivation",
            }
        ),
    ),
    "writer": ("write", frozenset({"WriteCompletion"})),
    "grader": ("grade", frozenset({"GradePropositions", "AskProposition"})),
    "rater": ("rate", frozenset({"RateHelpfulness"})),
}


_ANY_LANGUAGE: frozenset[str] = frozenset({"recipes", "respondent"})
"""Roles whose rules handle texts in any language. Rules of other roles decline texts that are not English."""


def answer(
    model: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue, corpus: Corpus = NO_CORPUS
) -> Outputs:
    """Return the output fields that the rules of `model` give for a task; generators take values from `corpus`.

    Raises:
        ProgramError: there are no such rules, or they are not for this task.
        LaneError: the rules read English only, and the texts are in another language.
    """
    role, _, which = model.partition("/")
    module, tasks = _ROLES.get(role, ("", frozenset()))
    if task not in tasks:
        known = ", ".join(f"{name}/..." for name, (_, fit) in _ROLES.items() if task in fit)
        raise ProgramError(f"rules model '{model}' cannot do {task}; name one of {known}")
    if inputs.get("language") and role not in _ANY_LANGUAGE:
        raise import_module(f"{__name__}.any_language").reads_english_only(role, inputs["language"])
    reply: Callable[..., Outputs] = import_module(f"{__name__}.{module}").reply
    return reply(which, task, inputs, seed, catalogue, *((corpus,) if module == "generate" else ()))


def unknown_rules(which: str, known: Mapping[str, object]) -> ProgramError:
    """Return the error for rules that do not exist."""
    return ProgramError(f"rules '{which}' are not one of {', '.join(known)}")
