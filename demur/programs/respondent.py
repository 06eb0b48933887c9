"""The respondent, which answers from passages or refuses with a code, and the probe without passages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import dspy

from demur.levers.instances import BaseInstance, Passage
from demur.levers.vocabulary import ENGLISH, AnswerDoubt, Confidence
from demur.programs.adapter.json_adapter import JsonAdapter
from demur.programs.call_scope import Finish, Reply, last_reply
from demur.programs.errors import ErrorKind, LaneError
from demur.programs.language_variants import in_language
from demur.programs.model import Model, Predict, Program, SingleCall
from demur.programs.options import Prompts
from demur.programs.prompt_sizes import Prompt, PromptSample
from demur.programs.signatures.other_languages import language_input
from demur.programs.signatures.response import (
    AnswerFromMemory,
    AskSystem,
    AskSystemOfIndex,
    ReviewAnswer,
    numbered,
    signature_of,
)
from demur.scoring.standalone.reply_text import CALLS_TOOL, ENDS_IN_REASONING, REASONING_ALONE, split_reply

# The respondent: the model under evaluation, which answers from passages or refuses with a code.


_OF_PROVIDER: Final = frozenset({ErrorKind.REFUSAL, ErrorKind.CONTENT_FILTER})
"""Errors by which the provider itself refuses."""


class Respondent(Program):
    """Asks for a response. The prompt depends on whether there is one passage or several.

    If `elicit_confidence` is true, the prompt also asks for the confidence.
    """

    def __init__(self, prompts: Prompts = Prompts.PUBLISHED, elicit_confidence: bool = False) -> None:
        super().__init__()
        self.elicit_confidence = elicit_confidence
        self.single = Predict(signature_of(prompts, several=False, surely=elicit_confidence))
        self.several = Predict(signature_of(prompts, several=True, surely=elicit_confidence))

    def chosen(self, inputs: dict[str, Any]) -> tuple[Predict, dict[str, Any]]:
        """Return the predictor for the number of passages."""
        return self.single if len(inputs["passages"]) == 1 else self.several, inputs


class System(SingleCall):
    """Gives a system the question and its passages. The system has instructions of its own."""

    def __init__(self) -> None:
        super().__init__("system", AskSystem)


class SystemOfIndex(SingleCall):
    """Asks a system that finds passages itself."""

    def __init__(self) -> None:
        super().__init__("system", AskSystemOfIndex)


def respondent_prompts(sample: PromptSample) -> Iterator[Prompt]:
    """Yield a typical prompt with the published instructions."""
    several = len(sample.base.passages) > 1
    signature = signature_of(Prompts.PUBLISHED, several=several, surely=sample.elicit_confidence)
    yield signature, {"question": sample.base.question, "passages": numbered(p.text for p in sample.base.passages)}


@dataclass(frozen=True, slots=True)
class Response:
    """A respondent's text and stated confidence.

    `reasoning` is what was removed from the reply before it counts. If nothing is left that counts, `problem` says why.
    `refused_by_provider` is true if a provider's filter or the interface's own field for refusals took the place of an
    answer. `confidence` is None if no confidence was asked for or if it could not be read. `citations` and `retrieved`
    are ids of passages that a system names, or None if the system names no ids.
    """

    text: str
    confidence: Confidence | None = None
    citations: tuple[str, ...] | None = None
    retrieved: tuple[str, ...] | None = None
    reasoning: str = ""
    problem: str | None = None
    refused_by_provider: bool = False


def asked_messages(
    question: str, passages: Sequence[Passage], prompts: Prompts = Prompts.PUBLISHED
) -> list[dict[str, Any]]:
    """Return the messages for a respondent: instructions, then question and numbered passages."""
    signature = signature_of(prompts, several=len(passages) > 1, surely=False)
    return JsonAdapter().format(signature, [], {"question": question, "passages": numbered(p.text for p in passages)})


async def respond(
    program: Respondent | System, model: Model, question: str, passages: Sequence[Passage], language: str = ENGLISH
) -> Response:
    """Return a model's response to a question and its passages.

    The prompt numbers the passages but marks none as relevant.

    The prompt of a model names the language unless it is English. A system is not told the language.

    Raises:
        LaneError: no reply came, and the provider did not refuse.
    """
    asked = {"question": question, "passages": numbered(p.text for p in passages)}
    if isinstance(program, System):
        return await _asked(model, program, asked)
    response = await _asked(model, in_language(program, language), {**asked, **language_input(language)})
    if not program.elicit_confidence or response.refused_by_provider:
        return response
    stated = read_confidence(response.text)
    return replace(response, text=stated.text, confidence=stated.confidence)


async def respond_from_index(model: Model, question: str, item: str, base: str) -> Response:
    """Return the response of a system that searches its own index.

    `item` and `base` are the ids of the item and its base instance. The two ids decide which passages the system may
    use.

    Raises:
        LaneError: no reply came, and the provider did not refuse.
    """
    return await _asked(model, SystemOfIndex(), {"question": question, "item": item, "base": base})


async def _asked(model: Model, program: dspy.Module, inputs: Mapping[str, object]) -> Response:
    """Return the response to the inputs; a provider's refusal is a response too."""
    try:
        reply = await model.run(program, **inputs)
    except LaneError as exc:
        if exc.kind not in _OF_PROVIDER:
            raise
        return Response(exc.reply.text.strip() if exc.reply else "", refused_by_provider=True)
    sent = last_reply()
    if sent is None or isinstance(program, SingleCall):  # a system's reply is JSON
        sent = Reply(str(reply.response))
    parts = split_reply(sent.text, sent.reasoning or "")
    problem = parts.problem
    if problem is not None and sent.finish_reason == Finish.TOOL_CALLS:
        problem = CALLS_TOOL
    elif problem == REASONING_ALONE and sent.finish_reason == Finish.LENGTH:
        problem = ENDS_IN_REASONING
    return Response(
        parts.response,
        citations=reply.get("citations"),
        retrieved=reply.get("retrieved"),
        reasoning=parts.reasoning,
        problem=problem,
    )


