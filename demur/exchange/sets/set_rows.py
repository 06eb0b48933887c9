"""Rows of sets that others made, at addresses or in files of JSONL, JSON, CSV or Parquet."""

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

import yaml

from demur.corpora.corpus_rows import RowFault
from demur.corpora.jsonl import RawLine, Record, parse_record
from demur.corpora.public_sets import published_sets, recognised
from demur.corpora.record_files import numbered_rows
from demur.errors import CorpusError
from demur.warehouse.releases.manifest import MANIFEST
from demur.warehouse.stores import STORES, store_at

# Rows of the files of a set: JSONL, JSON, CSV or Parquet. The first bytes of a file tell its format.


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


# Sets at addresses: data sets of the Hub, and files on servers and in object stores. They are read from copies.


HUB: Final = "hf://"
ADDRESSES: Final = (HUB, "https://", "http://", *STORES)
SPLIT: Final = "test"
"""The split of a data set that is taken unless another one is named."""
_DATA_SET: Final = re.compile(r"(?:datasets/)?([\w.-]{1,96}/[\w.-]{1,96})(?:@([\w./-]+))?/?")
_SPLITS: Final = re.compile(
    r"(?:^|[/_.-])(train|training|test|validation|valid|val|dev|control)(?=[/_.-])", re.IGNORECASE
)
_LICENCE: Final = re.compile(r"\A---\n(.*?)\n---", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fetched:
    """The files of a set on this machine, and what is known about their source."""

    files: tuple[Path, ...]
    address: str | None = None
    revision: str | None = None
    split: str | None = None
    licence: str | None = None
    notes: tuple[str, ...] = ()


@contextmanager
def fetched(place: str, split: str | None = None, revision: str | None = None) -> Iterator[Fetched]:
    """Yield the files of a set. Copies of files at addresses are deleted after the `with` block.

    Raises:
        CorpusError: there is no such file, or the address cannot be read.
        ModuleNotFoundError: a package that reads such addresses is not installed.
    """
    if not place.startswith(ADDRESSES):
        if split is not None or revision is not None:
            raise CorpusError(f"{place}: is no data set of the Hub. Leave out --split and --revision")
        yield Fetched(files_of(Path(place)))
        return
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder)
        yield _of_hub(place, split, revision, own) if place.startswith(HUB) else _of_address(place, own)


def _of_address(address: str, folder: Path) -> Fetched:
    name = PurePosixPath(address.partition("?")[0]).name or "rows"
    target = folder / name
    try:
        if address.startswith(STORES):
            store, path = store_at(address)
            target.write_bytes(store.open_input_stream(path).read())
        else:
            import fsspec

            with fsspec.open(address, "rb") as source:
                target.write_bytes(source.read())
    except ModuleNotFoundError:
        raise
    except Exception as exc:  # every file system has errors of its own
        raise CorpusError(_unreadable(address, exc)) from exc
    return Fetched((target,), address=address)


def _of_hub(address: str, split: str | None, revision: str | None, folder: Path) -> Fetched:
    """Return the files of one split of a data set of the Hub."""
    found = _DATA_SET.fullmatch(address.removeprefix(HUB))
    if found is None:
        raise CorpusError(
            f"{address}: is not the address of a data set. Write hf://OWNER/NAME or hf://OWNER/NAME@REVISION"
        )
    name = found[1]
    revision = revision or found[2]
    import fsspec
    from huggingface_hub import HfApi, constants

    try:
        api = HfApi(endpoint=constants.ENDPOINT, library_name="demur")
        commit = str(api.dataset_info(name, revision=revision).sha)
        listed = api.list_repo_tree(name, repo_type="dataset", revision=revision, recursive=True)
        paths = sorted(one.path for one in listed if hasattr(one, "size"))
        chosen, taken, notes = _of_split(address, [one for one in paths if _has_rows(one)], split)
        root = f"{HUB}datasets/{name}@{revision}" if revision else f"{HUB}datasets/{name}"

        def copied(path: str) -> Path:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with fsspec.open(f"{root}/{path}", "rb") as source:
                target.write_bytes(source.read())
            return target

        licence = _licence(copied("README.md").read_text(encoding="utf-8")) if "README.md" in paths else None
        files = tuple(copied(path) for path in chosen)
    except (CorpusError, ModuleNotFoundError):
        raise
    except Exception as exc:  # every file system has errors of its own
        raise CorpusError(_unreadable(address, exc)) from exc
    said = f"{address}: revision {commit[:12]}, {', '.join(chosen[:3])}{' ...' if len(chosen) > 3 else ''}"
    return Fetched(files, f"{HUB}{name}", commit, taken, licence, (said, *notes))


def _has_rows(path: str) -> bool:
    return holds_rows(Path(path)) and PurePosixPath(path).name not in ("dataset_infos.json", "croissant.json")


def _of_split(address: str, paths: Sequence[str], split: str | None) -> tuple[list[str], str | None, list[str]]:
    """Return the files of a split, the split, and notes on the choice."""
    if not paths:
        raise CorpusError(f"{address}: has no files with rows ({', '.join(SUFFIXES)}). Name another data set")
    splits: dict[str | None, list[str]] = {}
    for path in paths:
        marks = _SPLITS.findall(f"{path}/" if "." not in path else path)
        splits.setdefault(marks[-1].lower() if marks else None, []).append(path)
    named = [one for one in splits if one is not None]
    if split is not None:
        own = [path for path in paths if re.search(rf"(?:^|[/_.-]){re.escape(split)}(?=[/_.-])", path)]
        if not own:
            raise CorpusError(f"{address}: has no split '{split}'; there are {', '.join(named) or 'no named splits'}")
        return own, split, []
    if len(splits) == 1:
        only = next(iter(splits))
        return splits[only], only, []
    if SPLIT in splits:
        others = ", ".join(one for one in named if one != SPLIT)
        return splits[SPLIT], SPLIT, [f"split {SPLIT}; --split names another one ({others})"] if others else []
    raise CorpusError(f"{address}: has several splits ({', '.join(named)}). Name one: --split {named[0]}")


def _licence(card: str) -> str | None:
    """Return the licence in the header of a data set's card; None if there is none."""
    found = _LICENCE.match(card)
    try:
        header: Any = yaml.safe_load(found[1]) if found else None
    except yaml.YAMLError:
        return None
    licence = header.get("license") if isinstance(header, dict) else None
    return str(licence[0] if isinstance(licence, list) and licence else licence) if licence else None


def _unreadable(address: str, exc: Exception) -> str:
    why = str(exc).strip().split("\n")[0] or type(exc).__name__
    return (
        f"{address}: cannot be read ({why}). Check the address; for a private one, set the credentials of its own "
        "tools (HF_TOKEN, AWS_PROFILE)"
    )
