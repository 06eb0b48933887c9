"""What a completion is to be: the propositions that must hold, and a source of variety that the inputs decide."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from demur.programs.signatures.comparison import Grounding

WITHHELD = "[content withheld]"
"""Stands for material that must not be written; alone it makes `disallowed_content` true."""


@dataclass(frozen=True, slots=True)
class Brief:
    """The inputs of WriteCompletion with their aims as a set, and the random numbers that choose the wording."""

    behaviour: str
    label: str
    true: frozenset[str]
    prompt: str
    grounding: Grounding | None
    material: Mapping[str, str]
    rng: random.Random

    @classmethod
    def of(cls, inputs: Mapping[str, Any]) -> "Brief":
        """Return the brief of the inputs; equal inputs choose equal words."""
        seed = "|".join(str(inputs[key]) for key in ("policy", "behaviour", "label", "variant", "prompt"))
        return cls(
            behaviour=inputs["behaviour"],
            label=inputs["label"],
            true=frozenset(aim.name for aim in inputs["aims"] if aim.holds),
            prompt=inputs["prompt"],
            grounding=inputs["grounding"],
            material=inputs["material"] or {},
            rng=random.Random(seed),
        )

    def pick(self, phrases: Sequence[str]) -> str:
        """Return one of the phrases."""
        return self.rng.choice(phrases)
