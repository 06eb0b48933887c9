"""Documents that are archives of XML parts (DOCX and EPUB), and the pages of a book."""

import io
import zipfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import unquote

from lxml import etree

from demur.corpora.documents.blocks import Block, LeftOut, ReadText
from demur.corpora.documents.readers.html import page_blocks, parsed

# Documents that are archives of XML parts: DOCX and EPUB.


_OLE: Final = b"\xd0\xcf\x11\xe0"
_MOST_UNPACKED: Final = 100_000_000
"""The largest unpacked size of a document in bytes."""


class Package:
    """An archive of XML parts. Entities are not expanded, and no part refers to anything outside the archive."""

    def __init__(self, data: bytes) -> None:
        """Open an archive.

        Raises:
            LeftOut: the archive is encrypted, or unpacks to too many bytes.
        """
        if data.startswith(_OLE):
            raise LeftOut("encrypted", "is protected by a password, or of old Office. Save it anew without password")
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        parts = self._archive.infolist()
        unpacked = sum(part.file_size for part in parts)
        if unpacked > _MOST_UNPACKED:
            raise LeftOut(
                "too_large", f"unpacks to {unpacked:,} bytes; {_MOST_UNPACKED:,} are read. Split the document"
            )
        if any(part.flag_bits & 1 for part in parts):
            raise LeftOut("encrypted", "is protected by a password. Save it without one")

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all parts."""
        return frozenset(self._archive.namelist())

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a part; None if the archive has no such part."""
        return self._archive.read(name) if name in self.names else None

    def xml(self, name: str) -> Any:
        """Return the root of a part; None if the archive has no such part."""
        data = self.read(name)
        if data is None:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
        return etree.fromstring(data, parser)

    def related(self, part: str, kind: str) -> list[str]:
        """Return the names of the parts to which a part ("" for the whole archive) has a relationship of a kind."""
        folder = PurePosixPath(part).parent
        relations = self.xml(str(folder / "_rels" / f"{PurePosixPath(part).name}.rels"))
        if relations is None:
            return []
        found = []
        for relation in relations:
            if relation.get("Type", "").endswith(f"/{kind}") and relation.get("TargetMode") != "External":
                target = relation.get("Target", "")
                found.append(target.lstrip("/") if target.startswith("/") else resolved(folder, target))
        return found


def resolved(folder: PurePosixPath, target: str) -> str:
    """Return the name of a part that is named relative to a folder of its archive."""
    parts: list[str] = list(folder.parts)
    for part in PurePosixPath(target).parts:
        if part == "..":
            del parts[-1:]
        else:
            parts.append(part)
    return "/".join(parts)


def local(element: Any) -> str:
    """Return the name of an element without its namespace; empty for a processing instruction or an entity."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def child(element: Any, *path: str) -> Any:
    """Return the first descendant on a path of names without namespaces; None if there is none."""
    for name in path:
        element = next((below for below in element if local(below) == name), None)
        if element is None:
            return None
    return element


def value(element: Any, name: str = "val") -> str | None:
    """Return an attribute by its name without namespace; None if there is none."""
    for key, given in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(given)
    return None


def whole(given: str | None, otherwise: int, base: int = 10) -> int:
    """Return the number that an attribute gives; `otherwise` for a missing or damaged one."""
    try:
        return int(given or "", base)
    except ValueError:
        return otherwise


def is_on(element: Any) -> bool:
    """Return whether a switch of Office is on: it is there, and does not say that it is off."""
    return element is not None and value(element) not in ("0", "false", "off", "none")


# EPUB: the pages of a book in the order of its spine, without its navigation.


_CONTAINER = "META-INF/container.xml"


def read_epub(data: bytes) -> ReadText:
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
