"""Tables and views of a warehouse file: made in a new file, and compared with this version in any other.

The models in schemas/ define the tables. A file with other tables is refused, and can be rebuilt with its rows.
Views are dropped and created again if the text of views/*.sql or of the models has changed.
"""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import duckdb

from demur.warehouse.errors import OtherTablesError, WarehouseVersionError
from demur.warehouse.statements import statement, with_stages
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.transactions import transaction

VIEWS: str = "schema_views"
"""The table with the digest of the views and models by which a file was made."""


def make_tables(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Create the tables of an empty file, and the views of this version in any file.

    Args:
        con: a connection for writing.
        place: the file's name in messages.

    Raises:
        OtherTablesError: the tables of the file do not match the models.
        WarehouseVersionError: a very early version of demur, or another program, made the file.
    """
    made_by = _made_by(con)
    if made_by == [(_views()[1],)]:
        return
    if made_by is not None:
        if differing := _differing(con):
            raise OtherTablesError(
                f"{place} was made by another version of demur, whose tables ({', '.join(differing)}) this version "
                "cannot read: `demur warehouse rebuild` makes it again with its rows, unless the home is too old"
            )
    elif _has_tables(con):
        require_made(con, place)
    else:
        _create(con)
    _replace_views(con)


def require_made(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Check that a file is a warehouse.

    Raises:
        WarehouseVersionError: a very early version of demur, or another program, made the file.
    """
    if _made_by(con) is None:
        raise WarehouseVersionError(
            f"{place} is no warehouse of this demur: set DEMUR_HOME to another directory, or move this file away"
        )


def require_current(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Check that an open, read-only copy has the tables of this version.

    Raises:
        WarehouseVersionError: another version of demur published the copy.
    """
    if _made_by(con) != [(_views()[1],)] and _differing(con):
        raise WarehouseVersionError(
            f"{place} was published by a version of demur with other tables: publish it again with demur warehouse "
            "rebuild, or with a round"
        )


def _made_by(con: duckdb.DuckDBPyConnection) -> list[tuple[str]] | None:
    """Return the digest of the views and models by which a file was made; None if the file is no warehouse.

    A look into the catalog would take twenty times as long, at each opening.
    """
    try:
        return con.execute(f"SELECT digest FROM {VIEWS}").fetchall()
    except (duckdb.CatalogException, duckdb.BinderException):  # no such table; a table without a digest
        return None


def _has_tables(con: duckdb.DuckDBPyConnection) -> bool:
    return bool(con.execute("SELECT 1 FROM duckdb_tables() WHERE database_name = current_database()").fetchall())


def _differing(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of tables that differ from the models."""
    from demur.warehouse.tables.ddl import differences  # imports pandera: about a second

    return differences(con)


def _create(con: duckdb.DuckDBPyConnection) -> None:
    from demur.warehouse.tables.ddl import create_tables  # imports pandera: about a second

    with transaction(con):
        con.execute(create_tables())
        con.execute(f"CREATE TABLE {VIEWS} (digest VARCHAR NOT NULL)")


def _replace_views(con: duckdb.DuckDBPyConnection) -> None:
    """Create all views and comments again."""
    texts, digest = _views()
    from demur.warehouse.tables.ddl import comment  # imports pandera: about a second

    old = con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main'").fetchall()
    with transaction(con):
        for (name,) in old:
            con.execute('DROP VIEW IF EXISTS "{}"'.format(name.replace('"', '""')))
        for text in texts:
            con.execute(text)
        comment(con)
        con.execute(f"DELETE FROM {VIEWS}")
        con.execute(f"INSERT INTO {VIEWS} VALUES (?)", [digest])


@cache
def _views() -> tuple[tuple[str, ...], str]:
    """Return the SQL texts of the views, and a digest of these texts and of the modules in schemas/."""
    live = [_live_view(table) for table in UNIT_TABLES]
    texts = (*live, *(with_stages(text) for text in _texts(files("demur.warehouse") / "views", ".sql")))
    declared = _texts(files("demur.warehouse") / "tables", ".py")
    return texts, hashlib.sha256("\0".join([*texts, *declared]).encode()).hexdigest()


def _texts(folder: Traversable, ending: str) -> list[str]:
    found = sorted((file for file in folder.iterdir() if file.name.endswith(ending)), key=lambda file: file.name)
    return [file.read_text(encoding="utf-8") for file in found]


def _live_view(table: Table) -> str:
    stages = ", ".join(f"'{stage}'" for stage in table.stages)
    return statement("live_view", table).replace("${stages}", stages)
