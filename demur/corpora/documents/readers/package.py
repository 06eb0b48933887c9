"""Documents that are archives of XML parts: DOCX and EPUB."""

import io
import zipfile
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Final

from lxml import etree

from demur.corpora.documents.blocks import LeftOut

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
