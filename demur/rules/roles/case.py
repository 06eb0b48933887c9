"""A perturbation as a verifier sees it: original, perturbed, what was demanded; read once for all checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance, ChangedPassage, Passage, Perturbation
from demur.levers.vocabulary import Code, Intensity, LeverClass, Part, Target
from demur.programs.checks.diff import InstanceDiff, compare
from demur.programs.signatures.verification import ShownPassage
from demur.text import Analysis, analyse


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
class Flaw:
    """A check that does not hold, and why in a few words."""

    check: Check
    issue: str


@dataclass(frozen=True)
class Case:
    """What VerifyPerturbation gives, with the differences and the original's analysis worked out once."""

    lever_class: LeverClass
    intensity: Intensity
    target: Target
    disfluent: tuple[Part, ...]
    expected: Code
    has_strategy: bool
    base: BaseInstance
    question: str
    passages: tuple[Passage, ...]

    @classmethod
    def of(cls, inputs: Mapping[str, Any], catalogue: Catalogue) -> "Case":
        """Return the case that the inputs of VerifyPerturbation describe, by what the catalogue says of its lever."""
        lever = catalogue.named(inputs["lever"])
        shown = inputs["passages"]
        return cls(
            lever_class=inputs["lever_class"],
            intensity=inputs["intensity"],
            target=inputs["target"],
            disfluent=lever.disfluent if lever else (),
            expected=inputs["expected_behaviour"],
            has_strategy=inputs["strategy"] is not None,
            base=BaseInstance(
                question=inputs["original_question"],
                answers=inputs["answers"],
                passages=tuple(_passage(p, p.text if p.before is None else p.before) for p in shown),
            ),
            question=inputs["perturbed_question"],
            passages=tuple(_passage(p, p.text) for p in shown),
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
    def texts(self) -> list[tuple[int, str]]:
        """The perturbed passages with their indices."""
        return [(p.index, p.text) for p in self.passages]

    @property
    def changed(self) -> dict[int, str]:
        """The passages that are not as they were, by index."""
        old = {p.index: p.text for p in self.base.passages}
        return {p.index: p.text for p in self.passages if p.text != old[p.index]}


def _passage(shown: ShownPassage, text: str) -> Passage:
    return Passage(index=shown.index, text=text, relevant=shown.relevant)
