"""Keys by which recorded replies are found, also after a change of code or configuration.

A key is a hash of the deciding inputs of a unit. The key does not depend on the wording of prompts, versions of code,
names of models or ids of rows.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from demur.engine.context import digest_of
from demur.programs.journal import Decided

BASE: Final = ("question", "answers", "passages")
STRATUM: Final = ("class", "intensity")
COMPLETION: Final = ("policy", "behaviour", "prompt", "grounding")
KEY_DIGITS: Final = 16
_SHOWN: Final = (*STRATUM, "behaviour", "label", "lever_id")


@dataclass(frozen=True, slots=True)
class ReplyKey:
    """The deciding inputs of a stage's units.

    If the inputs have a language, the language is a deciding input too.

    Attributes:
        stage: The name of the stage.
        given: Names of the deciding inputs.
        model: The name of the input with the label of the asked model. A label can include the set of prompts ("name
            (set)") or the number of a repeated judgement ("name#2"). The set of prompts and this number are deciding
            inputs too.
        drawn: Names of inputs that were drawn at random.
    """

    stage: str
    given: tuple[str, ...]
    model: str
    drawn: tuple[str, ...] = ()

    def decided(self, inputs: Mapping[str, Any]) -> Decided:
        """Return the key, the drawn values and a short description of a unit."""
        drawn = tuple(name for field in self.drawn for name in inputs.get(field, ()))
        return Decided(self.of(inputs), drawn, self._words(inputs, drawn))

    def of(self, inputs: Mapping[str, Any]) -> str:
        """Return the hash of a unit's deciding inputs without drawn values."""
        label = str(inputs.get(self.model, ""))
        _, _, prompts = label.partition(" (")
        _, _, judging = label.partition("#")
        given = [inputs.get(field) for field in self.given]
        given += [inputs["language"]] if inputs.get("language") else []
        return digest_of(self.stage, given, prompts.rstrip(")"), judging)[:KEY_DIGITS]

    def _words(self, inputs: Mapping[str, Any], drawn: tuple[str, ...]) -> str:
        question = str(inputs.get("question") or inputs.get("prompt") or "")
        words = [f"{self.stage} of {json.dumps(question[:80], ensure_ascii=False)}"]
        words += [str(inputs[field]) for field in _SHOWN if inputs.get(field)]
        words += [", ".join(drawn)] if drawn else []
        words += [f"base {inputs['base_id']}"] if inputs.get("base_id") else []
        return ", ".join(words)
