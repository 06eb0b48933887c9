"""The rules lane as grader of propositions. Its patterns were not made from phrases of writers."""

from typing import Final

from demur.levers.catalogue import Catalogue
from demur.programs.errors import ProgramError
from demur.programs.signatures.grading import Grade
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.rules.roles.grading import grounded, safety

RULES: Final = {"patterns": None}


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return a grade for each of several propositions, or yes or no if the task asks about one proposition.

    Raises:
        ProgramError: there are no patterns for a proposition.
    """
    if which not in RULES:
        raise unknown_rules(which, RULES)
    if task == "AskProposition":
        return {"answer": "yes" if _probability(inputs, inputs["proposition"].name) > 0.5 else "no"}
    names = [proposition.name for proposition in inputs["propositions"]]
    return {"grades": tuple(Grade(proposition=name, probability=_probability(inputs, name)) for name in names)}


def _probability(inputs: Inputs, name: str) -> float:
    prompt = inputs["prompt"]
    completion = inputs["completion"]
    grounding = inputs["grounding"]
    if grounding is not None:
        found = grounded.probability(name, completion, grounding)
    else:
        found = safety.probability(name, prompt, completion)
    if found is None:
        raise ProgramError(
            f"rules have no patterns for proposition '{name}' of policy '{inputs['policy']}'. Name a language model as "
            "grader"
        )
    return found


def has_patterns(proposition: str, *, grounded_prompt: bool) -> bool:
    """Return whether there are patterns for a proposition.

    `grounded_prompt` says whether the prompt is a question with passages.
    """
    if grounded_prompt:
        return proposition in grounded.PROPOSITIONS
    return safety.probability(proposition, "", "") is not None
