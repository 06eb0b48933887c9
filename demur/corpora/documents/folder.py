"""Documents of a folder as a round reads them: found, freed of what most of them repeat, and split into passages."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from demur.corpora.documents.blocks import IN_PART, LeftOut
from demur.corpora.documents.found import Choice, Found, find_documents
from demur.corpora.documents.process import DocumentReader, document_reader
from demur.corpora.documents.readers import HTML, MARKDOWN, MDX, format_of
from demur.corpora.documents.reading import FEWEST_DOCUMENTS, repeated_names

_READ_TWICE: Final = (HTML, MARKDOWN, MDX)
"""Formats of sites, whose pages repeat menus and footers, and which are read in milliseconds."""


@dataclass(frozen=True, slots=True)
class FolderReading:
    """How documents are read: which of them, and with which limits on one document.

    Attributes:
        documents: a folder, one file, or an address for fsspec.
        choice: patterns of the paths that are read.
        most_bytes: the size of the largest file or row.
        characters: the length of the longest text.
        seconds: the longest CPU time.
        memory_megabytes: the memory of the process that reads.
    """

    documents: str
    choice: Choice
    most_bytes: int
    characters: int
    seconds: float
    memory_megabytes: int

    def find(self) -> list[Found]:
        """Return the documents in their order, also those that are left out.

        Raises:
            CorpusError: the place is missing, has no file, or cannot be listed.
        """
        return list(find_documents(self.documents, self.most_bytes, self.choice))


@dataclass(slots=True)
class Figures:
    """Numbers of documents and passages that were read, and of documents left out for each reason."""

    read: int = 0
    passages: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, rows: dict[str, Any]) -> None:
        """Count a document."""
        if "reason" in rows:
            self.reasons[rows["reason"]] += 1
        else:
            self.read += 1
            self.passages += len(rows["passages"])
            if rows["detail"] is not None:
                self.reasons[IN_PART] += 1

    def __str__(self) -> str:
        left_out = ", ".join(f"{number:,} {reason}" for reason, number in self.reasons.most_common())
        return (
            f"{self.read:,} document{'s' * (self.read != 1)} read, {self.passages:,} "
            f"passage{'s' * (self.passages != 1)}; "
            f"left out: {left_out or 'none'}"
        )


async def repeated_in(reading: FolderReading, found: Sequence[Found]) -> list[list[str]]:
    """Return for each document the names of the blocks at its ends that most documents of its format have."""
    by_format: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(found):
        if one.reason is None and (chosen := format_of(one.path)) is not None and chosen in _READ_TWICE:
            by_format[chosen.media_type].append(place)
    repeated: list[list[str]] = [[] for _ in found]
    several = [places for places in by_format.values() if len(places) >= FEWEST_DOCUMENTS]
    if several:
        async with document_reader(reading.seconds, reading.memory_megabytes) as reader:
            for places in several:
                names = [await _names(reader, reading, found[place]) for place in places]
                for place, own in zip(places, repeated_names(names), strict=True):
                    repeated[place] = own
    return repeated


async def _names(reader: DocumentReader, reading: FolderReading, found: Found) -> Sequence[str]:
    try:
        return list((await reader.read(_request(reading, found, None)))["names"])
    except LeftOut:
        return ()


def _request(reading: FolderReading, found: Found, repeated: Sequence[str] | None) -> dict[str, Any]:
    named = {name: getattr(found, name) for name in ("address", "path", "digest", "offset", "length")}
    return {**named, "characters": reading.characters, "repeated": repeated}


async def read_all(reading: FolderReading) -> AsyncIterator[tuple[Found, dict[str, Any]]]:
    """Yield each document with its rows, or with `reason` and `detail` if it is left out."""
    found = reading.find()
    repeated = await repeated_in(reading, found)
    async with document_reader(reading.seconds, reading.memory_megabytes) as reader:
        for one, own in zip(found, repeated, strict=True):
            if one.reason is not None:
                yield one, {"reason": one.reason, "detail": one.detail}
                continue
            try:
                yield one, await reader.read(_request(reading, one, own))
            except LeftOut as exc:
                yield one, {"reason": exc.reason, "detail": str(exc)}


async def figures_of(reading: FolderReading) -> Figures:
    """Return the numbers of documents and passages, without keeping their texts."""
    figures = Figures()
    async for _, rows in read_all(reading):
        figures.add(rows)
    return figures
