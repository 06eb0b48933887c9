"""The verifier: checks whether a perturbation meets the requirements of its stratum and lever."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import dspy

from demur.levers.instances import BaseInstance, ChangedPassage, Perturbation
from demur.levers.models import Lever
from demur.levers.vocabulary import STRATA, Target
from demur.programs.errors import ReplyError
from demur.programs.journal import last_call_id, note_unreadable
from demur.programs.languages import in_language
from demur.programs.model import Model, SingleCall
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.languages import language_input
from demur.programs.signatures.strata import StratumBrief, stratum_brief
from demur.programs.signatures.verification import CHECKS, ShownPassage, VerifyPerturbation, checks_that_apply

ATTEMPTS: Final = 3
"""An unreadable verdict is requested again at most twice; the first readable one counts."""


def verifying(base: BaseInstance, perturbation: Perturbation, brief: StratumBrief, lever: Lever) -> dict[str, Any]:
    """Return the input fields of `VerifyPerturbation`."""
    target = lever.target
    if target is Target.QUERY_OR_CONTEXT:
        target = Target.QUERY if perturbation.passages(base) == base.passages else Target.CONTEXT
    old = {passage.index: passage.text for passage in base.passages}
    return {
        **brief.prompt(base.layout, target),
        "lever": lever.name,
        "target": lever.target,
        "lever_instruction": lever.instruction,
        "original_question": base.question,
        "answers": base.answers,
        "perturbed_question": perturbation.question,
        "passages": tuple(
            ShownPassage(
                index=passage.index,
                relevant=passage.relevant,
                text=passage.text,
                before=None if passage.text == old[passage.index] else old[passage.index],
            )
            for passage in perturbation.passages(base)
        ),
        **language_input(base.language),
    }


def verifier_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for each stratum. The perturbation uses the first lever of the stratum."""
    first = sample.base.passages[0]
    for lever_class, intensity in STRATA:
        for lever in sample.catalogue.stratum(lever_class, intensity)[:1]:
            longer = ChangedPassage(index=first.index, text=f"{first.text} x")
            changed = () if lever.target is Target.QUERY else (longer,)
            made = Perturbation(question=sample.base.question, changed=changed, lever=lever.name)
            yield VerifyPerturbation, verifying(sample.base, made, stratum_brief(lever_class, intensity), lever)


class Verifier(SingleCall):
    """Asks for one verdict."""

    def __init__(self) -> None:
        super().__init__("verify", VerifyPerturbation)


class VerdictOutcome(StrEnum):
    """Outcomes of a verdict. Only PASS accepts the perturbation."""

    PASS = "pass"
    FAIL = "fail"
    INCONSISTENT = "inconsistent"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one request for a verdict.

    If the reply could not be read, `reply` is None and `checks` is empty. A check that does not apply is None. If a
    check applies and the model replied null, the check is false.
    """

    attempt: int
    outcome: VerdictOutcome
    reply: dspy.Prediction | None
    checks: Mapping[str, bool | None]
    issues: tuple[str, ...]
    call_id: str | None


async def verify(
    program: dspy.Module,
    model: Model,
    base: BaseInstance,
    perturbation: Perturbation,
    brief: StratumBrief,
    lever: Lever,
) -> tuple[Verdict, ...]:
    """Return the results of all requests for a verdict. The last result decides.

    Raises:
        LaneError: no reply came.
    """
    attempts: list[Verdict] = []
    asked = verifying(base, perturbation, brief, lever)
    deciding = checks_that_apply(brief.intensity, strategy=asked["strategy"] is not None)
    while len(attempts) < ATTEMPTS:
        number = len(attempts) + 1
        try:
            reply = await model.run(in_language(program, base.language), **asked)
        except ReplyError as exc:
            attempts.append(Verdict(number, VerdictOutcome.MISSING, None, {}, (exc.problem,), last_call_id()))
            continue
        checks = {check: getattr(reply, check) is True if check in deciding else None for check in CHECKS}
        attempts.append(Verdict(number, outcome_of(reply.overall, checks), reply, checks, reply.issues, last_call_id()))
        break
    else:
        note_unreadable(", ".join(attempts[-1].issues))
    return tuple(attempts)


def outcome_of(overall: str, checks: Mapping[str, bool | None]) -> VerdictOutcome:
    """Return PASS or FAIL if the overall result agrees with the checks that apply, else INCONSISTENT."""
    all_true = False not in checks.values()
    if (overall == "PASS") != all_true:
        return VerdictOutcome.INCONSISTENT
    return VerdictOutcome.PASS if all_true else VerdictOutcome.FAIL
