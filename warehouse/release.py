"""Freezes the results of a round: read-only files with checksums, never overwritten.

Data files hold columns that results decide, sorted, written with fixed settings: the same rows give the same bytes,
and the same bytes are the same release. Provenance (calls, times, costs), report and card stand beside them,
checksummed but outside that identity.
"""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import pyarrow as pa

from demur.warehouse.connection import Connection
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home, segment
from demur.warehouse.parquet import write_table
from demur.warehouse.statements import statement
from demur.warehouse.transaction import transaction

MANIFEST: Final = "manifest.json"
ITEMS: Final = "items"
DATA: Final = (ITEMS, "responses", "scores", "weights", "fits")
"""Data files, `<name>.parquet`, each the rows of `sql/release_<name>.sql`; items are written as JSONL too."""
PROVENANCE: Final = "provenance"


@dataclass(frozen=True, slots=True)
class Release:
    """A frozen release; `digest` identifies its data files, `created` is False where the same one was there before."""

    name: str
    version: str
    round_id: str
    digest: str
    items: int
    path: Path
    created: bool = False

    @property
    def label(self) -> str:
        """Name and version as people type them."""
        return f"{self.name}/{self.version}"


def freeze(
    con: Connection,
    home: Home,
    name: str,
    round_id: str,
    described: Mapping[str, object],
    pages: Mapping[str, str],
    data: Mapping[str, str] | None = None,
) -> Release:
    """Write the release of a round and return it, or return the one that holds the same data already.

    Args:
        con: the loader's file, read-only or not.
        home: where releases live.
        name: name of the release.
        round_id: the round to freeze.
        described: what the manifest says besides files: configuration, fingerprints, model specs, versions.
        pages: further files by path within the release (card, report); they do not enter its identity.
        data: further files that do, such as rewards; result-determined like the tables.

    Raises:
        WarehouseError: the round has no items, or the files cannot be written.
    """
    shelf = home.releases / segment("release", name)
    draft = shelf / f".draft-{uuid.uuid4().hex[:12]}"
    try:
        draft.mkdir(parents=True)
        rows = {table: _write_table(con, table, round_id, draft) for table in (*DATA, PROVENANCE)}
        if not rows[ITEMS]:
            raise WarehouseError(f"round {round_id}: has no items to release; run its stages up to assemble first")
        further = data or {}
        for page, text in {**pages, **further}.items():
            (draft / page).parent.mkdir(exist_ok=True)
            _write(draft / page, text.encode())
        files = _described_files(draft, rows, further)
        digest = _digest(files)
        for known in releases(home):
            if (known.name, known.digest, known.round_id) == (name, digest, round_id):
                return known
        version = str(1 + max((int(known.version) for known in releases(home) if known.name == name), default=0))
        manifest = {
            "name": name,
            "version": version,
            "round_id": round_id,
            "digest": digest,
            "items": rows[ITEMS],
            "files": files,
            **described,
        }
        _write(draft / MANIFEST, (json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode())
        for file in _files(draft):
            (draft / file).chmod(0o444)
        final = shelf / version
        draft.rename(final)
        for folder in (final, *(path for path in final.iterdir() if path.is_dir())):
            folder.chmod(0o555)
        return Release(name, version, round_id, digest, rows[ITEMS], final, created=True)
    except OSError as exc:
        raise WarehouseError(
            f"{exc.filename or shelf}: {exc.strerror or exc}; make room or give write permission, then run again"
        ) from exc
    finally:
        if draft.exists():
            shutil.rmtree(draft, ignore_errors=True)


def record_release(con: Connection, release: Release) -> None:
    """Write a release and its items down in the warehouse; once is enough."""
    now = datetime.now(UTC).replace(tzinfo=None)
    values = [release.name, release.version, release.round_id, release.digest, release.items, now]
    items = {"name": release.name, "version": release.version, "round_id": release.round_id}
    with transaction(con):
        con.execute(statement("insert_release"), values)
        con.execute(statement("insert_released_items"), items)


def releases(home: Home) -> list[Release]:
    """Return all frozen releases, by name and version."""
    found = []
    for path in sorted(home.releases.glob(f"*/*/{MANIFEST}")):
        if path.parent.name.startswith("."):
            continue
        told = _read_manifest(path)
        found.append(
            Release(told["name"], told["version"], told["round_id"], told["digest"], told["items"], path.parent)
        )
    return sorted(found, key=lambda release: (release.name, int(release.version)))


def manifest(home: Home, label: str) -> dict[str, Any]:
    """Return the manifest of `NAME/VERSION`, or of the newest version of `NAME`."""
    return _read_manifest(_find(home, label).path / MANIFEST)


def verify_release(home: Home, label: str) -> list[str]:
    """Return what is wrong with a release: files that are missing, altered or not in its manifest."""
    release = _find(home, label)
    told = _read_manifest(release.path / MANIFEST)
    problems = []
    for name, entry in told["files"].items():
        path = release.path / name
        if not path.is_file():
            problems.append(f"{path}: missing")
        elif (actual := _sha256(path)) != entry["sha256"]:
            problems.append(f"{path}: sha256 is {actual}, the manifest says {entry['sha256']}")
    known = {*told["files"], MANIFEST}
    problems += [f"{release.path / name}: not in the manifest" for name in _files(release.path) if name not in known]
    if _digest(told["files"]) != told["digest"]:
        problems.append(f"{release.path / MANIFEST}: its digest does not belong to its files")
    return problems


def _find(home: Home, label: str) -> Release:
    name, _, version = label.partition("/")
    known = [release for release in releases(home) if release.name == name]
    matching = [release for release in known if not version or release.version == version]
    if not matching:
        labels = ", ".join(release.label for release in releases(home)) or "none yet: run `demur round`"
        raise WarehouseError(f"release '{label}' does not exist; there are: {labels}")
    return matching[-1]


def _write_table(con: Connection, table: str, round_id: str, folder: Path) -> int:
    rows: pa.Table = con.sql(statement(f"release_{table}"), params=[round_id]).to_arrow_table()
    path = folder / f"{table}.parquet"
    write_table(rows, path)
    if table == ITEMS:
        _write(folder / f"{table}.jsonl", b"".join(_json_lines(rows)))
    return int(rows.num_rows)


def _json_lines(rows: pa.Table) -> Iterator[bytes]:
    for batch in rows.to_batches(max_chunksize=1_000):
        for row in batch.to_pylist():
            row["verifier_votes"] = {vote["verifier"]: vote["vote"] for vote in row["verifier_votes"]}
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _described_files(folder: Path, rows: Mapping[str, int], further: Collection[str]) -> dict[str, dict[str, object]]:
    described: dict[str, dict[str, object]] = {}
    for name in _files(folder):
        path = folder / name
        entry: dict[str, object] = {
            "sha256": _sha256(path),
            "bytes": path.stat().st_size,
            "identity": name in further or path.stem in DATA and path.suffix in {".parquet", ".jsonl"},
        }
        if name.partition(".")[0] in rows:
            entry["rows"] = rows[path.stem]
        described[name] = entry
    return described


def _files(folder: Path) -> list[str]:
    """The files below a folder by their paths within it, with slashes."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def _digest(files: Mapping[str, Mapping[str, object]]) -> str:
    named = [f"{name} {entry['sha256']}" for name, entry in sorted(files.items()) if entry["identity"]]
    return hashlib.sha256("\n".join(named).encode()).hexdigest()


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", json.loads(path.read_bytes()))
    except (OSError, ValueError) as exc:
        raise WarehouseError(f"{path}: is no manifest ({exc}); restore it from a copy of the release") from exc


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
