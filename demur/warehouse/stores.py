"""Object stores by address, as pyarrow reads and writes them."""

from typing import Any, Final

STORES: Final = ("s3://", "gs://", "gcs://", "abfs://", "abfss://", "hdfs://")


def store_at(address: str) -> tuple[Any, str]:
    """Return the file system of an address and the path in it, with the credentials of its own tools.

    Options stand behind a question mark: `s3://bucket/prefix?endpoint_override=localhost:9000&scheme=http`.

    Raises:
        OSError, pyarrow.ArrowException: it is none, or its file system cannot be opened.
    """
    from pyarrow import fs

    store, root = fs.FileSystem.from_uri(address)
    return store, root.rstrip("/")
