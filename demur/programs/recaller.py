"""The closed-book probe: whether a model knows the answer to a question without its passages."""

from collections.abc import Sequence

import dspy

from demur.lanes.factory import Model
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.adapter.predict import SingleCall
from demur.programs.signatures.memory import AnswerFromMemory
from demur.rules.roles.judge import gives, refusal_of
from demur.text.answers import YES_NO
from demur.text.tokens import fold


class Recaller(SingleCall):
    """Asks a question without passages."""

    def __init__(self) -> None:
        super().__init__("recall", AnswerFromMemory)


async def recall(program: Recaller, model: Model, question: str) -> str:
    """Return what `model` answers from memory.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply: dspy.Prediction = await model.run(program, question=question)
    return str(reply.response)


def knows(response: str, answers: Sequence[str]) -> bool:
    """Return whether a response gives an accepted answer plainly, matched as the rules judge matches attempts.

    Yes and no tell nothing of what a model knows: half of all guesses are right.
    """
    telling = tuple(answer for answer in answers if fold(answer.strip()) not in YES_NO)
    return bool(telling) and refusal_of(response) is None and gives(response, telling)[1]


def memory_messages(question: str) -> list[dict[str, str]]:
    """Return the messages that a probe is sent."""
    return JsonAdapter().format(AnswerFromMemory, [], {"question": question})
