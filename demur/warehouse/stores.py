"""Object stores that pyarrow reads and writes, by address."""

from typing import Any, Final

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
