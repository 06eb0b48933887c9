"""The part `corpus` of a round's configuration: a file of questions, or documents from which models make questions."""

from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag, field_validator

from demur.corpora.corpus import CorpusReading, checked_format, read_corpus
from demur.corpora.corpus_rows import AnswersBy, OnBadRow
from demur.corpora.public_sets import OUR_FIELDS
from demur.levers.lever_models import Strict
from demur.text.language_detection import checked_language


def _is_none(value: object) -> bool:
    return value is None


class CorpusChoice(Strict):
    """A file of answerable questions."""

    path: Path
    format: Annotated[str, AfterValidator(checked_format)] = "demur"
    on_bad_row: OnBadRow = OnBadRow.FAIL
    answers: AnswersBy = Field(
        default=AnswersBy.STATED,
        description="stated: passages must state an accepted answer; proved: screeners may prove it",
        exclude_if=lambda answers: answers is AnswersBy.STATED,
    )
    map: dict[str, Annotated[str, Field(min_length=1)]] = Field(
        default_factory=dict, description="paths in the rows by our fields", exclude_if=lambda paths: not paths
    )
    domains: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default_factory=dict, description="number of base instances by domain; empty: any domain"
    )
    only: tuple[str, ...] = Field(default=(), description="ids of the questions to draw from; empty: all")
    language: Annotated[str, AfterValidator(checked_language)] | None = Field(
        default=None,
        description="language (code of ISO 639-1) of rows that declare none; default: detected",
        exclude_if=_is_none,
    )

    @field_validator("map")
    @classmethod
    def _of_our_fields(cls, paths: dict[str, str]) -> dict[str, str]:
        if others := [name for name in paths if name not in OUR_FIELDS]:
            raise ValueError(f"{', '.join(others)} is not one of our fields: {', '.join(OUR_FIELDS)}")
        return paths

    @property
    def name(self) -> str:
        """The file's name without folders."""
        return self.path.name

    def open(self, path: Path, *, on_bad_row: OnBadRow | None = None) -> CorpusReading:
        """Return the rows of the corpus at its path, read one at a time, as `read_corpus` does."""
        return read_corpus(
            path, self.format, on_bad_row=on_bad_row or self.on_bad_row, answers=self.answers, paths=self.map
        )


class Fresh(StrEnum):
    """Which passages a round may use: all, or only those that no earlier round used."""

    ALL = "all"
    SINCE_LAST_ROUND = "since_last_round"


class FreshBy(StrEnum):
    """What makes a passage fresh: no earlier round used the passage, or no earlier round used its document."""

    PASSAGE = "passage"
    DOCUMENT = "document"


class WhenShort(StrEnum):
    """What happens if fresh passages give too few base instances: a smaller round, or no round."""

    SMALLER_ROUND = "smaller_round"
    NO_ROUND = "no_round"


class Dates(StrEnum):
    """Where the date of a document is found."""

    TEXT = "text"
    FILE = "file"


class ReadingLimits(Strict):
    """Limits for reading one document. A document that exceeds a limit is left out, with the limit as reason."""

    megabytes: float = Field(default=20, gt=0, le=1000, description="largest file, in millions of bytes")
    characters: int = Field(default=2_000_000, ge=1000, description="longest text, in characters")
    seconds: float = Field(default=60, gt=0, le=3600, description="longest CPU time to read and split a document")
    memory_megabytes: int = Field(default=1500, ge=300, description="memory limit of the process that reads documents")


class DocumentsChoice(Strict):
    """The documents from which models make questions."""

    documents: Annotated[str, Field(min_length=1)] = Field(
        description="folder, file, or address for fsspec, such as s3://bucket/handbook"
    )
    questions: Path | None = Field(
        default=None,
        description="questions that people asked: a text with a question a line, or JSONL",
        exclude_if=_is_none,
    )
    include: tuple[str, ...] = Field(
        default=(), description="patterns of paths below the folder, such as *.md; empty: all documents"
    )
    exclude: tuple[str, ...] = Field(default=(), description="patterns of paths that are left out, such as drafts/*")
    dates: Dates = Field(
        default=Dates.TEXT, description="where the date of a document is found: in its text, or if not there, its file"
    )
    fresh: Fresh = Field(
        default=Fresh.ALL, description="all passages, or only those that no earlier round of this home used"
    )
    fresh_by: FreshBy = Field(
        default=FreshBy.PASSAGE, description="for since_last_round: the unit that must be new, passage or document"
    )
    when_short: WhenShort = Field(
        default=WhenShort.NO_ROUND, description="handling of too few base instances from fresh passages"
    )
    at_least: int = Field(default=1, ge=1, description="fewest base instances of a smaller round")
    neighbours: int = Field(
        default=0,
        ge=0,
        le=20,
        description="noise passages of each base instance, the nearest in the documents; 0: none",
    )
    limits: ReadingLimits = ReadingLimits()

    @property
    def name(self) -> str:
        """The name of the folder or file, without parent folders."""
        return PurePosixPath(self.documents.replace("\\", "/")).name or self.documents


def _kind(given: Any) -> str:
    """Return the discriminator tag of a corpus; `given` is a mapping from YAML, or a model of pydantic."""
    has_documents = "documents" in given if isinstance(given, dict) else isinstance(given, DocumentsChoice)
    return "[documents]" if has_documents else "[questions]"


Corpus = Annotated[
    Annotated[CorpusChoice, Tag("[questions]")] | Annotated[DocumentsChoice, Tag("[documents]")], Discriminator(_kind)
]
"""A file of questions (`path`) or documents (`documents`)."""
