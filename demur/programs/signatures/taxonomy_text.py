"""What prompts list of the taxonomy and of a stratum, in words."""

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Final

from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import PRECEDENCE, Code, Intensity, Layout, LeverClass, Target, expected_code

# The taxonomy as prompts list it: targets, refusal codes and their order, a line each.


TARGETS: Final = "\n".join(f"- {target}: {words}" for target, words in load_taxonomy().targets.items())
"""What each target lets change."""

CODE_LINES: Final = tuple(f"{entry.code}: {entry.when} {entry.line}" for entry in load_taxonomy().codes)
"""When each refusal code is given, and where others begin."""

CODES: Final = "\n".join(f"- {line}" for line in CODE_LINES)
"""The same as a list."""

_ORDERED: Final = f"{', '.join(PRECEDENCE)}; {Code.OTHER} where none of them does"
ORDER: Final = f"Where several codes fit, the first that fits counts of: {_ORDERED}."


# What generator and verifier see of a stratum: class, intensity, bounds of the change, constraints, in words.


@dataclass(frozen=True, slots=True)
class StratumBrief:
    """One stratum in the words of the taxonomy."""

    lever_class: LeverClass
    class_definition: str
    intensity: Intensity
    intensity_criterion: str
    answer_constraint: str
    may_change: str
    strategy: str
    expected_behaviour: Code

    @property
    def digest(self) -> str:
        """Hash of the words, which decide what generators and verifiers see."""
        words = [
            self.class_definition,
            self.intensity_criterion,
            self.answer_constraint,
            self.may_change,
            self.strategy,
        ]
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]

    def prompt(self, layout: Layout, *targets: Target) -> dict[str, object]:
        """Return the input fields that generator and verifier share.

        A strategy is there for several passages only, and where one of the targets lets passages change.
        """
        changes_passages = any(target is not Target.QUERY for target in targets)
        return {
            "lever_class": self.lever_class,
            "class_definition": self.class_definition,
            "intensity": self.intensity,
            "intensity_criterion": self.intensity_criterion,
            "answer_constraint": self.answer_constraint,
            "may_change": self.may_change,
            "strategy": self.strategy if layout is Layout.MULTI and changes_passages else None,
            "expected_behaviour": self.expected_behaviour,
        }


@cache
def stratum_brief(lever_class: LeverClass, intensity: Intensity) -> StratumBrief:
    """Return the brief of a stratum; its class is defined with the line at which other classes begin."""
    taxonomy = load_taxonomy()
    entry = taxonomy.of(lever_class)
    demanded = entry.intensities[intensity]
    return StratumBrief(
        lever_class=lever_class,
        class_definition=taxonomy.definition(lever_class),
        intensity=intensity,
        intensity_criterion=demanded.criterion,
        answer_constraint=demanded.answer_constraint,
        may_change=entry.may_change,
        strategy=demanded.strategy,
        expected_behaviour=expected_code(lever_class, intensity),
    )
