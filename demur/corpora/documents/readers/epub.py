"""EPUB: the pages of a book in the order of its spine, without its navigation."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from demur.corpora.documents.blocks import Block, ReadText
from demur.corpora.documents.readers.html import page_blocks, parsed
from demur.corpora.documents.readers.package import Package, local, resolved

_CONTAINER = "META-INF/container.xml"


def read(data: bytes) -> ReadText:
    """Return the blocks of a book.

    Raises:
        LeftOut: the book is encrypted, or unpacks to too many bytes.
        ValueError: the archive is no book.
    """
    book = Package(data)
    container = book.xml(_CONTAINER)
    files = [] if container is None else [part for part in container.iter() if local(part) == "rootfile"]
    described_in = files[0].get("full-path", "") if files else ""
    described = book.xml(described_in)
    if described is None:
        raise ValueError(f"has no book that {_CONTAINER} names")
    given = {local(part): (part.text or "").strip() for part in reversed(list(described.iter())) if part.text}
    blocks = list(_blocks(book, PurePosixPath(described_in).parent, described))
    return ReadText(blocks, given.get("title"), given.get("date"))


def _blocks(book: Package, folder: PurePosixPath, described: Any) -> Iterator[Block]:
    items = {part.get("id"): part for part in described.iter() if local(part) == "item"}
    for reference in described.iter():
        item = items.get(reference.get("idref")) if local(reference) == "itemref" else None
        if item is None or reference.get("linear") == "no" or "nav" in (item.get("properties") or "").split():
            continue
        page = book.read(resolved(folder, unquote(item.get("href") or "")))
        if page is not None and page.strip():
            yield from page_blocks(parsed(page, "utf-8"))
