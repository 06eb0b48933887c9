"""The rater: rates the helpfulness of completions. Ratings are base rewards."""

from collections.abc import Iterator, Sequence
from typing import Final

import dspy

from demur.programs.errors import ReplyError
from demur.programs.model import Model, SingleCall
from demur.programs.prompt_sizes import TYPICAL_RESPONSE, Prompt, PromptSample
from demur.programs.signatures.rating import MOST_HELPFUL, RateHelpfulness
from demur.programs.signatures.response import numbered

ATTEMPTS: Final = 2


class Rater(SingleCall):
    """Asks for one rating."""

    def __init__(self) -> None:
        super().__init__("rate", RateHelpfulness)


def rater_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt."""
    passages = numbered(passage.text for passage in sample.base.passages)
    yield RateHelpfulness, {"passages": passages, "prompt": sample.base.question, "completion": TYPICAL_RESPONSE}


async def rate(program: dspy.Module, model: Model, prompt: str, passages: Sequence[str], completion: str) -> float:
    """Return a completion's base reward: its rated helpfulness from 0 to 1.

    Raises:
        ReplyError: two replies in a row had no readable rating.
        LaneError: no reply came.
    """
    problem = ReplyError("nothing was asked", reply="")
    for _ in range(ATTEMPTS):
        try:
            reply = await model.run(program, prompt=prompt, passages=numbered(passages), completion=completion)
        except ReplyError as exc:
            problem = exc
            continue
        return int(reply.rating) / MOST_HELPFUL
    raise problem
