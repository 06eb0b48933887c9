"""The strict verifier: rejects what looks like changes that people who read them rejected.

Ten numbers of a change (signs.py) are weighed; weights and threshold were fitted to readings of accepted candidates
(benchmarks/fit_verifier.py), which are no part of this repository. strict.yaml has them, with the data's checksum.
Besides, it rejects what no reading is needed for: a premise that holds, a rival that is marked as weaker, a mild defect
that leaves little of the question.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict

from demur.levers.vocabulary import Intensity, LeverClass
from demur.rules.roles.reading.concepts import concept_set
from demur.rules.roles.verifying.case import Case, Check, Flaw
from demur.rules.roles.verifying.meaning import beside_the_point
from demur.rules.roles.verifying.signs import ISSUES, signs
from demur.rules.roles.verifying.weight import DISCOUNTED

WEIGHTS: Final = Path(__file__).with_name("strict.yaml")
CORE: Final = 0.65
"""The share of the original question's concepts that a mild defect leaves in it."""
_LEVER: Final = frozenset({"denied_answer", "untouched_answer", "open_invented", "cut_off"})


class DefectWeights(BaseModel):
    """What was fitted, and to what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    readings: int
    sha256: str
    intercept: float
    threshold: float
    weights: dict[str, float]


@cache
def weights() -> DefectWeights:
    """Return the fitted weights."""
    return DefectWeights.model_validate(yaml.safe_load(WEIGHTS.read_text(encoding="utf-8")))


def score(case: Case) -> float:
    """Return how much a change looks like those that readers rejected; above the threshold it is rejected."""
    found = signs(case)
    fitted = weights()
    return fitted.intercept + sum(weight * found[name] for name, weight in fitted.weights.items())


def strict_faults(case: Case) -> Iterator[Flaw]:
    """Yield what speaks most against a change that is rejected, and what is wrong without a reading."""
    yield from plain_faults(case)
    if score(case) > weights().threshold:
        found = signs(case)
        fitted = weights().weights
        worst = max(fitted, key=lambda name: fitted[name] * found[name])
        yield Flaw(Check.LEVER if worst in _LEVER else Check.QUALITY, ISSUES[worst])


def plain_faults(case: Case) -> Iterator[Flaw]:
    """Yield what is wrong without a reading: a subject that is gone, a premise that holds, a rival marked as weaker."""
    yield from beside_the_point(case)
    old = concept_set(case.base.question)
    new = concept_set(case.question)
    if case.found.question_changed and case.keeps_subject and not old & new:
        yield Flaw(Check.LEVER, "the subject of the original question is gone")
    if case.found.question_changed and not case.to_be_refused and len(old & new) < CORE * len(old):
        yield Flaw(Check.INTENSITY, "little is left of what was asked")
    if case.lever_class is LeverClass.FALSE_PREMISE and case.to_be_refused:
        known = (concept_set(s.text) for p in case.analysis.passages for s in p.sentences)
        if new - old and any(new - old <= sentence for sentence in known):
            yield Flaw(Check.UNCERTAINTY, "the passages bear out what the question takes for granted")
    weaker = DISCOUNTED.search(case.added) if case.lever_class is LeverClass.CONTRADICTION else None
    if weaker and case.intensity is Intensity.MEDIUM:
        yield Flaw(Check.INTENSITY, f"one side is marked as the weaker ('{weaker[0]}')")
