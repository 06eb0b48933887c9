"""A row of a corpus in any format: a question with answers and passages, its id, and faults with remedies."""

import hashlib
import json
import reprlib
from dataclasses import dataclass, field
from enum import StrEnum

from demur.levers.instances import BaseInstance, Passage
from demur.levers.vocabulary import ENGLISH, Layout
from demur.text.stated import Difference

# A row of a corpus in any format: a question with accepted answers and passages, and its content id.


class Acceptance(StrEnum):
    """Why an accepted answer counts as an answer from the passages."""

    LETTERS = "letters"
    """A relevant passage has its letters."""
    SPELLING = "spelling"
    """A relevant passage has it in another spelling."""
    YES_NO = "yes_no"
    """It is a yes or a no, which passages do not quote."""
    REFERENCE = "reference"
    """A person wrote it from the passages, and the set says so."""
    PROVED = "proved"
    """All screeners answer the question rightly from the passages, each time."""


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """One passage; `relevant` is True for a signal passage and False for a noise passage."""

    text: str
    relevant: bool
    title: str | None = None


@dataclass(frozen=True, slots=True)
class ProofSpan:
    """A sentence that proves an answer.

    `passage` is the number of the passage with the sentence, from 0. `start` and `end` give the sentence's characters
    in this passage.
    """

    passage: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a question about documents comes from.

    `documents` and `passage_ids` are the ids of the documents and of the passages. `kind` is the kind of question.
    """

    documents: tuple[str, ...]
    passage_ids: tuple[str, ...]
    proof: tuple[ProofSpan, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One answerable question of a corpus, with its passages in corpus order.

    `source_id`, `domain` and `title` are the corpus's labels. These labels decide nothing, and no model sees them.
    `language` is the declared code of ISO 639-1, or None if the row declares no language. `asked_of` says where a
    question about documents comes from; None for a question of a file. `acceptance` says why the answers count; None
    for a question about documents. `differences` are those between an answer and the text.
    """

    source_id: str
    domain: str | None
    title: str | None
    question: str
    answers: tuple[str, ...]
    passages: tuple[CorpusPassage, ...]
    language: str | None = None
    asked_of: Provenance | None = None
    acceptance: Acceptance | None = field(default=None, compare=False)
    differences: frozenset[Difference] = field(default=frozenset(), compare=False)

    @property
    def base_id(self) -> str:
        """Return the id of the content: 32 hexadecimal digits of SHA-256 over question, answers and passages.

        Labels and language are left out, so that the same question has the same id in all files and rounds. The order
        of answers and passages counts, because models and rules see it.
        """
        content = [self.question, self.answers, [[passage.text, passage.relevant] for passage in self.passages]]
        canonical = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:32]

    @property
    def layout(self) -> Layout:
        """SINGLE for one passage, MULTI otherwise."""
        return Layout.SINGLE if len(self.passages) == 1 else Layout.MULTI

    def base_instance(self) -> BaseInstance:
        """Return the row without the corpus's labels, for programs."""
        return BaseInstance(
            question=self.question,
            answers=self.answers,
            passages=tuple(
                Passage(index=index, text=passage.text, relevant=passage.relevant)
                for index, passage in enumerate(self.passages)
            ),
            language=self.language or ENGLISH,
        )


# Faults of rows of a corpus, with remedies, and the choices of how rows are read.


LONGEST_SHOWN_VALUE = 80

_SHORT = reprlib.Repr()
_SHORT.maxstring = LONGEST_SHOWN_VALUE
_SHORT.maxlist = _SHORT.maxdict = 4
_SHORT.maxlevel = 3


class OnBadRow(StrEnum):
    """Handling of a faulty row: stop, or count the row and leave it out."""

    FAIL = "fail"
    SKIP = "skip"


class AnswersBy(StrEnum):
    """Proofs that a question is answerable: its passages state an answer, or screeners derive one."""

    STATED = "stated"
    PROVED = "proved"


class FaultReason(StrEnum):
    """Kinds of faulty rows. Reports use these names."""

    LINE_TOO_LONG = "line_too_long"
    NOT_UTF8 = "not_utf8"
    MALFORMED_JSON = "malformed_json"
    NOT_AN_OBJECT = "not_an_object"
    NUL_CHARACTER = "nul_character"
    LONE_SURROGATE = "lone_surrogate"
    BAD_ID = "bad_id"
    BAD_LABEL = "bad_label"
    BAD_LANGUAGE = "bad_language"
    BAD_QUESTION = "bad_question"
    BAD_ANSWERS = "bad_answers"
    BAD_CONTEXT = "bad_context"
    BAD_EXPECTED = "bad_expected"
    BAD_STRATUM = "bad_stratum"
    OTHER_LAYOUT = "other_layout"
    NO_RELEVANT_PASSAGE = "no_relevant_passage"
    ANSWER_NOT_IN_TEXT = "answer_not_in_text"
    DUPLICATE_ID = "duplicate_id"
    DUPLICATE_CONTENT = "duplicate_content"


class RowFault(Exception):
    """One fault of one row. The reader of the corpus adds file and line number to the message, or only counts the row.

    Args:
        reason: the kind of fault.
        field: the place in the row, such as `passages[3].text`; None for the line itself.
        problem: what was found, as a predicate of the field, such as `is missing`.
        allowed: the allowed values.
        remedy: the correction.
    """

    def __init__(self, reason: FaultReason, field: str | None, problem: str, allowed: str, remedy: str) -> None:
        self.reason = reason
        subject = f"{field} " if field else ""
        super().__init__(f"{subject}{problem}; allowed: {allowed}; remedy: {remedy}")


def shown(value: object) -> str:
    """Return a value as one printable line of at most 80 characters.

    Line breaks, control characters, direction marks and lone surrogates are escaped, so that a hostile text cannot
    disturb a terminal or a log.
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = _SHORT.repr(value)
    return text if len(text) <= LONGEST_SHOWN_VALUE else text[: LONGEST_SHOWN_VALUE - 3] + "..."
