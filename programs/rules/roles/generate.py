"""The rules lane as generator: lever recipes in one of two styles."""

from typing import Any, Final

from demur.levers.catalogue import Catalogue
from demur.levers.vocabulary import expected_code
from demur.programs.instances import BaseInstance, Stratum
from demur.programs.rules.edits.style import Style
from demur.programs.rules.generator import Undrawn, draw
from demur.programs.rules.roles import Inputs, Outputs, unknown_rules

STYLES: Final = {"terse": Style.TERSE, "elaborate": Style.ELABORATE}


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return a perturbation by the first recipe that applies, or why none does."""
    if which not in STYLES:
        raise unknown_rules(which, STYLES)
    base = BaseInstance(question=inputs["question"], answers=inputs["answers"], passages=inputs["passages"])
    stratum = Stratum(lever_class=inputs["lever_class"], intensity=inputs["intensity"])
    named = (catalogue.named(option.name) for option in inputs["levers"])
    drawn = draw(base, stratum, [lever for lever in named if lever is not None], STYLES[which], seed)
    shared: dict[str, Any] = {
        "intensity_achieved": stratum.intensity,
        "expected_response": expected_code(stratum.lever_class, stratum.intensity),
    }
    if isinstance(drawn, Undrawn):
        return {
            **shared,
            "lever": "",
            "perturbed_question": base.question,
            "changed_passages": (),
            "reasoning": "No recipe applies.",
            "answer_constraint_met": "",
            "declined": drawn.reason or "no lever on offer has a recipe",
        }
    return {
        **shared,
        "lever": drawn.perturbation.lever,
        "perturbed_question": drawn.perturbation.question,
        "changed_passages": drawn.perturbation.changed,
        "reasoning": drawn.reasoning,
        "answer_constraint_met": drawn.answer_note,
        "declined": None,
    }
