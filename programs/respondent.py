"""The respondent: the model under evaluation, which answers from passages or refuses with one code."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

import dspy

from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import Confidence
from demur.programs.explained import ORDER
from demur.programs.instances import Frozen, Passage
from demur.programs.lanes.factory import Model
from demur.programs.predict import Predict


class Prompts(StrEnum):
    """The two sets of prompts for respondents: what the published ones tell and no more, or ours."""

    PUBLISHED = "published"
    OURS = "ours"


class NumberedPassage(Frozen):
    """A passage as a respondent sees it: its number from 1 and its text, not whether it is relevant."""

    number: int
    text: str


class AnswerFromPassage(dspy.Signature):  # type: ignore[misc]
    """Answer a question from a passage, or refuse.

    Use what the passage says and nothing else: no knowledge of your own. Be exact, and keep in sight what the passage
    does not tell. Answer if, and only if, a complete and faithful answer can be derived from the passage alone.
    Reasoning, common sense and simple arithmetic are welcome as long as they start from what it says.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passage")
    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="the answer, or exactly one refusal code.")


class AnswerFromPassages(dspy.Signature):  # type: ignore[misc]
    """Answer a question from search results, or refuse.

    Use what the search results say and nothing else: no knowledge of your own. Be exact, and keep in sight what they do
    not tell. First examine the question and every passage for flaws of language that would make a reliable answer
    impossible; do not pass over or filter out a wording that is a problem. Answer if, and only if, a complete and
    faithful answer can be derived from the search results alone, and put the numbers of the passages that support it
    into the text where they do, in square brackets, like [2] or [1][4]. Reasoning, common sense and simple arithmetic
    are welcome as long as they start from what the search results say.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the search results, numbered from 1")
    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="the answer with its citations, or exactly one refusal code.")


class AnswerFromPassageSurely(AnswerFromPassage):
    """Answer a question from a passage, or refuse, and say how sure of it you are."""

    response: str = dspy.OutputField(desc="the answer, or exactly one refusal code; then the line on confidence.")


class AnswerFromPassagesSurely(AnswerFromPassages):
    """Answer a question from search results, or refuse, and say how sure of it you are."""

    response: str = dspy.OutputField(
        desc="the answer with its citations, or exactly one refusal code; then the line on confidence."
    )


_OURS: Final = {
    AnswerFromPassage: """Answer a question from a passage, or refuse.

Use the passage and nothing else: no knowledge of your own. Reasoning, common sense and simple arithmetic are welcome as
long as they start from what the passage says. A flaw that does not touch what is asked is no reason to refuse. If the
passage supports an answer, give it, short and exact.""",
    AnswerFromPassages: """Answer a question from search results, or refuse.

