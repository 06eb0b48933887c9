"""What generator and verifier are told of a stratum: class, intensity, target, strategy and constraints, in words."""

import hashlib
from dataclasses import dataclass
from functools import cache

from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import CLASS_TARGET, Code, Intensity, Layout, LeverClass, expected_code


@dataclass(frozen=True, slots=True)
class StratumBrief:
    """One stratum in the words of the taxonomy."""

    lever_class: LeverClass
    class_definition: str
    intensity: Intensity
    intensity_criterion: str
    target: str
    strategy: str
    answer_constraint: str
    expected_behaviour: Code

    @property
    def digest(self) -> str:
        """Hash of the words, which decide what generators and verifiers are told."""
        words = [self.class_definition, self.intensity_criterion, self.target, self.strategy, self.answer_constraint]
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]

    def prompt(self, layout: Layout) -> dict[str, object]:
        """Return the input fields that generator and verifier share; a strategy is for several documents only."""
        return {
            "lever_class": self.lever_class,
            "class_definition": self.class_definition,
            "intensity": self.intensity,
            "intensity_criterion": self.intensity_criterion,
            "target": self.target,
            "strategy": self.strategy if layout is Layout.MULTI else None,
            "answer_constraint": self.answer_constraint,
            "expected_behaviour": self.expected_behaviour,
        }


@cache
def stratum_brief(lever_class: LeverClass, intensity: Intensity) -> StratumBrief:
    """Return the brief of a stratum."""
    entry = load_taxonomy().of(lever_class)
    return StratumBrief(
        lever_class=lever_class,
        class_definition=entry.definition,
        intensity=intensity,
        intensity_criterion=entry.criteria[intensity],
        target=CLASS_TARGET[lever_class].value,
        strategy=entry.strategy,
        answer_constraint=entry.answer_constraints[intensity],
        expected_behaviour=expected_code(lever_class, intensity),
    )
