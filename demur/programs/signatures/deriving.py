"""Tasks for questions whose answer no passage states: a screener derives the answer, a judge checks the derivation."""

from typing import Final

import dspy

from demur.levers.instances import UsedStatement
from demur.programs.signatures.response import NumberedPassage


class DeriveAnswer(dspy.Signature):  # type: ignore[misc]
    """Derive the answer to a question from passages alone, in steps that somebody else can check.

    The passages may not state the answer. It may have to be computed, or concluded from several statements; and they
    may lack what it needs. Take nothing from your own knowledge but arithmetic, the language, and the meaning of terms
    that everybody uses in one way. Whether somebody would expect an answer is no matter: most of these questions have
    one, some have none by these passages, and to see which is the task.

    First say what is asked: of whom or what, for which time or state, in which unit, and what shape the answer has.
    Then say how each term that is computed or judged is defined: a ratio, a rate, a total, an average, a comparison, or
    a word such as "capital-intensive", "significant" or "healthy". Say who defines it: the question, the passages, or
    common use. If common use has several definitions, compute with each; where they give different answers, they belong
    into `other_answers`. A verdict without a measure that question or passages name has another verdict beside it.
    Then copy what you use. Then compute or conclude, step by step, with units and signs. A decrease, an outflow, a loss
    and a figure in brackets have a direction: say what the sign means and keep it.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages, numbered from 1")
    question: str = dspy.InputField(desc="the question")

    asked: str = dspy.OutputField(desc="one sentence: what is asked, for which time, in which unit")
    definitions: tuple[str, ...] = dspy.OutputField(
        desc='for each term that is computed or judged one sentence: "<term> is <definition>, by the question", "by '
        'passage N" or "by common use"'
    )
    used: tuple[UsedStatement, ...] = dspy.OutputField(
        desc="every place that you use. `taken`: the figure or the words that you take from it, as they are written "
        "there; `quote`: the row or sentence around it, copied letter for letter from one passage, with its label and "
        "with nothing cut out of it"
    )
    steps: str = dspy.OutputField(desc="the computation or conclusion, from what is in `used` alone")
    lacking: tuple[str, ...] = dspy.OutputField(
        desc="each figure or fact that the answer needs and the passages do not give, also if you know it; a year, a "
        "line or a part that is not there; empty if nothing lacks"
    )
    other_answers: tuple[str, ...] = dspy.OutputField(
        desc="different answers that another usual definition, or another place of the passages, gives as well; not "
        "the same answer in another rounding, unit or wording; empty if there is only one"
    )
    answer: str | None = dspy.OutputField(
        desc="the answer, complete and short, with unit and sign; null if something lacks"
    )


class JudgeDerivation(dspy.Signature):  # type: ignore[misc]
    """Check a derived answer against the accepted answers, and the accepted answers against the passages.

    A question is used in a test of reading only if its accepted answer is right by these passages and by nothing else.
    Accepted answers come from other people. They may be wrong, use a definition of their own, or rest on a part of a
    document that is not among the passages. That the derived answer comes out near an accepted one does not show that
    it is right: work it out yourself, from the passages, before you compare. Decide in this order.

    First go through the accepted answer that fits best, claim by claim: each figure, each direction (up or down, gain
    or loss, sign), each name, period and reason that it states, and its verdict. A claim counts as carried if a passage
    states it, or if it follows from stated figures by a computation that you do, in the rounding that it shows. List
    every claim that is not carried, with what the passages say instead or what lacks.
    Then decide about the definition: would a careful reader who has question and passages alone, and not the accepted
    answer, take this one? It is settled if question or passages give it, or if common use has only one, or if all usual
    ones lead to the same answer.
    Then compare the derived answer with it: same value within the rounding that the accepted one shows, same sign and
    direction, unit and scale, same verdict, same things named, none of them left out.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages, numbered from 1")
    question: str = dspy.InputField(desc="the question")
    accepted_answers: tuple[str, ...] = dspy.InputField(desc="answers that other people accept")
    answer: str = dspy.InputField(desc="the derived answer")
    definitions: tuple[str, ...] = dspy.InputField(desc="the definitions that it uses")
    used: tuple[UsedStatement, ...] = dspy.InputField(desc="the places that it rests on; they stand in the passages")
    steps: str = dspy.InputField(desc="its steps")

    working: str = dspy.OutputField(
        desc="your own derivation of the accepted answer: each claim of it with the figures and passage that carry it"
    )
    not_carried: tuple[str, ...] = dspy.OutputField(
        desc="claims of the accepted answer that the passages do not carry, each with what they say instead or what "
        "lacks; empty if all are carried"
    )
    settled: bool = dspy.OutputField(desc="a careful reader without the accepted answer would use this definition")
    same: bool = dspy.OutputField(desc="the derived answer says the same as an accepted answer")
    explanation: str = dspy.OutputField(desc="one sentence: why it counts, or what is against it", default="")


TASKS: Final = (DeriveAnswer, JudgeDerivation)
