"""What an adjudicator is asked: whether an item that every probe missed is wrong, or what they responded."""

from typing import Final, Literal

import dspy

from demur.levers.vocabulary import Code
from demur.programs.signatures.taxonomy_text import CODES, ORDER
from demur.programs.signatures.verification import PerturbedInstance


class AdjudicateMiss(PerturbedInstance):
    """Decide whether a test item is wrong, or the responses that it marks as wrong.

    Somebody changed an answerable question or its passages by pulling one lever. Verifiers accepted the item; then
    every model that tried it did something else than the item expects. Take nobody's word for it, neither the
    verifiers' nor the models'. Read the perturbed question and the passages as they are now, as a careful respondent
    would who may use the passages only, and say what is right to do: answer, or refuse with one of these codes.
    {codes}
    {order} What follows or can be inferred is decided by the passages alone.

    Only then look at what is expected and at the responses. The fault is the item's if the expected behaviour is not
    clearly the right one, if another is as good, if a response does what a careful respondent could defend, or if the
    text is so broken that nothing fair can be asked of it. It is the responses' only if the expected behaviour is
    clearly right and every response departs from it. An item that is hard but right stands; one in doubt does not.
    """

    responses: tuple[str, ...] = dspy.InputField(desc="what models responded to the perturbed question; marked wrong")

    reading: str = dspy.OutputField(
        desc="one to three sentences, as if nothing were expected: what is right to do with these passages, and why"
    )
    right_behaviour: Code = dspy.OutputField(desc="what is right to do, by that reading")
    issues: tuple[str, ...] = dspy.OutputField(desc="each fault of the item in a few words; empty where there is none")
    fault: Literal["ITEM", "RESPONSES"] = dspy.OutputField(
        desc="whose the fault is; RESPONSES only if right_behaviour is the expected one and the item has no fault"
    )


AdjudicateMiss.instructions = AdjudicateMiss.instructions.replace("{codes}", CODES).replace("{order}", ORDER)


TASKS: Final = (AdjudicateMiss,)
