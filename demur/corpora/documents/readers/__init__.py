"""Readers by file name. Each takes the bytes of a file and returns its blocks, or raises LeftOut."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, cast

from demur.corpora.documents.blocks import ReadText

Read = Callable[[bytes], ReadText]
CONVERTER: Final = "kreuzberg"
"""The library of formats that demur does not read itself."""


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A format: its media type, and the module and function of its reader. The first read imports the module.

    A format of which demur has no reader is `converted` by a library of the extra `formats`.
    """

    media_type: str
    module: str
    function: str = "read"
    converted: bool = False

    @property
    def read(self) -> Read:
        """The function that reads files of this format."""
        named = getattr(import_module(f"{__name__}.{self.module}"), self.function)
        return cast("Read", named(self.media_type) if self.converted else named)

    @property
    def installed(self) -> bool:
        """Whether the library that reads files of this format is installed."""
        return not self.converted or find_spec(CONVERTER) is not None


def _converted(media_type: str) -> DocumentFormat:
    return DocumentFormat(media_type, "converted", "converts", converted=True)


TEXT: Final = DocumentFormat("text/plain", "plain")
MARKDOWN: Final = DocumentFormat("text/markdown", "markdown")
MDX: Final = DocumentFormat("text/mdx", "markdown", "read_mdx")
HTML: Final = DocumentFormat("text/html", "html")
PDF: Final = DocumentFormat("application/pdf", "pdf")
DOCX: Final = DocumentFormat("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx")
EPUB: Final = DocumentFormat("application/epub+zip", "archives", "read_epub")
CSV: Final = DocumentFormat("text/csv", "plain", "read_table")
JSONL: Final = DocumentFormat("application/jsonl", "plain", "read_row")
"""A row of a JSONL file; each row is a document."""
FORMATS: Final = MappingProxyType(
    {
        ".txt": TEXT,
        ".text": TEXT,
        ".md": MARKDOWN,
        ".markdown": MARKDOWN,
        ".mdx": MDX,
        ".html": HTML,
        ".htm": HTML,
        ".xhtml": HTML,
        ".pdf": PDF,
        ".docx": DOCX,
        ".epub": EPUB,
        ".csv": CSV,
        ".tsv": CSV,
        ".jsonl": JSONL,
        ".ndjson": JSONL,
        ".pptx": _converted("application/vnd.openxmlformats-officedocument.presentationml.presentation"),
        ".odt": _converted("application/vnd.oasis.opendocument.text"),
        ".rst": _converted("text/x-rst"),
        ".xlsx": _converted("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ".ods": _converted("application/vnd.oasis.opendocument.spreadsheet"),
        ".rtf": _converted("application/rtf"),
    }
)
"""Formats by the ending of a file's name in small letters."""


def format_of(path: str) -> DocumentFormat | None:
    """Return the format of a file by its name; None if there is none."""
    return FORMATS.get(PurePosixPath(path).suffix.lower())
