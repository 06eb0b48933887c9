"""Aims of a completion (the required propositions), and the random numbers that choose its wording.

The random numbers are seeded by the inputs.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from demur.programs.signatures.comparison import Grounding


@dataclass(frozen=True, slots=True)
class Brief:
    """The inputs of WriteCompletion, and the random numbers that choose the wording.

    `true` has the names of the propositions that must hold.
    """

    policy: str
    behaviour: str
    label: str
    true: frozenset[str]
    prompt: str
    grounding: Grounding | None
    material: Mapping[str, str]
    rng: random.Random

    @classmethod
    def of(cls, inputs: Mapping[str, Any]) -> "Brief":
        """Return the brief of the inputs. Equal inputs have equal random numbers, and thus equal completions."""
        seed = "|".join(str(inputs[key]) for key in ("policy", "behaviour", "label", "variant", "prompt"))
        return cls(
            policy=inputs["policy"],
            behaviour=inputs["behaviour"],
            label=inputs["label"],
            true=frozenset(aim.name for aim in inputs["aims"] if aim.holds),
            prompt=inputs["prompt"],
            grounding=inputs["grounding"],
            material=inputs["material"] or {},
            rng=random.Random(seed),
        )

    def pick(self, *phrases: str) -> str:
        """Return one of the phrases."""
        return self.rng.choice(phrases)

    def phrase(self, bank: str) -> str:
        """Return one phrase of a bank (a named list in `phrases.yaml`)."""
        return self.pick(*self.bank(bank))

    def bank(self, name: str) -> tuple[str, ...]:
        """Return all phrases of a bank."""
        return tuple(_phrases()[self.policy][name])


@cache
def _phrases() -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = yaml.safe_load(
        Path(__file__).with_name("phrases.yaml").read_text(encoding="utf-8")
    )
    return found
