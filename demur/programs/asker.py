"""The asker: writes questions about one passage or two, and corrects questions with faults."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from demur.levers.instances import AskedQuestion
from demur.programs.model import Model, Predict, Program
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.asking import (
    AskQuestions,
    AskQuestionsOfTwo,
    FaultyQuestion,
    RepairQuestions,
    RepairQuestionsOfTwo,
    in_manner_of_people,
)
from demur.programs.signatures.response import numbered


class Asker(Program):
    """Asks a model for questions about one or two passages, or for corrections of faulty questions."""

    def __init__(self, *, like: bool = False) -> None:
        """Build the predictors; with `like`, they get questions of people, in whose manner they ask."""
        super().__init__()

        def task(signature: Any) -> Predict:
            return Predict(in_manner_of_people(signature) if like else signature)

        self.one = task(AskQuestions)
        self.two = task(AskQuestionsOfTwo)
        self.mend_one = task(RepairQuestions)
        self.mend_two = task(RepairQuestionsOfTwo)

    def chosen(self, inputs: dict[str, Any]) -> tuple[Predict, dict[str, Any]]:
        """Return the predictor for the number of passages.

        If the inputs have `earlier` questions, the predictor corrects them.
        """
        if len(inputs["passages"]) == 1:
            return self.mend_one if "earlier" in inputs else self.one, inputs
        return self.mend_two if "earlier" in inputs else self.two, inputs


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """Material for questions: one or two passages, facts about their document, and earlier questions.

    `language` is the English name of the passages' language, or None if the language is unknown. `most` is the largest
    number of questions that the model may ask. `asked` are earlier questions about the same passages. `like` are
    questions of people, in whose manner the model asks.
    """

    passages: tuple[str, ...]
    most: int
    language: str | None = None
    document: str | None = None
    date: str | None = None
    asked: tuple[str, ...] = ()
    like: tuple[str, ...] = ()

    def prompt(self) -> dict[str, Any]:
        """Return the input fields of `AskQuestions`."""
        return {
            "language": self.language,
            "document": self.document,
            "date": self.date,
            "passages": numbered(self.passages),
            "asked": self.asked,
            "most": self.most,
            **({"like": self.like} if self.like else {}),
        }


@dataclass(frozen=True, slots=True)
class AskedQuestions:
    """An asker's reply: questions, or the reason for declining."""

    questions: tuple[AskedQuestion, ...]
    declined: str | None
    reasoning: str


async def ask(
    program: Asker, model: Model, source: QuestionSource, earlier: Sequence[FaultyQuestion] = ()
) -> AskedQuestions:
    """Return a model's questions about a source.

    If `earlier` is not empty, the model corrects the questions in `earlier`. Questions beyond the first `source.most`
    are dropped.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    mending = {"earlier": tuple(earlier)} if earlier else {}
    reply = await model.run(program, **source.prompt(), **mending)
    questions = tuple(reply.questions)[: source.most]
    declined = None if questions else (reply.declined or "").strip() or "no question, and no reason given"
    return AskedQuestions(questions, declined, reply.reasoning)


def asker_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for one passage."""
    signal = next((p for p in sample.base.passages if p.relevant), sample.base.passages[0])
    yield AskQuestions, QuestionSource((signal.text,), most=1, language="English", document="x" * 40).prompt()
