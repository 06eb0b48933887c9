"""What a screener is asked about an accepted answer that code doubts."""

from typing import Final

import dspy

from demur.levers.vocabulary import AnswerDoubt
from demur.programs.signatures.response import NumberedPassage


class ReviewAnswer(dspy.Signature):  # type: ignore[misc]
    """Decide whether an accepted answer can serve in test cases that are made by changing question or passages.

    A program saw a word that may make it unfit. It cannot tell what words stand for; decide that by the passages.
    - points elsewhere: the answer is a pronoun or a word like one, such as "they" or "the court", and what it points to
      has a name of its own that the question could as well be answered with. It does not hold where the word is the
      plain name of the thing, as in "Which organ pumps blood?", "the heart".
    - stands in two roles: the same word stands in the passages for another thing as well, so that nobody could take the
      answer out of them or set a rival against it without touching that other thing. It does not hold where all
      occurrences mean the same thing.
    """

    doubt: AnswerDoubt = dspy.InputField(desc="what the program proposes")
    question: str = dspy.InputField(desc="the question")
    answers: tuple[str, ...] = dspy.InputField(desc="its accepted answers")
    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages")

    analysis: str = dspy.OutputField(desc="one or two sentences: what the answer's word stands for, where it stands")
    holds: bool = dspy.OutputField(desc="whether the doubt holds, so that the answer is unfit")


TASKS: Final = (ReviewAnswer,)
"""The tasks of this module."""
