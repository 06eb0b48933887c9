"""Rows of the files of a set: JSONL, JSON, CSV or Parquet. The first bytes of a file tell its format."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.corpora.faults import RowFault
from demur.corpora.jsonl import RawLine, Record, parse_record
from demur.corpora.published import published_sets, recognised
from demur.corpora.record_files import numbered_rows
from demur.errors import CorpusError
from demur.warehouse.release import MANIFEST

SUFFIXES: Final = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
"""Suffixes of files that are read in a folder, also before .gz, .bz2 and .xz."""
PACKED: Final = (".gz", ".bz2", ".xz")
PARQUET: Final = b"PAR1"
ALLOWED: Final = "JSONL, a JSON array of objects, CSV, TSV or Parquet"


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row of a file, or its fault. `place` names file and line, or file and number of the row."""

    place: str
    record: Record | RowFault


def holds_rows(path: Path) -> bool:
    """Return whether the name of a file is one of a file with rows."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    return bool(suffixes) and (suffixes[-1] in SUFFIXES or (suffixes[-1] in PACKED and suffixes[0] in SUFFIXES))


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files with rows at a path: the file itself, or the files of a folder in the order of their names.

    Raises:
        CorpusError: there is no such file or folder, it has no files with rows, or it is a release.
    """
    if path.is_file():
        return (path,)
    if not path.is_dir():
        raise CorpusError(f"{path}: does not exist. Name a file, a folder or an address with rows ({ALLOWED})")
    if (path / MANIFEST).is_file():
        raise CorpusError(f"{path}: is a release already. Use it: demur evaluate {path} --model ...")
    found = tuple(
        sorted(
            file
            for file in path.rglob("*")
            if file.is_file()
            and holds_rows(file)
            and not any(part.startswith(".") for part in file.relative_to(path).parts)
        )
    )
    if not found:
        raise CorpusError(f"{path}: has no files with rows. Put in files that end in {', '.join(SUFFIXES)}")
    return found


def read_rows(path: Path) -> Iterator[SourceRow]:
    """Yield the rows of a file.

    Raises:
        CorpusError: the file cannot be read, or is in no known format.
    """
    try:
        with path.open("rb") as file:
            start = file.read(len(PARQUET))
    except OSError as exc:
        raise CorpusError(
            f"{path}: cannot be read ({exc.strerror or exc}). Check the path and its permissions"
        ) from exc
    if start == PARQUET:
        yield from _parquet(path)
        return
    known = recognised(path)
    for number, row in numbered_rows(path, published_sets()[known].rows if known else ""):
        if not isinstance(row, RawLine):
            yield SourceRow(f"{path.name}: row {number}", row)
            continue
        try:
            yield SourceRow(f"{path.name}: line {number}", parse_record(row))
        except RowFault as exc:
            yield SourceRow(f"{path.name}: line {number}", exc)


def _parquet(path: Path) -> Iterator[SourceRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1_000):
                for record in batch.to_pylist():
                    number += 1
                    yield SourceRow(f"{path.name}: row {number}", record)
    except (OSError, pa.ArrowException) as exc:
        raise CorpusError(f"{path}: cannot be read as Parquet ({exc}). Get the file again from its source") from exc
