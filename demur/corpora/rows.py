"""A row of a corpus in any format: a question with accepted answers and passages, and its content id."""

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum

from demur.levers.instances import BaseInstance, Passage
from demur.levers.vocabulary import ENGLISH, Layout
from demur.text.stated import Difference


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
