"""What respondents and systems are asked, what is asked without passages, and what a key reader is asked."""

from collections.abc import Iterable
from functools import cache
from typing import Final

import dspy

from demur.levers.instances import Frozen
from demur.levers.taxonomy import load_taxonomy
from demur.levers.vocabulary import AnswerDoubt, Code, Confidence
from demur.programs.options import Prompts
from demur.programs.signatures.taxonomy_text import ORDER

# What a respondent is asked, with each set of prompts: to answer from passages, or to refuse.


class NumberedPassage(Frozen):
    """A passage as a respondent sees it: its number from 1 and its text, not whether it is relevant."""

    number: int
    text: str


def numbered(texts: Iterable[str]) -> tuple[NumberedPassage, ...]:
    """Return the texts as passages with numbers from 1."""
    return tuple(NumberedPassage(number=number, text=text) for number, text in enumerate(texts, start=1))


class AnswerFromPassage(dspy.Signature):  # type: ignore[misc]
    """Answer a question from a passage, or refuse.

    Use what the passage says and nothing else: no knowledge of your own. Be exact, and keep in sight what the passage
    does not tell. Give an answer exactly where the passage, taken by itself, carries one that is faithful and leaves
    nothing out. Reasoning, common sense and simple arithmetic are welcome as long as they start from what it says.
    """

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passage")
    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="the answer, or exactly one refusal code.")


class AnswerFromPassages(dspy.Signature):  # type: ignore[misc]
    """Answer a question from search results, or refuse.

    Use what the search results say and nothing else: no knowledge of your own. Be exact, and keep in sight what they do
    not tell. First examine the question and every passage for flaws of language that would make a reliable answer
    impossible; do not pass over or filter out a wording that is a problem. Give an answer exactly where the search
    results, taken by themselves, carry one that is faithful and leaves nothing out, and put the numbers of the passages
    that support it into the text where they do, in square brackets, like [2] or [1][4]. Reasoning, common sense and
    simple arithmetic are welcome as long as they start from what the search results say.
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


class AnswerPlainly(dspy.Signature):  # type: ignore[misc]
    """Answer the user's question from these passages. If they do not let you, say so and say why."""

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages, numbered from 1")
    question: str = dspy.InputField(desc="the user's question")

    response: str = dspy.OutputField(desc="what you say to the user.")


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
        Prompts.PUBLISHED: "Where one of these reasons keeps you from such an answer, reply with its refusal code and "
        "not one word more.",
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
    _with_codes = _codes(Prompts.PUBLISHED, several=_signature is AnswerFromPassages)
    _signature.instructions = f"{_signature.instructions}\n\n{_with_codes}"
    _surely.instructions = f"{_signature.instructions}\n\n{_stating()}"


@cache
def signature_of(prompts: Prompts, *, several: bool, surely: bool) -> type[dspy.Signature]:
    """Return what a respondent is asked, with the prompts of this set."""
    if prompts is Prompts.PLAIN:
        return AnswerPlainly
    plain = AnswerFromPassages if several else AnswerFromPassage
    asked = (AnswerFromPassagesSurely if several else AnswerFromPassageSurely) if surely else plain
    if prompts is Prompts.PUBLISHED:
        return asked
    parts = [_OURS[plain], _codes(prompts, several=several), *([_stating()] if surely else [])]
    ours: type[dspy.Signature] = asked.with_instructions("\n\n".join(parts))
    return ours


# What a system is asked: a question with passages. It has instructions of its own, and is told nothing else.


class AskSystem(dspy.Signature):  # type: ignore[misc]
    """Answer a question from passages."""

    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages, numbered from 1")
    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="what the system says")
    citations: tuple[str, ...] | None = dspy.OutputField(desc="ids that the answer cites, null where none are given")
    retrieved: tuple[str, ...] | None = dspy.OutputField(desc="ids that the answer was made from, null likewise")


class AskSystemOfIndex(dspy.Signature):  # type: ignore[misc]
    """Answer a question from the passages of an index that its item may see."""

    item: str = dspy.InputField(desc="id of the item, whose own passages are seen")
    base: str = dspy.InputField(desc="id of its base instance; originals that give it away are not seen")
    question: str = dspy.InputField(desc="the question asked of the index")

    response: str = dspy.OutputField(desc="what the system says")
    citations: tuple[str, ...] | None = dspy.OutputField(desc="ids that the answer cites, null where none are given")
    retrieved: tuple[str, ...] | None = dspy.OutputField(desc="ids that the answer was made from, null likewise")


# What a model is asked to find out what it knows: a question without any passage.


class AnswerFromMemory(dspy.Signature):  # type: ignore[misc]
    """Answer a question from memory.

    There is nothing to read: say what you know. Give the answer alone, as short as it can be, and one answer only. If
    you do not know it, say that you do not know; a guess is worth nothing.
    """

    question: str = dspy.InputField(desc="the question")

    response: str = dspy.OutputField(desc="the answer in a few words, or that you do not know.")


# What a screener is asked about accepted answers that are common words.


class ReviewAnswer(dspy.Signature):  # type: ignore[misc]
    """Decide whether an accepted answer can serve in test cases that are made by changing question or passages.

    It is a common word. Decide by the passages what it stands for there. It cannot serve for one of two reasons:
    - points elsewhere: it is a pronoun or a word like one, such as "they" or "the court", and what it points to has a
      name of its own with which one would answer the question. This does not hold where the word is the plain name of
      the thing, as in "Which organ pumps blood?", "the heart", nor of a number, a yes or a no.
    - stands in two roles: the same word stands in the passages for another thing as well, so that nobody could take the
      answer out of them or set a rival against it without touching that other thing. This does not hold where all
      occurrences mean the same thing.
    """

    question: str = dspy.InputField(desc="the question")
    answers: tuple[str, ...] = dspy.InputField(desc="its accepted answers")
    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages")

    analysis: str = dspy.OutputField(desc="one or two sentences: what the word stands for, and where it stands")
    doubt: AnswerDoubt | None = dspy.OutputField(desc="the reason for which it cannot serve; null if it can")


# What a key reader is asked: what the instructions of respondents demand, without knowing the key.


class ReadKey(dspy.Signature):  # type: ignore[misc]
    """Say what somebody who follows these instructions to the letter replies to a question.

    You see what respondents are told, and one question with its passages. Nobody tells you whether the question can be
    answered. Go by the words of the instructions alone, also where you would draw a line in another place: what do they
    demand, and which other replies could be defended by their words? A reply that is merely possible is not defended;
    one is, where two careful readers of the instructions could differ.
    """

    respondent_instructions: str = dspy.InputField(desc="what respondents are told, in full")
    passages: tuple[NumberedPassage, ...] = dspy.InputField(desc="the passages")
    question: str = dspy.InputField(desc="the question")

    analysis: str = dspy.OutputField(
        desc="one to three sentences: which words of the instructions apply, and to what in question and passages"
    )
    demanded: Code = dspy.OutputField(desc="what the instructions demand: to answer, or a refusal code")
    also_defensible: tuple[Code, ...] = dspy.OutputField(
        desc="every other reply that their words would justify as well; empty if there is none"
    )


"""The tasks of this module."""

TASKS: Final = (
    AnswerFromPassage,
    AnswerFromPassages,
    AnswerFromPassageSurely,
    AnswerFromPassagesSurely,
    AnswerPlainly,
    AskSystem,
    AskSystemOfIndex,
    AnswerFromMemory,
    ReviewAnswer,
    ReadKey,
)
