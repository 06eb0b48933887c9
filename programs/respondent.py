"""The respondent: the model under evaluation, which answers from passages or refuses with one code."""

from collections.abc import Sequence

import dspy

from levers.taxonomy import load_taxonomy
from levers.vocabulary import PRECEDENCE
from programs.instances import Frozen, Passage
from programs.lanes.factory import Model


def _refusing() -> str:
    """The part of the prompt that both layouts share: the refusal codes in the words of the taxonomy."""
    codes = load_taxonomy().codes
    explained = "\n".join(f"- {entry.code}: {entry.when} ({entry.example})" for entry in codes)
    order = ", ".join(PRECEDENCE)
    return (
        "Refuse where the passages do not support an answer. Then reply with one refusal code and not one word more.\n"
        f"The codes:\n{explained}\n"
        f"Where several codes fit, give the first that fits of: {order}."
    )


class NumberedPassage(Frozen):
    """A passage as a respondent sees it: its number from 1 and its text, not whether it is relevant."""

    number: int
    text: str


class AnswerFromPassage(dspy.Signature):  # type: ignore[misc]
    """Answer a question from a passage, or refuse.

    Use the passage and nothing else: no knowledge of your own. Reasoning, common sense and simple arithmetic are
    welcome as long as they start from what the passage says. A flaw that does not touch what is asked is no reason
    to refuse. If the passage supports an answer, give it, short and exact.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passage")
    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="the answer, or exactly one refusal code.")


class AnswerFromPassages(dspy.Signature):  # type: ignore[misc]
    """Answer a question from search results, or refuse.

    Use the passages and nothing else: no knowledge of your own. Some of them do not bear on the question. First look
    for defects in the question and in every passage that bears on it; do not pass over one because another passage
    would be easier to use. Reasoning, common sense and simple arithmetic are welcome as long as they start from what
    the passages say. A flaw that does not touch what is asked is no reason to refuse. If the passages support an
    answer, give it in one or two sentences and put the numbers of the passages that carry it behind each claim,
    in square brackets, like [2] or [1][4].
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the search results, numbered from 1")
    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="the answer with its citations, or exactly one refusal code.")


for _signature in (AnswerFromPassage, AnswerFromPassages):
    _signature.instructions = f"{_signature.instructions}\n\n{_refusing()}"


class Respondent(dspy.Module):  # type: ignore[misc]
    """Asks for a response, with the prompt for one passage or for several."""

    def __init__(self) -> None:
        super().__init__()
        self.single = dspy.Predict(AnswerFromPassage)
        self.several = dspy.Predict(AnswerFromPassages)

    async def aforward(self, *, question: str, passages: tuple[NumberedPassage, ...]) -> dspy.Prediction:
        """Return `response`."""
        predict = self.single if len(passages) == 1 else self.several
        return await predict.acall(question=question, passages=passages)

    def forward(self, *, question: str, passages: tuple[NumberedPassage, ...]) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        predict = self.single if len(passages) == 1 else self.several
        return predict(question=question, passages=passages)


async def respond(program: Respondent, model: Model, question: str, passages: Sequence[Passage]) -> str:
    """Return what `model` says to a question and its passages, which it sees by number, relevant or not.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    numbered = tuple(NumberedPassage(number=number, text=p.text) for number, p in enumerate(passages, start=1))
    reply = await model.run(program, question=question, passages=numbered)
    return str(reply.response)
