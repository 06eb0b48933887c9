"""What decides the replies of a unit of work, whatever the wording of prompts and the version of code.

Names of models, ids of a round's rows and all that prompts add by themselves are left out.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from demur.flows.engine.context import digest_of
from demur.programs.journal import Decided

_BASE: Final = ("question", "answers", "passages")
_STRATUM: Final = ("class", "intensity")
_COMPLETION: Final = ("policy", "behaviour", "prompt", "grounding")
KEY_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Deciding:
    """Which inputs of a stage's units decide, which of them were drawn by chance, and which names the model asked.

    The name of a model may stand with more: the set of prompts that it is asked with, or the how manieth judging it is.
    """

    given: tuple[str, ...]
    asked: str
    drawn: tuple[str, ...] = ()


DECIDING: Final[Mapping[str, Deciding]] = {
    "screen": Deciding(_BASE, "screener"),
    "generate": Deciding((*_BASE, *_STRATUM, "replicate", "repair", "earlier"), "generator", ("levers",)),
    "verify": Deciding((*_BASE, *_STRATUM, "lever_id", "perturbed_question", "changed"), "verifier"),
    "respond": Deciding(("question", "passages", "replicate"), "respondent"),
    "judge": Deciding(("question", "reference_answers", "response", "passages"), "judge"),
    "write": Deciding((*_COMPLETION, "label", "variant", "facts", "material"), "writer", ("faults",)),
    "grade": Deciding((*_COMPLETION, "completion"), "grader"),
}
"""By stage; one that asks no model is not here."""


def decided(stage: str, inputs: Mapping[str, Any]) -> Decided | None:
    """Return what decides the replies of a unit with these inputs, None where its stage asks no model."""
    deciding = DECIDING.get(stage)
    if deciding is None:
        return None
    drawn = tuple(name for field in deciding.drawn for name in inputs.get(field, ()))
    return Decided(key_of(stage, inputs), drawn, _words(stage, inputs, drawn))


def key_of(stage: str, inputs: Mapping[str, Any]) -> str:
    """Return the hash of what decides a unit's replies beside what was drawn for it."""
    deciding = DECIDING[stage]
    label = str(inputs.get(deciding.asked, ""))
    _, _, prompts = label.partition(" (")
    _, _, judging = label.partition("#")
    given = [inputs.get(field) for field in deciding.given]
    return digest_of(stage, given, prompts.rstrip(")"), judging)[:KEY_DIGITS]


def _words(stage: str, inputs: Mapping[str, Any], drawn: tuple[str, ...]) -> str:
    question = str(inputs.get("question") or inputs.get("prompt") or "")
    said = [f"{stage} of {json.dumps(question[:80], ensure_ascii=False)}"]
    said += [
        str(inputs[field]) for field in ("class", "intensity", "behaviour", "label", "lever_id") if inputs.get(field)
    ]
    said += [", ".join(drawn)] if drawn else []
    said += [f"base {inputs['base_id']}"] if inputs.get("base_id") else []
    return ", ".join(said)
