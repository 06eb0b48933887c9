"""Client of an object store (S3, Google Cloud Storage, Azure) that holds the files of a home.

Objects are written atomically. Object stores have neither renames nor locks. If only one of several writers may
succeed, all writers try to create an object with the same key, and the store refuses all but the first.
"""

import hashlib
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from demur.levers.durable import sync_directory
from demur.warehouse.errors import WarehouseError

if TYPE_CHECKING:
    from obstore import GetOptions
    from obstore.store import AzureStore, GCSStore, S3Store

    Client = S3Store | GCSStore | AzureStore

SCHEMES: Final = ("s3", "gs", "az")
CONNECT_SECONDS: Final = 5
REQUEST_SECONDS: Final = 60
RETRY_SECONDS: Final = 60
_PART_BYTES: Final = 32 * 2**20
RETRIES: Final = 12
"""Pauses double, so that all retries together take about half a minute."""
FIRST_PAUSE_SECONDS: Final = 1.0
LONGEST_PAUSE_SECONDS: Final = 10
_CODE: Final = re.compile(r"<Code>(.*?)</Code>\s*(?:<Message>(.*?)</Message>)?", re.S)
_QUERY: Final = re.compile(r"\?[^\s\"')]+")
_CLOCK: Final = "clock"
_NO_BUCKET: Final = "NoSuchBucket"
_SHOWN: Final = 300


class StoreError(WarehouseError):
    """The store does not answer, or refuses a request; existing objects are unchanged."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An object as listed; `version` changes with the contents, and `size` is in bytes."""

    key: str
    version: str
    size: int
    modified_at: datetime


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """The objects below one address, by keys with slashes. Instances are picklable and contain no credentials.

    Credentials and endpoint come from where the store's own tools look for them: AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL,
    the machine's role, and so on.
    """

    url: str

    def put(self, key: str, content: bytes | Path) -> str:
        """Write or replace an object; return its version."""
        import obstore

        with self._explained(key) as client:
            return _version(obstore.put(client, key, content, chunk_size=_PART_BYTES)["e_tag"])

    def create(self, key: str, content: bytes) -> bool:
        """Create an object; return False if the key already has an object with other content.

        If the object exists with the same content, return True: an earlier attempt of this call may have created it.
        """
        import obstore
        from obstore.exceptions import AlreadyExistsError

        try:
            with self._explained(key) as client:
                obstore.put(client, key, content, mode="create")
        except AlreadyExistsError:
            return self.get(key) == content
        return True

    def get(self, key: str) -> bytes | None:
        """Return the contents of an object; None if there is no such object."""
        import obstore

        try:
            with self._explained(key) as client:
                return bytes(obstore.get(client, key).bytes())
        except FileNotFoundError:
            return None

    def part(self, found: Stored, start: int, end: int) -> bytes:
        """Return the bytes of an object from offset `start` up to, but not including, offset `end`.

        Raises:
            FileNotFoundError, PreconditionError: the object has changed since it was listed.
        """
        import obstore

        options: GetOptions = {"range": (start, end), "if_match": found.version}
        with self._explained(found.key) as client:
            return bytes(obstore.get(client, found.key, options=options).bytes())

    def fetch(self, found: Stored, path: Path) -> bool:
        """Write an object to a file atomically.

        Returns:
            Whether the file was written; False if the object has changed since it was listed.
        """
        from obstore.exceptions import PreconditionError

        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}-{uuid.uuid4().hex[:8]}")
        try:
            with draft.open("xb") as sink:
                for start in range(0, found.size, _PART_BYTES):
                    sink.write(self.part(found, start, min(start + _PART_BYTES, found.size)))
                sink.flush()
                os.fsync(sink.fileno())
            draft.replace(path)
            sync_directory(path.parent)
        except (FileNotFoundError, PreconditionError):
            return False
        finally:
            draft.unlink(missing_ok=True)
        return True

    def list(self, prefix: str) -> list[Stored]:
        """Return all objects below a prefix that ends with a slash, sorted by key.

        Each request lists up to 1,000 objects.
        """
        import obstore

        with self._explained(prefix) as client:
            metas = [meta for part in obstore.list(client, prefix) for meta in part]
        found = (Stored(m["path"], _version(m["e_tag"]), m["size"], m["last_modified"]) for m in metas)
        return sorted(found, key=lambda one: one.key)

    def head(self, key: str) -> Stored | None:
        """Return key, version and size of one object; None if there is no such object."""
        import obstore

        try:
            with self._explained(key) as client:
                meta = obstore.head(client, key)
        except FileNotFoundError:
            return None
        return Stored(key, _version(meta["e_tag"]), meta["size"], meta["last_modified"])

    def now(self) -> datetime:
        """Return the store's current time to the second, by the clock that dates the store's objects."""
        self.put(_CLOCK, b"")
        found = self.head(_CLOCK)
        assert found is not None
        return found.modified_at

    def delete(self, *keys: str) -> None:
        """Delete objects; missing objects are ignored."""
        import obstore

        if keys:
            with suppress(FileNotFoundError), self._explained(keys[0]) as client:
                obstore.delete(client, keys)

    @contextmanager
    def _explained(self, key: str) -> Iterator["Client"]:
        """Yield the client of the store; raise errors of the client as StoreError, without signatures of requests.

        Raises:
            FileNotFoundError, AlreadyExistsError, PreconditionError: these are passed on unchanged.
            StoreError: the store does not answer, or refuses the request.
        """
        from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError

        try:
            yield _client(self.url, os.getpid())
        except (AlreadyExistsError, PreconditionError):
            raise
        except (BaseError, OSError) as exc:
            if isinstance(exc, FileNotFoundError) and _NO_BUCKET not in str(exc):
                raise
            raise StoreError(
                f"{self.url}/{key}: {_explanation(str(exc))}. Check DEMUR_HOME, the store's endpoint and credentials, "
                "and that the store answers; then run the same command again: landed rows and all answers are kept"
            ) from None


@cache
def _client(url: str, process: int) -> "Client":
    """Return a process's client of a store; a forked process gets a new client."""
    from obstore.store import from_url

    client = from_url(
        url,
        client_options={
            "allow_http": True,  # an endpoint that is named as http://
            "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
            "timeout": timedelta(seconds=REQUEST_SECONDS),
        },
        retry_config={
            "max_retries": RETRIES,
            "retry_timeout": timedelta(seconds=RETRY_SECONDS),
            "backoff": {
                "init_backoff": timedelta(seconds=FIRST_PAUSE_SECONDS),
                "max_backoff": timedelta(seconds=LONGEST_PAUSE_SECONDS),
                "base": 2,
            },
        },
    )
    return client  # type: ignore[return-value]


def _explanation(text: str) -> str:
    """Return a store's error message, without signatures of requests."""
    if found := _CODE.search(text):
        return ": ".join(part.strip() for part in found.groups() if part).rstrip(".")
    return _QUERY.sub("?...", " ".join(text.partition("Debug source")[0].split()))[:_SHOWN].rstrip(".")


def _version(e_tag: str | None) -> str:
    if e_tag is None:
        raise StoreError("the store gives its objects no entity tags; demur needs them to tell versions apart")
    return e_tag


def digest_of_url(url: str) -> str:
    """Return a hash of a store's address, 12 hex digits."""
    return hashlib.sha256(url.encode()).hexdigest()[:12]