_LEVEL: Final = r"(?P<level>(?:very|somewhat)?[\s_*-]*(?:confident|uncertain|certain))"
_LABEL: Final = r"(?:my\s+)?(?:level\s+of\s+)?confidence(?:\s+level)?[\s\W_]*(?:is\b[\s\W_]*)?"
_WHOLE_LINE: Final = re.compile(rf"[\W_]*(?:{_LABEL})?{_LEVEL}[\W_]*", re.IGNORECASE)
_END_OF_LINE: Final = re.compile(rf"[\s(\[*_`]*\b{_LABEL}{_LEVEL}[\W_]*$", re.IGNORECASE)
_LEVELS: Final = {level.replace("_", ""): level for level in Confidence} | {
    "VERYCERTAIN": Confidence.VERY_CONFIDENT,
    "CERTAIN": Confidence.CONFIDENT,
    "SOMEWHATCERTAIN": Confidence.SOMEWHAT_CONFIDENT,
    "SOMEWHATUNCERTAIN": Confidence.UNCERTAIN,
}


def read_confidence(said: str) -> Response:
    """Split a response into its text and the level of confidence on its last line.

    The level may be in capitals or in markup, and may have blanks instead of underscores. The label "confidence" may be
    missing before a level on its own line, but not before a level at the end of a longer line. If the response does not
    end with a level, or has no other text, return the response unchanged with the confidence None.
    """
    before, _, last = said.rstrip().rpartition("\n")
    found = _WHOLE_LINE.fullmatch(last) or _END_OF_LINE.search(last)
    if found is None:
        return Response(said)
    level = _LEVELS.get(re.sub(r"[^A-Z]", "", found["level"].upper()))
    text = f"{before}\n{last[: found.start()]}".strip()
    return Response(text, level) if level and text else Response(said)


# The review of accepted answers: whether a common word can serve as one.


class AnswerReviewer(SingleCall):
    """Asks why the accepted answers of a base instance cannot serve, if they cannot."""

    def __init__(self) -> None:
        super().__init__("review_answer", ReviewAnswer)


async def answer_doubt(program: AnswerReviewer, model: Model, base: BaseInstance) -> AnswerDoubt | None:
    """Return why the accepted answers cannot serve. If no reply can be read, or a recording has none, they can.

    Raises:
        LaneError: no reply came.
    """
    passages = numbered(passage.text for passage in base.passages)
    reply = await model.run_if_readable(program, question=base.question, answers=base.answers, passages=passages)
    return None if reply is None or reply.doubt is None else AnswerDoubt(reply.doubt)


# The closed-book probe: whether a model can answer a question without the passages.


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
