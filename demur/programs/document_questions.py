"""Programs for questions of a corpus: asker, prover, review of accepted answers, derived answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from demur.levers.instances import AskedQuestion, Passage, UsedStatement
from demur.levers.vocabulary import ATTEMPT, INVALID, Code
from demur.programs.call_scope import note_unreadable
from demur.programs.checks.changes import rests_on
from demur.programs.errors import ReplyError
from demur.programs.judge import ATTEMPTS
from demur.programs.model import Model, Predict, Program, SingleCall
from demur.programs.prompt_sizes import TYPICAL_RESPONSE, Prompt, PromptSample
from demur.programs.signatures.document_questions import (
    AskQuestions,
    AskQuestionsOfTwo,
    DeriveAnswer,
    FaultyQuestion,
    JudgeDerivation,
    ProveQuestion,
    RepairQuestions,
    RepairQuestionsOfTwo,
    in_manner_of_people,
)
from demur.programs.signatures.response import numbered

# The asker: writes questions about one passage or two, and corrects questions with faults.


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


# The prover: answers a question from passages alone, and rates the question.


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


# The deriver gives an answer that no passage states, with the places behind the answer. A judge checks derivations.
#
# Code checks the places, and a judge compares the derived answer with the accepted ones.


class Deriver(SingleCall):
    """Asks for an answer that can be checked step by step."""

    def __init__(self) -> None:
        super().__init__("derive", DeriveAnswer)


class DerivationJudge(SingleCall):
    """Asks whether a derived answer is an accepted one, and whether the passages carry the accepted one."""

    def __init__(self) -> None:
        super().__init__("judge_derivation", JudgeDerivation)


@dataclass(frozen=True, slots=True)
class Derivation:
    """A screener's reply: the answer, and all that it rests on.

    `answer` is None if the passages lack something. `other_answers` are those by other definitions or places.
    """

    answer: str | None
    definitions: tuple[str, ...]
    used: tuple[UsedStatement, ...]
    steps: str
    lacking: tuple[str, ...]
    other_answers: tuple[str, ...]

    def predicted(self, passages: Sequence[Passage]) -> str:
        """Return what the derivation is: an attempt, a refusal code, or INVALID if its quotes do not hold."""
        if self.answer is None or self.lacking:
            return Code.MISSING.value
        if self.other_answers:
            return Code.AMBIGUOUS.value
        return ATTEMPT if rests_on(self.used, [passage.text for passage in passages]) else INVALID


async def derive(program: Deriver, model: Model, question: str, passages: Sequence[Passage]) -> Derivation:
    """Return a model's derivation of an answer. The model does not see the accepted answers.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    reply = await model.run(program, question=question, passages=numbered(one.text for one in passages))
    return Derivation(
        (reply.answer or "").strip() or None,
        _filled(reply.definitions),
        tuple(reply.used),
        reply.steps,
        _filled(reply.lacking),
        _filled(reply.other_answers),
    )


def _filled(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(text.strip() for text in texts if text.strip())


async def is_proved(
    program: DerivationJudge,
    model: Model,
    question: str,
    accepted_answers: Sequence[str],
    derivation: Derivation,
    passages: Sequence[Passage],
) -> bool:
    """Return whether a judge finds that a derivation proves an accepted answer; False if no judgement can be read.

    Raises:
        LaneError: no reply came.
    """
    problem = ""
    for _ in range(ATTEMPTS):
        try:
            reply = await model.run(
                program,
                passages=numbered(one.text for one in passages),
                question=question,
                accepted_answers=tuple(accepted_answers),
                answer=derivation.answer,
                definitions=derivation.definitions,
                used=derivation.used,
                steps=derivation.steps,
            )
        except ReplyError as exc:
            problem = exc.problem
            continue
        return bool(reply.same and reply.settled and not _filled(reply.not_carried))
    note_unreadable(problem)
    return False


_PLACE: Final = (UsedStatement(taken="1904", quote="The pier opened in 1904."),)


def deriver_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for a screener."""
    texts = numbered(passage.text for passage in sample.base.passages)
    yield DeriveAnswer, {"question": sample.base.question, "passages": texts}


def derivation_judge_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt for the judge."""
    base = sample.base
    yield (
        JudgeDerivation,
        {
            "passages": numbered(passage.text for passage in base.passages),
            "question": base.question,
            "accepted_answers": base.answers,
            "answer": TYPICAL_RESPONSE,
            "definitions": (),
            "used": _PLACE,
            "steps": TYPICAL_RESPONSE,
        },
    )
