"""The adjudicator: looks again at an item that every probe missed, and says whether item or responses are wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import dspy

from demur.levers.instances import BaseInstance, Perturbation
from demur.levers.models import Lever
from demur.programs.adapter.predict import SingleCall
from demur.programs.errors import ReplyError
from demur.programs.journal import note_unreadable
from demur.programs.model import Model
from demur.programs.signatures.adjudication import AdjudicateMiss
from demur.programs.signatures.strata import StratumBrief
from demur.programs.verifier import ATTEMPTS, verifying


class Adjudicator(SingleCall):
    """Asks for one adjudication."""

    def __init__(self) -> None:
        super().__init__("adjudicate", AdjudicateMiss)


class AdjudicationOutcome(StrEnum):
    """What an adjudication amounts to; only an item that STANDS counts."""

    STANDS = "stands"
    FAULTY = "faulty"
    INCONSISTENT = "inconsistent"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Adjudication:
    """An adjudication; `reply` is None where none could be read, and then `issues` says why."""

    outcome: AdjudicationOutcome
    reply: dspy.Prediction | None
    issues: tuple[str, ...]


async def adjudicate(
    program: dspy.Module,
    model: Model,
    base: BaseInstance,
    perturbation: Perturbation,
    brief: StratumBrief,
    lever: Lever,
    responses: Sequence[str],
) -> Adjudication:
    """Return the first adjudication that can be read, or MISSING after as many attempts as a verdict has.

    Raises:
        LaneError: no reply came.
    """
    asked = {**verifying(base, perturbation, brief, lever), "responses": tuple(responses)}
    problems: list[str] = []
    for _ in range(ATTEMPTS):
        try:
            reply = await model.run(program, **asked)
        except ReplyError as exc:
            problems.append(exc.problem)
            continue
        return Adjudication(_outcome(reply, expected=asked["expected_behaviour"]), reply, tuple(reply.issues))
    note_unreadable(problems[-1])
    return Adjudication(AdjudicationOutcome.MISSING, None, tuple(problems[-1:]))


def _outcome(reply: dspy.Prediction, expected: str) -> AdjudicationOutcome:
    """Return STANDS or FAULTY; what blames the responses and yet agrees with none of the item is INCONSISTENT."""
    if reply.fault == "ITEM":
        return AdjudicationOutcome.FAULTY
    sound = reply.right_behaviour == expected and not reply.issues
    return AdjudicationOutcome.STANDS if sound else AdjudicationOutcome.INCONSISTENT
