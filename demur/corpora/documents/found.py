"""The documents of a folder, a file or an address, with the digest of each."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from stat import S_ISDIR, S_ISREG
from typing import Any, Final

from demur.corpora.documents.readers import CONVERTER, JSONL, format_of
from demur.errors import CorpusError

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_CHUNK: Final = 1 << 20
_MODIFIED: Final = ("mtime", "LastModified", "created", "date_time")
"""What stores and archives call the time at which a file was written."""
_OUTSIDE: Final = "outside"
"""The reason of links that lead out of the folder: a folder from elsewhere could show any file of this machine."""


@dataclass(frozen=True, slots=True)
class Found:
    """A document; `digest` is the hash of its content.

    `reason` and `detail` say why the document is left out; both are None if a reader is to read the document. For a row
    of a JSONL file, `row` is the row's number from 1, and `offset` and `length` are its first byte and number of bytes.
    """

    path: str
    address: str
    digest: str | None = None
    bytes: int | None = None
    row: int | None = None
    offset: int = 0
    length: int | None = None
    reason: str | None = None
    detail: str | None = None
    modified: str | None = None

    @property
    def document_id(self) -> str:
        """The hash of path, row and content."""
        named = f"{self.path}\0{self.row}\0{self.digest}"
        return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def is_address(documents: str) -> bool:
    """Return whether a text is an address, not a folder of this machine."""
    return _ADDRESS.match(documents) is not None


@dataclass(frozen=True, slots=True)
class Choice:
    """Patterns of paths, as shells know them; a star also stands for slashes.

    A pattern without a slash is compared with the last name of a path too. Without patterns in `include`, all
    documents are chosen.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Return whether a document is chosen by its path below the folder."""
        return (not self.include or _matches(path, self.include)) and not _matches(path, self.exclude)


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    name = PurePosixPath(path).name
    return any(fnmatchcase(path, one) or ("/" not in one and fnmatchcase(name, one)) for one in patterns)


def find_documents(documents: str, most_bytes: int, choice: Choice = Choice()) -> Iterator[Found]:
    """Yield all documents below a folder or address, in the order of their paths.

    Each row of a JSONL file is a document. Names that begin with a dot are left out. A document with the same content
    as an earlier document is yielded with the reason `duplicate`.

    Args:
        documents: a folder, one file, or an address for fsspec.
        most_bytes: the size of the largest file or row that is read.
        choice: patterns of the paths that are yielded.

    Raises:
        CorpusError: the place is missing, has no file, or cannot be listed.
    """
    seen: dict[tuple[bytes, str], str] = {}
    for found in _found(documents, most_bytes, choice):
        chosen = format_of(found.path)
        if found.reason is None and found.digest is not None and chosen is not None:
            content = bytes.fromhex(found.digest)[:16], chosen.media_type  # a PDF that is named .txt is no document
            if (first := seen.get(content)) is not None:
                yield _left_out(found, "duplicate", f"has the same content as {first}")
                continue
            seen[content] = found.path if found.row is None else f"{found.path}, line {found.row}"
        yield found


def _left_out(found: Found, reason: str, detail: str) -> Found:
    return replace(found, offset=0, length=None, reason=reason, detail=detail)


def _found(documents: str, most_bytes: int, choice: Choice) -> Iterator[Found]:
    for path, address, size, kind, modified in _listed(documents):
        if not choice.takes(path):
            continue
        if not _is_unicode(path):
            shown = os.fsencode(path).decode("utf-8", "backslashreplace")
            yield Found(shown, shown, None, size, reason="wrong_encoding", detail="its name is not UTF-8. Rename it")
        elif kind == _OUTSIDE:
            yield Found(path, address, reason=_OUTSIDE, detail="is a link that leads out of the folder")
        elif kind != "file":
            yield Found(path, address, reason="not_a_file", detail=f"is a {kind}, no file")
        elif (chosen := format_of(path)) is None:
            ending = PurePosixPath(path).suffix
            yield Found(
                path, address, None, size, reason="unsupported", detail=f"nothing reads '{ending or 'no ending'}'"
            )
        elif not chosen.installed:
            detail = f"is read by {CONVERTER}, which is not installed. pip install 'demur[formats]'"
            yield Found(path, address, None, size, reason="unsupported", detail=detail)
        elif size > most_bytes and chosen is not JSONL:
            detail = f"has {size:,} bytes; {most_bytes:,} are read (corpus.limits.megabytes)"
            yield Found(path, address, None, size, reason="too_large", detail=detail)
        else:
            try:
                for found in _rows(path, address, most_bytes) if chosen is JSONL else [_whole(path, address)]:
                    yield replace(found, modified=modified)
            except Exception as exc:  # of whichever library knows the address: those of stores are no OSError
                if not (isinstance(exc, OSError) or is_address(address)):
                    raise
                said = getattr(exc, "strerror", None) or " ".join(str(exc).split())
                yield Found(path, address, reason="not_a_file", detail=f"cannot be opened ({said})")


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _whole(path: str, address: str) -> Found:
    digest = hashlib.sha256()
    size = 0
    with open_bytes(address) as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return Found(path, address, digest.hexdigest(), size)


def _rows(path: str, address: str, most_bytes: int) -> Iterator[Found]:
    """Yield the rows of a JSONL file. Long rows are not held in memory."""
    with open_bytes(address) as file:
        number, offset = 0, 0
        while line := file.readline(most_bytes + 1):
            number += 1
            length = len(line)
            while not line.endswith(b"\n") and (rest := file.readline(_CHUNK)):
                length += len(rest)
                line = line[:1] + rest[-1:]
            if length > most_bytes + 1:
                detail = f"has {length:,} bytes; {most_bytes:,} are read (corpus.limits.megabytes)"
                yield Found(path, address, None, length, number, reason="too_large", detail=detail)
            elif number == 1 and line.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
                yield Found(path, address, reason="bad_row", detail="is one JSON array. Write one object a line")
                return
            elif line.strip():
                digest = hashlib.sha256(line.strip()).hexdigest()
                yield Found(path, address, digest, length, number, offset, length)
            offset += length


@contextmanager
def open_bytes(address: str) -> Iterator[Any]:
    """Open a file for reading, on this machine or at an address, and close it after the block."""
    if not is_address(address):
        with Path(address).open("rb") as file:
            yield file
        return
    import fsspec

    files, path = fsspec.core.url_to_fs(address)  # an archive closes as soon as nobody holds its `files`
    with files.open(path, "rb") as file:
        yield file


def _listed(documents: str) -> Iterator[tuple[str, str, int, str, str | None]]:
    """Yield relative path, address, size, kind and day of everything below a folder or address, ordered by path."""
    if is_address(documents):
        yield from _listed_at(documents)
        return
    root = Path(documents)
    if not root.exists():
        raise CorpusError(
            f"{documents}: does not exist; allowed: a folder of documents, one file, or an address; remedy: check "
            "--documents or corpus.documents"
        )
    if not root.is_dir():
        status = root.stat()
        kind = "file" if root.is_file() else "special file"
        yield root.name, str(root), status.st_size, kind, _day_of(status.st_mtime)
        return
    inside = root.resolve()
    for folder, names in _walk(root):
        for name in names:
            path = folder / name
            relative = path.relative_to(root).as_posix()
            try:
                if path.is_symlink() and not path.resolve(strict=True).is_relative_to(inside):
                    yield relative, str(path), 0, _OUTSIDE, None
                    continue
                status = path.stat()
            except (OSError, RuntimeError) as exc:  # a circle of links is a RuntimeError until Python 3.13
                yield relative, str(path), 0, f"broken link ({getattr(exc, 'strerror', None) or exc})", None
                continue
            if not S_ISDIR(status.st_mode):
                kind = "file" if S_ISREG(status.st_mode) else "special file"
                yield relative, str(path), status.st_size, kind, _day_of(status.st_mtime)


def _day_of(modified: object) -> str | None:
    """Return the day of a time in seconds, or of a date; stores give either, or nothing, and ZIP archives numbers."""
    if isinstance(modified, tuple):
        with suppress(ValueError):  # archives of some programs have days such as 0-0-1980
            modified = datetime(modified[0], modified[1], modified[2], tzinfo=UTC)
    if isinstance(modified, int | float):
        modified = datetime.fromtimestamp(modified, UTC)
    return modified.date().isoformat() if isinstance(modified, datetime) else None


def _walk(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Yield folders and the sorted names of their files and links, without hidden names.

    Links to folders are not followed: what they show inside the root is found at its own place.
    """
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        yield Path(folder), sorted([*links, *(name for name in files if not name.startswith("."))])


