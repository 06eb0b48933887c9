"""The prover: answers a question from passages alone, and rates the question."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from demur.programs.model import Model, SingleCall
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.asking import ProveQuestion
from demur.programs.signatures.response import numbered


class Prover(SingleCall):
    """Asks for an answer, and for a rating of the question."""

    def __init__(self) -> None:
        super().__init__("prove", ProveQuestion)


@dataclass(frozen=True, slots=True)
class Proof:
    """A prover's reply: the answer, other answers in the passages, and the rating of the question.

    `answer` is None if the passages give no answer. `natural` is from 1 (broken) to 5 (as people ask).
    """

    answer: str | None
    other_answers: tuple[str, ...]
    stands_alone: bool
    natural: int
    understanding: str
    reading: str


async def prove(program: Prover, model: Model, question: str, passages: Sequence[str]) -> Proof:
    """Return a model's proof of a question. The model does not see the accepted answers.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply = await model.run(program, question=question, passages=numbered(passages))
    others = tuple(other.strip() for other in reply.other_answers if other.strip())
    return Proof(
        (reply.answer or "").strip() or None,
        others,
        reply.stands_alone,
        reply.natural,
        reply.understanding,
        reply.reading,
    )


def prover_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt."""
    texts = [passage.text for passage in sample.base.passages]
    yield ProveQuestion, {"question": sample.base.question, "passages": numbered(texts)}
