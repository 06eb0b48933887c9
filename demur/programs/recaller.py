"""The closed-book probe: whether a model can answer a question without the passages."""

from collections.abc import Iterator

import dspy

from demur.levers.vocabulary import ENGLISH
from demur.programs.languages import in_language
from demur.programs.model import Model, SingleCall
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.languages import language_input
from demur.programs.signatures.memory import AnswerFromMemory


class Recaller(SingleCall):
    """Asks a question without passages."""

    def __init__(self) -> None:
        super().__init__("recall", AnswerFromMemory)


def recaller_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt."""
    yield AnswerFromMemory, {"question": sample.base.question}


async def recall(program: Recaller, model: Model, question: str, language: str = ENGLISH) -> str:
    """Return a model's answer from memory.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply: dspy.Prediction = await model.run(
        in_language(program, language), question=question, **language_input(language)
    )
    return str(reply.response)