Use the passages and nothing else: no knowledge of your own. Some of them do not bear on the question. First look for
defects in the question and in every passage that bears on it; do not pass over one because another passage would be
easier to use. Reasoning, common sense and simple arithmetic are welcome as long as they start from what the passages
say. A flaw that does not touch what is asked is no reason to refuse. If the passages support an answer, give it in one
or two sentences and put the numbers of the passages that carry it behind each claim, in square brackets, like [2] or
[1][4].""",
}
"""How our prompts begin, which tell more of what the classes of defect are than the published ones do."""


def _codes(prompts: Prompts, *, several: bool) -> str:
    """The part of a prompt that lists the refusal codes; only ours says where one ends and the next begins."""
    lines = []
    for entry in load_taxonomy().codes:
        words = entry.several if several and entry.several and prompts is Prompts.PUBLISHED else entry.when
        line = f" {entry.line}" if prompts is Prompts.OURS else ""
        example = f" ({entry.example})" if entry.example else ""
        lines.append(f"- {entry.code}: {words}{line}{example}")
    opening = {
        Prompts.PUBLISHED: "If a direct and faithful answer is not possible for one of these reasons, reply with its "
        "refusal code and not one word more.",
        Prompts.OURS: "Refuse where the passages do not support an answer. Then reply with one refusal code and not "
        "one word more.",
    }[prompts]
    return f"{opening}\nThe codes:\n" + "\n".join(lines) + f"\n{ORDER}"


CHANCES: Final = {
    Confidence.VERY_CONFIDENT: "90 to 100",
    Confidence.CONFIDENT: "70 to 90",
    Confidence.SOMEWHAT_CONFIDENT: "50 to 70",
    Confidence.UNCERTAIN: "30 to 50",
    Confidence.VERY_UNCERTAIN: "0 to 30",
}
"""In how many of 100 cases who states a level expects to be right."""


def _stating() -> str:
    levels = "\n".join(f"- {level}: right in {chance} of 100 such cases" for level, chance in CHANCES.items())
    return (
        "End with one more line, `Confidence: ` and one of these levels: how likely it is that your answer is right, "
        f"or your refusal called for and its code the right one.\n{levels}"
    )


for _signature, _surely in (
    (AnswerFromPassage, AnswerFromPassageSurely),
    (AnswerFromPassages, AnswerFromPassagesSurely),
):
    _codes_told = _codes(Prompts.PUBLISHED, several=_signature is AnswerFromPassages)
    _signature.instructions = f"{_signature.instructions}\n\n{_codes_told}"
    _surely.instructions = f"{_signature.instructions}\n\n{_stating()}"


@cache
def signature_of(prompts: Prompts, *, several: bool, surely: bool) -> type[dspy.Signature]:
    """Return what a respondent is asked, with the prompts of this set."""
    plain = AnswerFromPassages if several else AnswerFromPassage
    asked = (AnswerFromPassagesSurely if several else AnswerFromPassageSurely) if surely else plain
    if prompts is Prompts.PUBLISHED:
        return asked
    parts = [_OURS[plain], _codes(prompts, several=several), *([_stating()] if surely else [])]
    ours: type[dspy.Signature] = asked.with_instructions("\n\n".join(parts))
    return ours


class Respondent(dspy.Module):  # type: ignore[misc]
    """Asks for a response, with the prompt for one passage or for several, and for confidence where it is wanted."""

    def __init__(self, prompts: Prompts = Prompts.PUBLISHED, elicit_confidence: bool = False) -> None:
        super().__init__()
        self.elicit_confidence = elicit_confidence
        self.single = Predict(signature_of(prompts, several=False, surely=elicit_confidence))
        self.several = Predict(signature_of(prompts, several=True, surely=elicit_confidence))

    async def aforward(self, *, question: str, passages: tuple[NumberedPassage, ...]) -> dspy.Prediction:
        """Return `response`."""
        predict = self.single if len(passages) == 1 else self.several
        return await predict.acall(question=question, passages=passages)

    def forward(self, *, question: str, passages: tuple[NumberedPassage, ...]) -> dspy.Prediction:
        """Return the same for DSPy's synchronous callers."""
        predict = self.single if len(passages) == 1 else self.several
        return predict(question=question, passages=passages)


@dataclass(frozen=True, slots=True)
class Response:
    """What a respondent says, and how sure it says it is: None where that was not asked or cannot be read."""

    text: str
    confidence: Confidence | None = None


async def respond(program: Respondent, model: Model, question: str, passages: Sequence[Passage]) -> Response:
    """Return what `model` says to a question and its passages, which it sees by number, relevant or not.

    Raises:
        ReplyError, LaneError: as `Model.run`.
    """
    numbered = tuple(NumberedPassage(number=number, text=p.text) for number, p in enumerate(passages, start=1))
    reply = await model.run(program, question=question, passages=numbered)
    said = str(reply.response)
    return read_confidence(said) if program.elicit_confidence else Response(said)


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
    """Return a response without the line that states its confidence, and the level that the line states.

    Capitals, markup, blanks for underscores and a missing label do not matter, nor that the line is none of its own.
    Where the response does not end with a level, or is nothing else, it stays as it is and its confidence is None.
    """
    before, _, last = said.rstrip().rpartition("\n")
    found = _WHOLE_LINE.fullmatch(last) or _END_OF_LINE.search(last)
    if found is None:
        return Response(said)
    level = _LEVELS.get(re.sub(r"[^A-Z]", "", found["level"].upper()))
    text = f"{before}\n{last[: found.start()]}".strip()
    return Response(text, level) if level and text else Response(said)
