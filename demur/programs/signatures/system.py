"""What a system is asked: a question with passages. It has instructions of its own, and is told nothing else."""

from typing import Final

import dspy

from demur.programs.signatures.response import NumberedPassage


class AskSystem(dspy.Signature):  # type: ignore[misc]
    """Answer a question from passages."""

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages, numbered from 1")
    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="what the system says")
    citations: tuple[str, ...] | None = dspy.OutputField(desc="ids that the answer cites, null where none are given")
    retrieved: tuple[str, ...] | None = dspy.OutputField(desc="ids that the answer was made from, null likewise")


class AskSystemOfIndex(dspy.Signature):  # type: ignore[misc]
    """Answer a question from the passages of an index that its item may see."""

    item: str = dspy.InputField(desc="id of the item, whose own passages are seen")
    base: str = dspy.InputField(desc="id of its base instance; originals that give it away are not seen")
    question: str = dspy.InputField(desc="the question asked of the index")

    response: str = dspy.OutputField(desc="what the system says")
    citations: tuple[str, ...] | None = dspy.OutputField(desc="ids that the answer cites, null where none are given")
    retrieved: tuple[str, ...] | None = dspy.OutputField(desc="ids that the answer was made from, null likewise")


TASKS: Final = (AskSystem, AskSystemOfIndex)
