"""Migrations of a warehouse file to the tables and views of this version.

The models in schemas/ define the tables of a new file. A file of an earlier release gets the numbered files of
migrations/ that it lacks, each once; then its tables must match the models. Views are dropped and created again if the
text of views/*.sql has changed.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import duckdb

from demur.warehouse.errors import OtherTablesError, WarehouseError, WarehouseVersionError
from demur.warehouse.statements import statement, with_stages
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.transaction import transaction

_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file of migrations/, with the SHA-256 of its text."""

    version: int
    name: str
    text: str
    digest: str


def _texts(folder: Traversable, ending: str = ".sql") -> list[tuple[str, str]]:
    if not folder.is_dir():
        return []
    return sorted(
        (file.name, file.read_text(encoding="utf-8")) for file in folder.iterdir() if file.name.endswith(ending)
    )


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all migrations since the first release, oldest first."""
    return migrations_in(files("demur.warehouse") / "migrations")


def migrations_in(folder: Traversable) -> tuple[Migration, ...]:
    """Return the migrations of a folder, oldest first; an empty tuple for a missing folder.

    Raises:
        WarehouseError: a file is not named `<four digits>_<words>.sql`, or the numbers have gaps.
    """
    known: list[Migration] = []
    for number, (name, text) in enumerate(_texts(folder), start=1):
        match = _NAME.fullmatch(name)
        if match is None or int(match[1]) != number:
            raise WarehouseError(f"warehouse/migrations/{name}: expected a file named {number:04d}_<words>.sql")
        known.append(_migration(number, name, text))
    return tuple(known)


def migrate(con: duckdb.DuckDBPyConnection, known: Sequence[Migration], place: str) -> None:
    """Apply the missing migrations to an open file, and create the views of this version.

    Args:
        con: a connection for writing.
        known: all migrations of this version, oldest first.
        place: the file's name in messages.

    Raises:
        WarehouseVersionError: a migration in the file is unknown to this version, or has another text in this version.
        OtherTablesError: the tables of the file do not match the models.
    """
    con.execute(statement("schema_migrations"))
    if not con.execute(statement("applied_migrations")).fetchall():
        _make_tables(con, known)
    require_versioned(con, place)
    for migration in pending_migrations(con, known, place):
        with transaction(con):
            con.execute(migration.text)
            _note(con, migration)
    _replace_views(con, place)


def pending_migrations(con: duckdb.DuckDBPyConnection, known: Sequence[Migration], place: str) -> Sequence[Migration]:
    """Return the known migrations that were not applied to a file.

    Raises:
        WarehouseVersionError: a migration in the file is unknown to this version, or has another text in this version.
    """
    return known[_applied(con, known, place) :]


def require_current(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Check that an open, read-only copy has the tables of this version.

    Raises:
        WarehouseVersionError: another version of demur published the copy.
    """
    if _applied(con, migrations(), place) < len(migrations()) or _differing(con):
        raise WarehouseVersionError(
            f"{place} was published by a version of demur with other tables: publish it again with demur warehouse "
            "rebuild, or with a round"
        )


def require_versioned(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Check that a file has a schema version.

    Raises:
        WarehouseVersionError: the file has no schema version, so an early unreleased version of demur wrote the file.
    """
    if not con.execute(statement("base_version")).fetchall():
        raise _unreleased(place)


def require_our_tables(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Check that a fully migrated file has the tables of the models.

    Raises:
        OtherTablesError: the tables of the file differ from the models.
    """
    if differing := _differing(con):
        raise OtherTablesError(
            f"{place} was made by an unreleased version of demur, whose tables ({', '.join(differing)}) this version "
            "cannot read: look at `demur home upgrade --plan`, then run `demur home upgrade`, which makes the file "
            "again from the archive"
        )


def _unreleased(place: str) -> WarehouseVersionError:
    return WarehouseVersionError(
        f"{place} was made by an unreleased version of demur, whose tables this version cannot read: set DEMUR_HOME "
        "to another directory, or move this file's directory away"
    )


def _make_tables(con: duckdb.DuckDBPyConnection, known: Sequence[Migration]) -> None:
    """Create the tables of the models in an empty file, and mark all known migrations as applied."""
    from demur.warehouse.ddl import create_tables  # imports pandera: about a second

    text = create_tables()
    with transaction(con):
        con.execute(text)
        for migration in (_migration(0, "tables", text), *known):
            _note(con, migration)


def _migration(version: int, name: str, text: str) -> Migration:
    return Migration(version, name, text, hashlib.sha256(text.encode()).hexdigest())


def _note(con: duckdb.DuckDBPyConnection, migration: Migration) -> None:
    con.execute(statement("insert_migration"), [migration.version, migration.name, migration.digest])


def _applied(con: duckdb.DuckDBPyConnection, known: Sequence[Migration], place: str) -> int:
    """Return the number of migrations that were applied to a file.

    Raises:
        WarehouseVersionError: a migration in the file is unknown to this version, or has another text in this version.
    """
    applied = con.execute(statement("applied_migrations")).fetchall()[1:]
    if len(applied) > len(known):
        ours = f"{len(known)} ({known[-1].name})" if known else "0"
        raise WarehouseVersionError(
            f"{place} is at migration {applied[-1][0]} ({applied[-1][1]}), but this version of demur knows migrations "
            f"up to {ours}: install the newer demur that wrote the file, or set DEMUR_HOME to another directory"
        )
    for migration, (_, _, digest) in zip(known, applied, strict=False):
        if digest != migration.digest:
            raise _unreleased(place)
    return len(applied)


def _differing(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of tables that differ from the models.

    The list is empty for a file with this version's views, since the tables were compared when the views were created.
    """
    if _has_our_views(con):
        return []
    from demur.warehouse.ddl import differences  # imports pandera: about a second

    return differences(con)


def _has_our_views(con: duckdb.DuckDBPyConnection) -> bool:
    return con.execute("SELECT digest FROM schema_views").fetchall() == [(_views()[1],)]


def _replace_views(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Create views and comments again if the views or the models of tables have changed."""
    if _has_our_views(con):
        return
    require_our_tables(con, place)
    texts, digest = _views()
    from demur.warehouse.ddl import comment  # imports pandera: about a second

    old = con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main'").fetchall()
    with transaction(con):
        for (name,) in old:
            con.execute('DROP VIEW IF EXISTS "{}"'.format(name.replace('"', '""')))
        for text in texts:
            con.execute(text)
        comment(con)
        con.execute("DELETE FROM schema_views")
        con.execute("INSERT INTO schema_views VALUES (?)", [digest])


@cache
def _views() -> tuple[tuple[str, ...], str]:
    """Return the SQL texts of the views, and a digest of these texts and of the modules in schemas/."""
    live = [_live_view(table) for table in UNIT_TABLES]
    texts = (*live, *(with_stages(text) for _, text in _texts(files("demur.warehouse") / "views")))
    declared = [text for _, text in _texts(files("demur.warehouse") / "schemas", ".py")]
    return texts, hashlib.sha256("\0".join([*texts, *declared]).encode()).hexdigest()


def _live_view(table: Table) -> str:
    stages = ", ".join(f"'{stage}'" for stage in table.stages)
    return statement("live_view", table).replace("${stages}", stages)
