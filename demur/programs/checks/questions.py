"""Code checks of generated questions, made before the questions are proved.

Proof and answer are compared as Unicode text. Lengths are in words. In scripts without spaces, lengths are in
characters. In English only, answers are also found in other spellings. What a question means, and whether it can be
understood alone, is for the prover to judge.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from demur.levers.instances import AskedQuestion
from demur.levers.vocabulary import ENGLISH, QuestionKind
from demur.programs.checks.changes import Evidence
from demur.text.answers import MentionKind, find_answers
from demur.text.language_detection import UNSURE, detect
from demur.text.stated import find_verbatim, is_abbreviation, is_other_word, is_unspaced, same_words, stands_in

SHORTEST_QUESTION: Final = 3
LONGEST_QUESTION: Final = 40
LONGEST_ANSWER: Final = 15
"""Words of an answer; in scripts without spaces, `CHARACTERS_PER_WORD` characters count as a word."""
CHARACTERS_PER_WORD: Final = 3
MOST_QUESTION_MARKS: Final = 1
SURE_OF_LANGUAGE: Final = 0.95
"""The confidence from which a question counts as written in another language than its text."""
_MARKS: Final = re.compile(r"[?？؟]")


class QuestionCheck(StrEnum):
    """The checks of a question, in their order."""

    QUESTION_LENGTH = "question_length"
    ANSWER_LENGTH = "answer_length"
    PROOF_IN_PASSAGE = "proof_in_passage"
    PROOF_OF_EACH = "proof_of_each_passage"
    ANSWER_IN_PROOF = "answer_in_proof"
    ANSWER_NOT_GIVEN_AWAY = "answer_not_given_away"
    LANGUAGE = "language"


@dataclass(frozen=True, slots=True)
class QuestionFault:
    """A failed check of a question, with the reason in one line."""

    check: QuestionCheck
    evidence: str


@dataclass(frozen=True, slots=True)
class CheckedQuestion:
    """A question with its accepted answers, the places of its proof, and its faults.

    Answers that the proof contains come first. A place has the index of a passage and character positions in the
    passage.
    """

    asked: AskedQuestion
    answers: tuple[str, ...]
    proof: tuple[Evidence, ...]
    faults: tuple[QuestionFault, ...]


def check_question(asked: AskedQuestion, passages: Sequence[str], language: str | None) -> CheckedQuestion:
    """Return the results of all checks of a question. `language` is a code of ISO 639-1, None if unknown."""
    proof = tuple(_places(asked.proof, passages))
    answers = _ordered(asked, language)
    faults = (
        *_length_faults(asked, answers),
        *_proof_faults(asked, proof, passages, language),
        *_wording_faults(asked, language),
    )
    return CheckedQuestion(asked, answers, proof, faults)


def _places(proof: Sequence[str], passages: Sequence[str]) -> Iterator[Evidence]:
    for sentence in proof:
        for index, text in enumerate(passages):
            span = find_verbatim(sentence, text)
            if span is not None:
                yield Evidence(index, span.start, span.end, span.of(text))
                break


def _ordered(asked: AskedQuestion, language: str | None) -> tuple[str, ...]:
    """Return the distinct accepted answers. Answers that the proof contains come first."""
    distinct: list[str] = []
    for answer in (answer.strip() for answer in asked.answers):
        if answer and not any(same_words(answer, other) for other in distinct):
            distinct.append(answer)
    said = " ".join(asked.proof)
    return tuple(sorted(distinct, key=lambda answer: not gives_answer(said, (answer,), language)))


def gives_answer(text: str, answers: Sequence[str], language: str | None) -> bool:
    """Return whether a text contains one of the answers. In English, other spellings are found too."""
    if any(stands_in(answer, text) for answer in answers):
        return True
    if language not in (ENGLISH, None):
        return False
    for mention in find_answers(text, tuple(answers)):
        # 'us' in a text is not the abbreviation 'US'
        is_homograph = is_abbreviation(mention.answer) and is_other_word(mention.text)
        if mention.kind is not MentionKind.PARTIAL and not is_homograph:
            return True
    return False


def _length_faults(asked: AskedQuestion, answers: Sequence[str]) -> Iterator[QuestionFault]:
    length = _length(asked.question)
    if not SHORTEST_QUESTION <= length <= LONGEST_QUESTION:
        said = f"the question has {length} words; {SHORTEST_QUESTION} to {LONGEST_QUESTION} are allowed"
        yield QuestionFault(QuestionCheck.QUESTION_LENGTH, said)
    if len(_MARKS.findall(asked.question)) > MOST_QUESTION_MARKS:
        yield QuestionFault(QuestionCheck.QUESTION_LENGTH, "it asks more than one question")
    if not answers:
        yield QuestionFault(QuestionCheck.ANSWER_LENGTH, "there is no answer")
    for answer in answers:
        length = _length(answer)
        if length > LONGEST_ANSWER:
            said = f"'{answer}' has {length} words; a short answer has {LONGEST_ANSWER} at most"
            yield QuestionFault(QuestionCheck.ANSWER_LENGTH, said)


def _length(text: str) -> int:
    if not is_unspaced(text):
        return len(text.split())
    characters = sum(character.isalnum() for character in text)
    return math.ceil(characters / CHARACTERS_PER_WORD)


def _proof_faults(
    asked: AskedQuestion, proof: Sequence[Evidence], passages: Sequence[str], language: str | None
) -> Iterator[QuestionFault]:
    if not asked.proof:
        yield QuestionFault(QuestionCheck.PROOF_IN_PASSAGE, "no sentence is named that proves the answer")
        return
    for sentence in asked.proof:
        if not any(find_verbatim(sentence, text) for text in passages):
            said = f"'{sentence}' does not stand in the text word for word"
            yield QuestionFault(QuestionCheck.PROOF_IN_PASSAGE, said)
    proving = {one.passage for one in proof}
    lacking = [number for number in range(len(passages)) if number not in proving]
    if lacking:
        said = f"passage {lacking[0] + 1} has no sentence in the proof, so that it may not be needed"
        yield QuestionFault(QuestionCheck.PROOF_OF_EACH, said)
    if asked.kind is not QuestionKind.YES_NO and not gives_answer(" ".join(asked.proof), asked.answers, language):
        said = f"none of the answers ({', '.join(asked.answers)}) stands in the sentences that prove it"
        yield QuestionFault(QuestionCheck.ANSWER_IN_PROOF, said)


def _wording_faults(asked: AskedQuestion, language: str | None) -> Iterator[QuestionFault]:
    question = asked.question
    chooses = asked.kind in (QuestionKind.WHICH_OF, QuestionKind.YES_NO)
    if not chooses and gives_answer(question, asked.answers, language):
        said = "the question holds its answer, and is none that offers a choice (kind 'which of')"
        yield QuestionFault(QuestionCheck.ANSWER_NOT_GIVEN_AWAY, said)
    written = detect(question) if language is not None else UNSURE
    if written.code not in (None, language) and written.confidence >= SURE_OF_LANGUAGE:
        yield QuestionFault(
            QuestionCheck.LANGUAGE, f"the text is in language '{language}', the question '{written.code}'"
        )
