"""Freezing of a round's results as a release: read-only files with checksums, never overwritten.

Data files have sorted rows and fixed settings, so equal rows give equal bytes. A release is identified by its data
files only. The files with provenance (calls, times, costs), report and card have checksums too.
"""

import json
import shutil
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pyarrow as pa

from demur.levers.durable import write_once
from demur.warehouse.arrow_rows import write_table
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home, segment
from demur.warehouse.releases.manifest import (
    MANIFEST,
    File,
    Release,
    canonical,
    files_below,
    identity_digest,
    note_own,
    releases,
    sha256,
)
from demur.warehouse.statements import statement
from demur.warehouse.transactions import Connection, transaction

ITEMS: Final = "items"
DATA: Final = (ITEMS, "responses", "scores", "weights", "fits")
"""Data files `<name>.parquet`, each with the rows of `sql/release_<name>.sql`; items are also written as JSONL."""
PROVENANCE: Final = "provenance"
Pages = Callable[[str], Mapping[str, str]]


def freeze(
    con: Connection,
    home: Home,
    name: str,
    round_id: str,
    described: Mapping[str, object],
    pages: Pages,
    data: Mapping[str, str] | None = None,
) -> Release:
    """Write and return the release of a round, or return the existing release with the same data.

    Args:
        con: a connection to the loader's file.
        home: the home for the release.
        name: name of the release.
        round_id: the round to freeze.
        described: further entries of the manifest: configuration, fingerprints, model specs, versions.
        pages: a function that takes the release's label and returns the texts of card and report, by path within the
            release. Card and report do not belong to the release's identity.
        data: texts of further files that belong to the identity, such as rewards, by path within the release.

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
        _write_texts(draft, further)
        digest = identity_digest(_described_files(draft, rows, further))
        there = [known for known in releases(home) if known.name == name]
        for known in there:
            if (known.digest, known.round_id) == (digest, round_id):
                return known
        versions = [int(known.version) for known in there]
        version = str(1 + max(versions, default=0))
        _write_texts(draft, pages(f"{name}/{version}"))
        files = _described_files(draft, rows, further)
        manifest = {
            "name": name,
            "version": version,
            "round_id": round_id,
            "digest": digest,
            "items": rows[ITEMS],
            "files": {path: file.model_dump(exclude_unset=True) for path, file in files.items()},
            **described,
        }
        write_once(draft / MANIFEST, canonical(manifest))
        manifest_digest = sha256(draft / MANIFEST)
        for file in files_below(draft):
            (draft / file).chmod(0o444)
        final = shelf / version
        # Noted before the release appears. Whenever the process is killed, a release that appeared is known as own.
        note_own(home, manifest_digest, f"{name}/{version}")
        draft.rename(final)
        for folder in (final, *(path for path in final.iterdir() if path.is_dir())):
            folder.chmod(0o555)
        return Release(name, version, round_id, digest, rows[ITEMS], final, manifest_digest, created=True)
    except OSError as exc:
        raise WarehouseError(
            f"{exc.filename or shelf}: {exc.strerror or exc}; make room or give write permission, then run again"
        ) from exc
    finally:
        if draft.exists():
            shutil.rmtree(draft, ignore_errors=True)


def empty_tables(con: Connection) -> dict[str, pa.Schema]:
    """Return the schemas of a release's tables, by the names of DATA and PROVENANCE."""
    return {table: _rows(con, table, "").schema for table in (*DATA, PROVENANCE)}


def record_release(con: Connection, release: Release) -> None:
    """Insert a release and its items into the warehouse; a second call changes nothing."""
    now = datetime.now(UTC).replace(tzinfo=None)
    identity = [release.name, release.version, release.round_id, release.digest, release.manifest_digest]
    items = {"name": release.name, "version": release.version, "round_id": release.round_id}
    with transaction(con):
        con.execute(statement("insert_release"), [*identity, release.items, now])
        con.execute(statement("insert_released_items"), items)


def _write_table(con: Connection, table: str, round_id: str, folder: Path) -> int:
    rows = _rows(con, table, round_id)
    path = folder / f"{table}.parquet"
    write_table(rows, path)
    if table == ITEMS:
        write_once(folder / f"{table}.jsonl", b"".join(_json_lines(rows)))
    return int(rows.num_rows)


def _rows(con: Connection, table: str, round_id: str) -> pa.Table:
    rows: pa.Table = con.sql(statement(f"release_{table}"), params=[round_id]).to_arrow_table()
    return rows


def _json_lines(rows: pa.Table) -> Iterator[bytes]:
    for batch in rows.to_batches(max_chunksize=1_000):
        for row in batch.to_pylist():
            row["verifier_votes"] = {vote["verifier"]: vote["vote"] for vote in row["verifier_votes"]}
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_once(folder / name, text.encode())


def _described_files(folder: Path, rows: Mapping[str, int], further: Collection[str]) -> dict[str, File]:
    described = {}
    for name in files_below(folder):
        path = folder / name
        is_data = path.stem in DATA and path.suffix in {".parquet", ".jsonl"}
        identity = name in further or is_data
        table = name.partition(".")[0]  # a file of a table lies in no folder
        counted = {"rows": rows[table]} if table in rows else {}
        described[name] = File(sha256=sha256(path), bytes=path.stat().st_size, identity=identity, **counted)
    return described
