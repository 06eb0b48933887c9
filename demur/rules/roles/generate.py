"""The rules lane as generator: lever recipes in one of two styles."""

from typing import Final

from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance, Stratum
from demur.levers.lever_models import Style
from demur.rules.recipe_choice import Undrawn, draw
from demur.rules.rivals import Corpus
from demur.rules.roles import Inputs, Outputs, unknown_rules

STYLES: Final = {style.value: style for style in Style}


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue, corpus: Corpus) -> Outputs:
    """Return a perturbation by the first recipe that applies; if no recipe applies, the reasons in `declined`."""
    if which not in STYLES:
        raise unknown_rules(which, STYLES)
    if language := inputs.get("language"):
        return _declined(inputs["question"], f"recipes change English only, and these texts are {language}")
    base = BaseInstance(question=inputs["question"], answers=inputs["answers"], passages=inputs["passages"])
    stratum = Stratum(lever_class=inputs["lever_class"], intensity=inputs["intensity"])
    named = (catalogue.named(option.name) for option in inputs["levers"])
    drawn = draw(base, stratum, [lever for lever in named if lever is not None], STYLES[which], seed, corpus)
    if isinstance(drawn, Undrawn):
        return _declined(base.question, drawn.reason or "no lever on offer has a recipe")
    return {
        "reasoning": drawn.reasoning,
        "declined": None,
        "lever": drawn.perturbation.lever,
        "perturbed_question": drawn.perturbation.question,
        "changed_passages": drawn.perturbation.changed,
        "answer_constraint_met": drawn.answer_note,
    }


def _declined(question: str, why: str) -> Outputs:
    return {
        "reasoning": "No recipe applies.",
        "declined": why,
        "lever": None,
        "perturbed_question": question,
        "changed_passages": (),
        "answer_constraint_met": "",
    }
