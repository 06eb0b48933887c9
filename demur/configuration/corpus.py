"""Sources of a round's base instances: a file of questions, or documents from which models make questions."""

from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag

from demur.corpora.corpus import OnBadRow, checked_format
from demur.levers.models import Strict
from demur.text.language import checked_language


def _is_none(value: object) -> bool:
    return value is None


class CorpusChoice(Strict):
    """The answerable questions that a round draws from."""

    path: Path
    format: Annotated[str, AfterValidator(checked_format)]
    on_bad_row: OnBadRow = OnBadRow.FAIL
    domains: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default_factory=dict, description="base instances of each domain that the round works on; empty: of any domain"
    )
    only: tuple[str, ...] = Field(default=(), description="ids of the questions to draw from; empty: all")
    language: Annotated[str, AfterValidator(checked_language)] | None = Field(
        default=None,
        description="code of ISO 639-1 of the language of rows that declare none; left out, it is detected",
        exclude_if=_is_none,
    )

    @property
    def name(self) -> str:
        """The name of the file, without the folders of anybody's machine."""
        return self.path.name


class Fresh(StrEnum):
    """Passages about which a round asks."""

    ALL = "all"
    SINCE_LAST_ROUND = "since_last_round"


class FreshBy(StrEnum):
    """Units that no earlier round may have used: the passage, or its document."""

    PASSAGE = "passage"
    DOCUMENT = "document"


class WhenShort(StrEnum):
    """Handling of a round with too few base instances from fresh passages."""

    SMALLER_ROUND = "smaller_round"
    NO_ROUND = "no_round"


class ReadingLimits(Strict):
    """Limits for reading a single document; one beyond them is left out with that reason."""

    megabytes: float = Field(default=20, gt=0, le=1000, description="size of a file, in millions of bytes")
    characters: int = Field(default=2_000_000, ge=1000, description="length of the text that a reader finds")
    seconds: float = Field(default=60, gt=0, le=3600, description="time to read and split it")
    memory_megabytes: int = Field(default=1500, ge=300, description="memory of the process that reads")


class DocumentsChoice(Strict):
    """The documents from which models make a round's answerable questions."""

    documents: Annotated[str, Field(min_length=1)] = Field(
        description="a folder, one file, or an address that fsspec knows, as in s3://bucket/handbook"
    )
    fresh: Fresh = Field(description="all passages, or those alone that no earlier round of this home used")
    fresh_by: FreshBy = Field(
        default=FreshBy.PASSAGE, description="for since_last_round: whether a new passage of a known document counts"
    )
    when_short: WhenShort = Field(
        default=WhenShort.NO_ROUND, description="what happens if fresh passages give fewer base instances than `bases`"
    )
    at_least: int = Field(default=1, ge=1, description="fewest base instances of a smaller round")
    neighbours: int = Field(
        ge=0, le=20, description="noise passages of a base instance, the nearest of the same documents; 0: none"
    )
    limits: ReadingLimits = ReadingLimits()

    @property
    def name(self) -> str:
        """The name of folder or file, without the folders of anybody's machine."""
        return PurePosixPath(self.documents.replace("\\", "/")).name or self.documents


def _kind(given: Any) -> str:
    """Return which of the two a corpus is, written as a mapping or made already."""
    has_documents = "documents" in given if isinstance(given, dict) else isinstance(given, DocumentsChoice)
    return "[documents]" if has_documents else "[questions]"


Corpus = Annotated[
    Annotated[CorpusChoice, Tag("[questions]")] | Annotated[DocumentsChoice, Tag("[documents]")], Discriminator(_kind)
]
"""A file of questions (`path`) or documents (`documents`)."""
