"""The review of accepted answers: a screener decides whether a doubt that code proposes holds."""

from demur.levers.instances import BaseInstance
from demur.levers.vocabulary import AnswerDoubt
from demur.programs.errors import ErrorKind, LaneError, ReplyError
from demur.programs.journal import note_unreadable
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
    try:
        reply = await model.run(program, doubt=doubt, question=base.question, answers=base.answers, passages=passages)
    except ReplyError as exc:
        note_unreadable(exc.problem)
        return False
    except LaneError as exc:
        if exc.kind is ErrorKind.NOT_RECORDED:
            return False
        raise
    return bool(reply.holds)
