"""The asker: makes questions that a passage answers, or two together, and mends those in which code finds faults."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from demur.levers.instances import AskedQuestion
from demur.programs.adapter.predict import Predict
from demur.programs.model import Model
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.asking import (
    AskQuestions,
    AskQuestionsOfTwo,
    FaultyQuestion,
    RepairQuestions,
    RepairQuestionsOfTwo,
)
from demur.programs.signatures.response import NumberedPassage


class Asker(dspy.Module):  # type: ignore[misc]
    """Asks for questions, with the prompt for one passage or for two, and again where there are faults to mend."""

    def __init__(self) -> None:
        super().__init__()
        self.one = Predict(AskQuestions)
        self.two = Predict(AskQuestionsOfTwo)
        self.mend_one = Predict(RepairQuestions)
        self.mend_two = Predict(RepairQuestionsOfTwo)

    def _predict(self, inputs: dict[str, Any]) -> Predict:
        if len(inputs["passages"]) == 1:
            return self.mend_one if "earlier" in inputs else self.one
        return self.mend_two if "earlier" in inputs else self.two

    async def aforward(self, **inputs: Any) -> dspy.Prediction:
        """Return `reasoning`, `questions` and `declined`."""
        return await self._predict(inputs).acall(**inputs)

    def forward(self, **inputs: Any) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        return self._predict(inputs)(**inputs)


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """What questions are asked of: one passage, or two; with what is known of their document, and was asked before.

    `language` is a language's name in English, None where it is not known; `most` is how many questions are wanted.
    """

    passages: tuple[str, ...]
    most: int
    language: str | None = None
    document: str | None = None
    date: str | None = None
    asked: tuple[str, ...] = ()

    def prompt(self) -> dict[str, Any]:
        """Return the input fields of `AskQuestions`."""
        numbered = enumerate(self.passages, start=1)
        return {
            "language": self.language,
            "document": self.document,
            "date": self.date,
            "passages": tuple(NumberedPassage(number=number, text=text) for number, text in numbered),
            "asked": self.asked,
            "most": self.most,
        }


@dataclass(frozen=True, slots=True)
class AskedQuestions:
    """What an asker replied: questions, or None of them and why."""

    questions: tuple[AskedQuestion, ...]
    declined: str | None
    reasoning: str


async def ask(
    program: Asker, model: Model, source: QuestionSource, earlier: Sequence[FaultyQuestion] = ()
) -> AskedQuestions:
    """Return what `model` asks of a source; with `earlier` it mends these.

    More questions than were wanted are cut off.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    mending = {"earlier": tuple(earlier)} if earlier else {}
    reply = await model.run(program, **source.prompt(), **mending)
    questions = tuple(reply.questions)[: source.most]
    declined = None if questions else (reply.declined or "").strip() or "no question, and no reason given"
    return AskedQuestions(questions, declined, reply.reasoning)


def asker_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt."""
    signal = next((p for p in sample.base.passages if p.relevant), sample.base.passages[0])
    yield AskQuestions, QuestionSource((signal.text,), most=1, language="English", document="x" * 40).prompt()
