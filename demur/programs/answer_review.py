"""The review of accepted answers: a screener decides whether a doubt that code proposes holds."""

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import AnswerDoubt
from demur.programs.model import Model, SingleCall
from demur.programs.signatures.doubts import ReviewAnswer
from demur.programs.signatures.response import numbered


class AnswerReviewer(SingleCall):
    """Asks whether a doubt about accepted answers holds."""

    def __init__(self) -> None:
        super().__init__("review_answer", ReviewAnswer)


async def doubt_holds(program: AnswerReviewer, model: Model, base: BaseInstance, doubt: AnswerDoubt) -> bool:
    """Return whether a doubt holds. If a reply cannot be read, or a recording has none, the answer stays accepted.

    Raises:
        LaneError: no reply came.
    """
    passages = numbered(passage.text for passage in base.passages)
    reply = await model.run_if_readable(
        program, doubt=doubt, question=base.question, answers=base.answers, passages=passages
    )
    return reply is not None and bool(reply.holds)
