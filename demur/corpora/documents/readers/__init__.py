"""Readers by file name. Each takes the bytes of a file and returns its blocks, or raises LeftOut."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, cast

from demur.corpora.documents.blocks import ReadText

Read = Callable[[bytes], ReadText]


@dataclass(frozen=True, slots=True)
class DocumentFormat:
    """A format: its media type, and the module and function of its reader. The first read imports the module."""

    media_type: str
    module: str
    function: str = "read"

    @property
    def read(self) -> Read:
        """The function that reads files of this format."""
        return cast("Read", getattr(import_module(f"{__name__}.{self.module}"), self.function))


TEXT: Final = DocumentFormat("text/plain", "plain")
MARKDOWN: Final = DocumentFormat("text/markdown", "markdown")
HTML: Final = DocumentFormat("text/html", "html")
PDF: Final = DocumentFormat("application/pdf", "pdf")
DOCX: Final = DocumentFormat("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx")
JSONL: Final = DocumentFormat("application/jsonl", "plain", "read_row")
"""A row of a JSONL file; each row is a document."""
FORMATS: Final = MappingProxyType(
    {
        ".txt": TEXT,
        ".text": TEXT,
        ".md": MARKDOWN,
        ".markdown": MARKDOWN,
        ".html": HTML,
        ".htm": HTML,
        ".xhtml": HTML,
        ".pdf": PDF,
        ".docx": DOCX,
        ".jsonl": JSONL,
        ".ndjson": JSONL,
    }
)
"""Formats by the ending of a file's name in small letters."""


def format_of(path: str) -> DocumentFormat | None:
    """Return the format of a file by its name; None if there is none."""
    return FORMATS.get(PurePosixPath(path).suffix.lower())
