"""File system for DuckDB that reads the published copy of a home in a store by ranges of bytes."""

from typing import Any, Final

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from demur.warehouse.store import ObjectStore, Stored

PROTOCOL: Final = "stored"
ADDRESS: Final = f"{PROTOCOL}://published.duckdb"


class StoredFiles(AbstractFileSystem):  # type: ignore[misc]
    """A read-only file system with one file, an object of a store, at ADDRESS. It reads only the requested bytes."""

    protocol = PROTOCOL
    cachable = False

    def __init__(self, store: ObjectStore, copy: Stored) -> None:
        super().__init__()
        self.store = store
        self.copy = copy

    def info(self, path: str, **_: object) -> dict[str, Any]:
        """Return size and kind of the file.

        Raises:
            FileNotFoundError: `path` is not ADDRESS. DuckDB also asks for other files, such as a write-ahead log.
        """
        if self._strip_protocol(path) != self._strip_protocol(ADDRESS):
            raise FileNotFoundError(path)
        return {"name": path, "size": self.copy.size, "type": "file", "created": self.copy.modified_at}

    def modified(self, path: str) -> Any:
        """Return the time of the object's upload."""
        return self.info(path)["created"]

    def _open(self, path: str, mode: str = "rb", **_: object) -> AbstractBufferedFile:
        return _StoredFile(self, path, mode, cache_type="none", size=self.copy.size)


class _StoredFile(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes(self.fs.store.part(self.fs.copy, start, end))
