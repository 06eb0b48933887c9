"""The programs that can be compiled, and how their replies are scored against what people said."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import dspy

from demur.programs.grader import Grader
from demur.programs.verifier import Verifier

Program: TypeAlias = dspy.Module
"""A program, compiled or not."""


class ProgramKind(StrEnum):
    """The programs that can be compiled."""

    GRADER = "grader"
    VERIFIER = "verifier"


Truths = Mapping[str, bool]
"""By name, what people said of one case: propositions of a completion, criteria of an item."""


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """One judged case: what the program is asked, what people said, and the whole reply where they said all of it.

    Cases of one `group` (a prompt, a base instance) are never divided between training and held-out cases.
    """

    group: str
    inputs: Mapping[str, object]
    truths: Truths
    reply: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class CaseScore:
    """How many of a case's truths a reply got right, and which it got wrong, in words for an optimiser."""

    right: int
    asked: int
    feedback: str

    @property
    def share(self) -> float:
        """The share that is right."""
        return self.right / self.asked


def score(kind: ProgramKind, case: JudgedCase, reply: dspy.Prediction) -> CaseScore:
    """Return how well a reply agrees with what people said; what it leaves out is wrong."""
    said = _READERS[kind](reply)
    wrong = [name for name, holds in case.truths.items() if said.get(name) is not holds]
    right = "; ".join(f"{name} is {str(case.truths[name]).lower()}" for name in wrong)
    feedback = (
        f"Wrong about {len(wrong)} of {len(case.truths)}. Right would have been: {right}." if wrong else "All right."
    )
    return CaseScore(len(case.truths) - len(wrong), len(case.truths), feedback)


def program_of(kind: ProgramKind) -> dspy.Module:
    """Return a program of this kind as it is without compiling."""
    return Grader() if kind is ProgramKind.GRADER else Verifier()


CHECKS_OF_CRITERIA: Final[Mapping[str, tuple[str, ...]]] = {
    "lever_fidelity": ("lever_fidelity",),
    "intensity_achieved": ("intensity_achieved",),
    "uncertainty_induced": ("uncertainty_induced",),
    "linguistic_soundness": ("implementation_quality",),
    "ground_truth_alignment": ("behaviour_prediction", "refusal_class_alignment"),
}
"""By audit criterion, the checks of a verdict that say the same; all of them that apply must hold."""


def _grades(reply: dspy.Prediction) -> dict[str, bool]:
    return {grade.proposition: grade.probability > 0.5 for grade in reply.grades}


def _criteria(reply: dspy.Prediction) -> dict[str, bool]:
    return {
        name: all(getattr(reply, check) is not False for check in checks) for name, checks in CHECKS_OF_CRITERIA.items()
    }


_READERS: Final[Mapping[ProgramKind, Callable[[dspy.Prediction], dict[str, bool]]]] = {
    ProgramKind.GRADER: _grades,
    ProgramKind.VERIFIER: _criteria,
}
