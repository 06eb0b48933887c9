"""What a key reader is asked: what the instructions of respondents demand, without knowing the key."""

from typing import Final

import dspy

from demur.levers.vocabulary import Code
from demur.programs.signatures.response import NumberedPassage


class ReadKey(dspy.Signature):  # type: ignore[misc]
    """Say what somebody who follows these instructions to the letter replies to a question.

    You see what respondents are told, and one question with its passages. Nobody tells you whether the question can be
    answered. Go by the words of the instructions alone, also where you would draw a line in another place: what do they
    demand, and which other replies could be defended by their words? A reply that is merely possible is not defended;
    one is, where two careful readers of the instructions could differ.
    """

    respondent_instructions: str = dspy.InputField(desc="what respondents are told, in full")
    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages")
    question: str = dspy.InputField(desc="the question")

    analysis: str = dspy.OutputField(
        desc="one to three sentences: which words of the instructions apply, and to what in question and passages"
    )
    demanded: Code = dspy.OutputField(desc="what the instructions demand: to answer, or a refusal code")
    also_defensible: tuple[Code, ...] = dspy.OutputField(
        desc="every other reply that their words would justify as well; empty if there is none"
    )


TASKS: Final = (ReadKey,)
"""The tasks of this module."""
