"""What decides the replies of a unit of work, whatever the wording of prompts and the version of code.

Names of models, ids of a round's rows and all that prompts add by themselves are left out.
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
    """Which inputs of a stage's units decide, which of them were drawn by chance, and which names the model asked.

    The name of a model may stand with the set of prompts that it is asked with, or the number of its judging. A
    language decides where the inputs name one, which they do where it is not English.
    """

    stage: str
    given: tuple[str, ...]
    model: str
    drawn: tuple[str, ...] = ()

    def decided(self, inputs: Mapping[str, Any]) -> Decided:
        """Return what decides the replies of a unit with these inputs."""
        drawn = tuple(name for field in self.drawn for name in inputs.get(field, ()))
        return Decided(self.of(inputs), drawn, self._words(inputs, drawn))

    def asked_for(self, inputs: Mapping[str, Any]) -> str:
        """Return the hash of what a unit is asked for: two of one stage have the same if code alone tells them apart.

        What is asked again because a reply was not readable is another thing.
        """
        drawn = [inputs.get(field) for field in self.drawn]
        return digest_of(self.of(inputs), drawn, inputs.get("asking"))[:KEY_DIGITS]

    def of(self, inputs: Mapping[str, Any]) -> str:
        """Return the hash of what decides a unit's replies beside what was drawn for it."""
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
