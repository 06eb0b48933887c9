"""Writes Parquet durably with one set of settings, and reads it by batches; equal rows give equal bytes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROWS_PER_GROUP = 65_536
COMPRESSION = "zstd"
COMPRESSION_LEVEL = 3


def open_writer(sink: object, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer with the settings of all files of demur; metadata such as pandas' is left out."""
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
    """Write `table` to `path` and return once it is on the disk; the file must not exist yet."""
    with path.open("xb") as sink:
        _write(table, sink)
        sink.flush()
        os.fsync(sink.fileno())


def table_bytes(table: pa.Table) -> bytes:
    """Return the bytes of a file that holds `table`."""
    sink = pa.BufferOutputStream()
    _write(table, sink)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def _write(table: pa.Table, sink: object) -> None:
    with open_writer(sink, table.schema) as writer:
        writer.write_table(table.replace_schema_metadata(None), row_group_size=ROWS_PER_GROUP)


def batches(path: Path, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in order, never holding more than a row group."""
    with pq.ParquetFile(path, pre_buffer=False) as file:
        yield from file.iter_batches(batch_size=batch_size)
