"""Object stores that pyarrow reads and writes, by address."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from demur.warehouse.errors import WarehouseError

STORES: Final = ("s3://", "gs://", "gcs://", "abfs://", "abfss://", "hdfs://")


def store_at(address: str) -> tuple[Any, str]:
    """Return pyarrow's file system for an address, and the path in it.

    Credentials come from where the store's own tools look for them. The address may have options after a question mark:
    `s3://bucket/prefix?endpoint_override=localhost:9000&scheme=http`.

    Raises:
        OSError, pyarrow.ArrowException: the address is invalid, or its file system cannot be opened.
    """
    from pyarrow import fs

    store, root = fs.FileSystem.from_uri(address)
    return store, root.rstrip("/")


def is_stored(address: str) -> bool:
    """Return whether an object store has an object at an address.

    Raises:
        WarehouseError: the address is invalid, or the store does not answer.
    """
    with _explained(address) as (store, path):
        return bool(store.get_file_info(path).is_file)


def put_file(file: Path, address: str) -> None:
    """Write a file to an object store. The object appears when all of it is there.

    Raises:
        WarehouseError: the address is invalid, or the store does not answer or refuses the file.
    """
    with _explained(address) as (store, path), file.open("rb") as source, store.open_output_stream(path) as sink:
        shutil.copyfileobj(source, sink)


def fetch_file(address: str, file: Path) -> None:
    """Write an object of an object store to a file.

    Raises:
        WarehouseError: there is no such object, the store does not answer, or the disk is full.
    """
    with _explained(address) as (store, path), store.open_input_stream(path) as source, file.open("wb") as sink:
        shutil.copyfileobj(source, sink)


@contextmanager
def _explained(address: str) -> Iterator[tuple[Any, str]]:
    from pyarrow import ArrowException

    try:
        yield store_at(address)
    except (OSError, ArrowException) as exc:
        why = " ".join(str(exc).split())[:300]
        raise WarehouseError(
            f"{address}: cannot be read or written ({why}). Check the address and your credentials (AWS_PROFILE, "
            "AWS_ENDPOINT_URL), and run the same command again"
        ) from exc
