"""What a model is asked to find out what it knows: a question without any passage."""

from typing import Final

import dspy


class AnswerFromMemory(dspy.Signature):  # type: ignore[misc]
    """Answer a question from memory.

    There is nothing to read: say what you know. Give the answer alone, as short as it can be, and one answer only. If
    you do not know it, say that you do not know; a guess is worth nothing.
    """

    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="the answer in a few words, or that you do not know.")


TASKS: Final = (AnswerFromMemory,)
