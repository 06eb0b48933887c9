"""A perturbation as a verifier sees it: original, perturbed, what was demanded; read once for all checks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from demur.levers.vocabulary import Code, Intensity, LeverClass
from demur.programs.checks.diff import InstanceDiff, compare
from demur.programs.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.programs.rules.analysis import Analysis, analyse

_KEEPS_PASSAGES = re.compile(
    r"\b(?:leave|keep)\b[^.;:]*\bthe passages?\b[^.;:]*\b(?:untouched|alone|as (?:they|it) (?:are|is|were|was))\b"
    r"|\bpassages stay as they are|\bdo not touch the passages?",
    re.IGNORECASE,
)
_KEEPS_QUESTION = re.compile(r"(?:^|\. |, )(?:The|the) question stays as it\b")


class Check(StrEnum):
    """The boolean checks of a verdict, by the names of its fields."""

    LEVER = "lever_fidelity"
    INTENSITY = "intensity_achieved"
    TARGET = "target_compliance"
    STRATEGY = "strategy_compliance"
    UNCERTAINTY = "uncertainty_induced"
    QUALITY = "implementation_quality"
    ANSWER = "answer_constraint_met"
    BEHAVIOUR = "behaviour_prediction"
    REASON = "refusal_class_alignment"


@dataclass(frozen=True, slots=True)
class Fault:
    """A check that does not hold, and why in a few words."""

    check: Check
    issue: str


@dataclass(frozen=True)
class Case:
    """What VerifyPerturbation gives, with the differences and the original's analysis worked out once."""

    lever_class: LeverClass
    intensity: Intensity
    target: str
    instruction: str
    expected: Code
    base: BaseInstance
    question: str
    passages: tuple[Passage, ...]

    @classmethod
    def of(cls, inputs: Mapping[str, Any]) -> "Case":
        """Return the case that the inputs of VerifyPerturbation describe."""
        return cls(
            lever_class=inputs["lever_class"],
            intensity=inputs["intensity"],
            target=inputs["target"],
            instruction=inputs["lever_instruction"],
            expected=inputs["expected_behaviour"],
            base=BaseInstance(
                question=inputs["original_question"],
                answers=inputs["answers"],
                passages=inputs["original_passages"],
            ),
            question=inputs["perturbed_question"],
            passages=inputs["perturbed_passages"],
        )

    @cached_property
    def found(self) -> InstanceDiff:
        """What differs between the two instances, token by token."""
        changed = tuple(ChangedPassage(index=p.index, text=p.text) for p in self.passages)
        return compare(self.base, Perturbation(question=self.question, changed=changed, lever=""))

    @cached_property
    def analysis(self) -> Analysis:
        """The original, analysed."""
        return analyse(self.base)

    @property
    def several(self) -> bool:
        """True where there is more than one passage, so that a strategy applies."""
        return len(self.base.passages) > 1

    @property
    def to_be_refused(self) -> bool:
        """True for the strata whose instances no respondent should answer."""
        return self.expected.is_refusal

    @property
    def signal(self) -> tuple[Passage, ...]:
        """The perturbed passages that bear on the question."""
        return tuple(p for p in self.passages if p.relevant)

    @property
    def passages_must_stay(self) -> bool:
        """True where the lever's instruction says that the passages are left alone."""
        return bool(_KEEPS_PASSAGES.search(self.instruction))

    @property
    def question_must_stay(self) -> bool:
        """True where the lever's instruction says that the question is left alone."""
        return bool(_KEEPS_QUESTION.search(self.instruction))

    @property
    def added(self) -> str:
        """All text that was put into question or passages, a piece a line."""
        return "\n".join(part.added_text for _, part in self.found.parts)
