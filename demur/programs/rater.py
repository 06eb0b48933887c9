"""The rater: a model of the round that says how helpful completions are, for rewards to be added to."""

from collections.abc import Sequence
from typing import Final

import dspy

from demur.lanes.factory import Model
from demur.programs.adapter.predict import SingleCall
from demur.programs.errors import ReplyError
from demur.programs.signatures.rating import MOST_HELPFUL, RateHelpfulness
from demur.programs.signatures.response import NumberedPassage

ATTEMPTS: Final = 2


class Rater(SingleCall):
    """Asks for one rating."""

    def __init__(self) -> None:
        super().__init__("rate", RateHelpfulness)


async def rate(program: dspy.Module, model: Model, prompt: str, passages: Sequence[str], completion: str) -> float:
    """Return the base reward of a completion: its rated helpfulness, from 0 to 1.

    Raises:
        ReplyError: twice no rating could be read: nothing takes its place.
        LaneError: no reply came.
    """
    numbered = tuple(NumberedPassage(number=number, text=text) for number, text in enumerate(passages, start=1))
    problem = ReplyError("nothing was asked", reply="")
    for _ in range(ATTEMPTS):
        try:
            reply = await model.run(program, prompt=prompt, passages=numbered, completion=completion)
        except ReplyError as exc:
            problem = exc
            continue
        return int(reply.rating) / MOST_HELPFUL
    raise problem
