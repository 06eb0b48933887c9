"""A row of a corpus, whatever its format: a question with accepted answers and passages, and its content id."""

import hashlib
import json
from dataclasses import dataclass

from demur.levers.instances import BaseInstance, Passage
from demur.levers.vocabulary import ENGLISH, Layout


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """One passage; `relevant` marks a signal passage, False a noise passage."""

    text: str
    relevant: bool
    title: str | None = None


@dataclass(frozen=True, slots=True)
class ProofSpan:
    """A sentence that proves an answer: the passage's place from 0, its characters, and its text."""

    passage: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a question was asked of: documents, the passages of its base instance, its proof, and its kind."""

    documents: tuple[str, ...]
    passage_ids: tuple[str, ...]
    proof: tuple[ProofSpan, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """One answerable question of a corpus, with its passages in corpus order.

    `source_id`, `domain` and `title` are the corpus's own labels; they decide nothing and no model sees them.
    `language` is the code of ISO 639-1 that the row declares, None where it declares none.
    `asked_of` says where a question of documents comes from; it is None for those of a file.
    """

    source_id: str
    domain: str | None
    title: str | None
    question: str
    answers: tuple[str, ...]
    passages: tuple[CorpusPassage, ...]
    language: str | None = None
    asked_of: Provenance | None = None

    @property
    def base_id(self) -> str:
        """Identify the content: 32 hexadecimal digits of SHA-256 over question, answers and passages.

        Labels (source_id, domain, titles) and the language are left out, so that the same question is found again in
        another file or round. The order of answers and of passages counts, because models and rules see it.
        """
        content = [self.question, self.answers, [[passage.text, passage.relevant] for passage in self.passages]]
        canonical = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:32]

    @property
    def layout(self) -> Layout:
        """SINGLE for one passage, MULTI otherwise."""
        return Layout.SINGLE if len(self.passages) == 1 else Layout.MULTI

    def base_instance(self) -> BaseInstance:
        """Return what programs are given: the content without the corpus's labels."""
        return BaseInstance(
            question=self.question,
            answers=self.answers,
            passages=tuple(
                Passage(index=index, text=passage.text, relevant=passage.relevant)
                for index, passage in enumerate(self.passages)
            ),
            language=self.language or ENGLISH,
        )
