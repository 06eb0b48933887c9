"""Parquet files with fixed settings, so that equal rows give equal bytes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROWS_PER_GROUP = 65_536
COMPRESSION = "zstd"
COMPRESSION_LEVEL = 3


def open_writer(sink: object, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer with demur's settings for Parquet files; the files do not get the metadata of `schema`."""
    return pq.ParquetWriter(
        sink,
        schema.remove_metadata(),
        version="2.6",
        compression=COMPRESSION,
        compression_level=COMPRESSION_LEVEL,
        write_statistics=True,
        use_dictionary=True,
    )


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a new file, durably."""
    with path.open("xb") as sink:
        _write(table, sink)
        sink.flush()
        os.fsync(sink.fileno())


def table_bytes(table: pa.Table) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    sink = pa.BufferOutputStream()
    _write(table, sink)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def _write(table: pa.Table, sink: object) -> None:
    with open_writer(sink, table.schema) as writer:
        writer.write_table(table.replace_schema_metadata(None), row_group_size=ROWS_PER_GROUP)


def batches(path: Path, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in order, in batches; at most one row group is in memory."""
    with pq.ParquetFile(path, pre_buffer=False) as file:
        yield from file.iter_batches(batch_size=batch_size)