def _listed_at(address: str) -> Iterator[tuple[str, str, int, str, str | None]]:
    import fsspec

    try:
        files, root = fsspec.core.url_to_fs(address, skip_instance_cache=True)  # whose listing may be an old one
        if "file" in files.protocol:  # links are seen in the folder itself only
            yield from _listed(root)
            return
        listed = files.find(root, detail=True)
        if not listed:
            files.ls(root)  # which says why; `find` takes what it cannot reach for empty
            raise FileNotFoundError("it has no files")
    except CorpusError:
        raise
    except Exception as exc:  # of whichever library knows the address: those of stores are no OSError
        said = " ".join(str(exc).split())
        if isinstance(exc, FileNotFoundError) and said in address:  # all that fsspec says of a host without an answer
            said = f"{said} is missing, or does not answer"
        raise CorpusError(
            f"{address}: cannot be listed ({said}); remedy: check corpus.documents and your credentials"
        ) from exc
    for name in sorted(listed):
        relative = name[len(root) :].lstrip("/") or PurePosixPath(name).name
        if not any(part.startswith(".") for part in PurePosixPath(relative).parts):
            facts = listed[name]
            modified = _day_of(next((facts[key] for key in _MODIFIED if key in facts), None))
            yield relative, address_of(address, relative), int(facts.get("size") or 0), "file", modified


def address_of(documents: str, path: str) -> str:
    """Return the path or address of a document. `documents` is that of all documents, and `path` is relative to it.

    In a chain such as `zip://wiki::s3://bucket/wiki.zip`, the path belongs to the first address.
    """
    if is_address(documents):
        first, chained, rest = documents.partition("::")
        below = first if first.endswith("://") else first.rstrip("/")
        named = below.endswith(f"/{path}")
        between = "" if below.endswith("/") else "/"
        return f"{first if named else f'{below}{between}{path}'}{chained}{rest}"
    root = Path(documents)
    return str(root / path) if root.is_dir() else documents
