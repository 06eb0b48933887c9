"""The rules lane as verifier: finds missing and surplus content in a perturbed instance.

It compares texts with the original and never rejects for wording: it cannot tell whether a text reads well, or whether
a reader would refuse for the wanted reason. A perturbation by a user's own lever is therefore never rejected for its
wording.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from demur.levers.catalogue import Catalogue
from demur.levers.instances import BaseInstance, Passage
from demur.levers.lever_models import Lever
from demur.levers.vocabulary import Code, Intensity, LeverClass, Target
from demur.programs.signatures.perturbation import ShownPassage, checks_that_apply
from demur.rules.rivals import what_stays
from demur.rules.roles import Inputs, Outputs, unknown_rules
from demur.rules.roles.respond import spot
from demur.text import analyse, find_answers
from demur.text.analysis import content_words
from demur.text.tokens import sentences

NAME: Final = "editor"
RULES: Final = {NAME: None}


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
    """Inputs of VerifyPerturbation: the original instance, the perturbed instance, and the requirements."""

    lever_class: LeverClass
    intensity: Intensity
    target: Target
    expected: Code
    has_strategy: bool
    base: BaseInstance
    question: str
    texts: Mapping[int, str]

    @classmethod
    def of(cls, inputs: Mapping[str, Any]) -> "Case":
        """Return the case that the inputs of VerifyPerturbation describe."""
        shown: tuple[ShownPassage, ...] = inputs["passages"]
        before = (
            Passage(index=p.index, text=p.text if p.before is None else p.before, relevant=p.relevant) for p in shown
        )
        return cls(
            lever_class=inputs["lever_class"],
            intensity=inputs["intensity"],
            target=inputs["target"],
            expected=inputs["expected_behaviour"],
            has_strategy=inputs["strategy"] is not None,
            base=BaseInstance(question=inputs["original_question"], answers=inputs["answers"], passages=tuple(before)),
            question=inputs["perturbed_question"],
            texts={p.index: p.text for p in shown},
        )

    @cached_property
    def changed(self) -> dict[int, str]:
        """The changed passages, by index."""
        return {p.index: self.texts[p.index] for p in self.base.passages if self.texts[p.index] != p.text}

    @cached_property
    def answering(self) -> list[int]:
        """The numbers of the perturbed passages that give an accepted answer."""
        return [index for index, text in self.texts.items() if find_answers(text, self.base.answers)]


def reply(which: str, task: str, inputs: Inputs, seed: int, catalogue: Catalogue) -> Outputs:
    """Return the verdict of the rules verifier `which`.

    A check of the verdict is None if it does not apply, False if the verifier found a fault of this kind, else True.
    The overall result is PASS if the verifier found no fault.
    """
    if which not in RULES:
        raise unknown_rules(which, RULES)
    if task == "ReadKey":
        return _key_read(inputs)
    case = Case.of(inputs)
    faults = tuple(_faults(case, catalogue.named(inputs["lever"])))
    found = {fault.check for fault in faults}
    applying = checks_that_apply(case.intensity, strategy=case.has_strategy)
    if found - {Check(check) for check in applying}:
        found.add(Check.LEVER)
    missed = Check.BEHAVIOUR in found
    otherwise = Code.ANSWER_CORRECTLY if case.expected.is_refusal else Code.MISSING
    predicted = otherwise if missed else case.expected
    seems = Intensity.LOW if case.expected.is_refusal else Intensity.MEDIUM
    places = f"passage{'s' if len(case.answering) > 1 else ''} {', '.join(map(str, case.answering))}"
    return {
        **{check.value: check not in found if check in applying else None for check in Check},
        "refusal_analysis": f"One would refuse with {predicted}." if predicted.is_refusal else "There is an answer.",
        "constraint_analysis": f"An accepted answer stands in {places}." if case.answering else "No passage says one.",
        "predicted_behaviour": predicted,
        "observed_intensity": seems if missed else case.intensity,
        "issues": tuple(dict.fromkeys(fault.issue for fault in faults)),
        "overall": "FAIL" if faults else "PASS",
    }


def _key_read(inputs: Inputs) -> Outputs:
    """Return what the marks of defects in an instance suggest. Rounds ask only the simulator for it."""
    code = spot(inputs["question"], inputs["passages"])
    said = f"The marks of {code} are there." if code else "No marks of a defect are there."
    return {"analysis": said, "demanded": code or Code.ANSWER_CORRECTLY, "also_defensible": ()}


def _faults(case: Case, lever: Lever | None) -> Iterator[Flaw]:
    refused = case.expected.is_refusal
    if not case.changed and case.question == case.base.question:
        yield Flaw(Check.LEVER, "nothing was changed")
        yield Flaw(Check.BEHAVIOUR if refused else Check.TARGET, "nothing was changed")
        return
    if not _is_in_target(case):
        yield Flaw(Check.TARGET, "something else than the target was changed, or the target was not")
    had = any(p.relevant and find_answers(p.text, case.base.answers) for p in case.base.passages)
    if not refused and had and not case.answering:
        yield Flaw(Check.ANSWER, "no passage says an accepted answer any more")
    stays = _stays(case) if case.lever_class is LeverClass.MISSING_INFO and refused else None
    if stays is not None:
        yield Flaw(Check.UNCERTAINTY, stays)
        yield Flaw(Check.BEHAVIOUR, stays)
    if case.lever_class is LeverClass.CONTRADICTION and refused and not _states_anew(case):
        yield Flaw(Check.UNCERTAINTY, "no passage states anything new")
        yield Flaw(Check.BEHAVIOUR, "the passages still lead to one answer")
    old = content_words(case.base.question)
    new = content_words(case.question)
    elsewhere = case.lever_class in (LeverClass.EPISTEMIC, LeverClass.GRANULARITY) and refused
    if elsewhere and not case.changed and new <= old:
        yield Flaw(Check.BEHAVIOUR, "the question still asks what it asked")
    kept = old.union(*(content_words(answer) for answer in case.base.answers))
    if lever is not None and lever.keeps_subject and not kept & new:
        yield Flaw(Check.LEVER, "the subject of the original question is gone")


def _is_in_target(case: Case) -> bool:
    asks = case.question != case.base.question
    return {
        Target.QUERY: asks and not case.changed,
        Target.CONTEXT: not asks and bool(case.changed),
        Target.QUERY_AND_CONTEXT: asks and bool(case.changed),
        Target.QUERY_OR_CONTEXT: not asks or not case.changed,
    }[case.target]


def _stays(case: Case) -> str | None:
    """Return which evidence of the answer stays; None if no evidence stays.

    A passage that replaced another passage and shares no content word with it has no evidence.
    """
    if case.answering:
        return "an accepted answer stays"
    old = {p.index: content_words(p.text) for p in case.base.passages}
    kept = {index: text for index, text in case.changed.items() if content_words(text) & old[index]}
    left = {index: kept.get(index, "") for index in case.changed}
    return what_stays(analyse(case.base), left)


def _states_anew(case: Case) -> bool:
    """Return whether a changed passage has a sentence that no passage of the original has."""
    known = {s.text.strip() for p in case.base.passages for s in sentences(p.text)}
    return any(s.text.strip() not in known for text in case.changed.values() for s in sentences(text))
