"""Brings a warehouse file to the tables that this version knows: numbered .sql files, append-only, each once.

Views are no state: they are dropped and made again whenever the text of views/*.sql differs from what made them.
"""

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import duckdb

from demur.warehouse.errors import WarehouseError, WarehouseVersionError
from demur.warehouse.statements import statement, with_stages
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.transaction import transaction

_Step = tuple[str, Sequence[str | int] | None]
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file of migrations/ and the digest of its text."""

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
    """Return all migrations of this version, oldest first.

    Raises:
        WarehouseError: a file is not named `<four digits>_<words>.sql`, or the numbers have gaps.
    """
    known: list[Migration] = []
    for number, (name, text) in enumerate(_texts(files("demur.warehouse") / "migrations"), start=1):
        match = _NAME.fullmatch(name)
        if match is None or int(match[1]) != number:
            raise WarehouseError(f"warehouse/migrations/{name}: expected a file named {number:04d}_<words>.sql")
        known.append(Migration(number, name, text, hashlib.sha256(text.encode()).hexdigest()))
    return tuple(known)


def migrate(con: duckdb.DuckDBPyConnection, known: Sequence[Migration], place: str) -> None:
    """Bring the open file to the tables of the `known` migrations and to this version's views.

    Args:
        con: open for writing.
        known: all migrations of this version, oldest first.
        place: names the file in messages.

    Raises:
        WarehouseVersionError: the file has migrations that this version lacks, or that differ from its own.
    """
    con.execute(statement("schema_migrations"))
    applied = _applied(con, known, place)
    find_tables(con)
    for migration in known[applied:]:
        _in_transaction(
            con,
            [
                (migration.text, None),
                (statement("insert_migration"), [migration.version, migration.name, migration.digest]),
            ],
        )
        find_tables(con)
    _replace_views(con)


def require_current(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Make sure that an open copy, which may not be changed, has all tables of this version.

    Raises:
        WarehouseVersionError: another version of demur published it.
    """
    known = migrations()
    if (applied := _applied(con, known, place)) < len(known):
        raise WarehouseVersionError(
            f"{place} has the tables of migration {applied}, this demur those of {len(known)} ({known[-1].name}): "
            "publish it again with demur warehouse rebuild, or with a round"
        )


def _applied(con: duckdb.DuckDBPyConnection, known: Sequence[Migration], place: str) -> int:
    """Return how many migrations a file has, all of them known."""
    applied = con.execute("SELECT version, name, digest FROM schema_migrations ORDER BY version").fetchall()
    if len(applied) > len(known):
        raise WarehouseVersionError(
            f"{place} is at migration {applied[-1][0]} ({applied[-1][1]}), this demur knows migrations up to "
            f"{len(known)} ({known[-1].name}): install the newer demur that wrote it, or set "
            f"DEMUR_HOME to another directory"
        )
    for migration, (version, name, digest) in zip(known, applied, strict=False):
        if digest != migration.digest:
            raise WarehouseVersionError(
                f"{place}: its migration {version} ({name}) is not the one of this demur: it was written by a "
                f"development version; set DEMUR_HOME to another directory, or move the file away"
            )
    return len(applied)


def find_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Let statements name the tables of the schema `raw` without it; a file of an older demur has none."""
    with suppress(duckdb.CatalogException):
        con.execute("SET search_path = 'main,raw'")


def _replace_views(con: duckdb.DuckDBPyConnection) -> None:
    """Make views and comments anew where their texts, or those of the tables' models, differ from what made them."""
    texts, digest = _views()
    if con.execute("SELECT digest FROM schema_views").fetchall() == [(digest,)]:
        return
    from demur.warehouse.comments import comment_inherited, comment_tables  # imports pandera: about a second

    old = con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main'").fetchall()
    with transaction(con):
        for (name,) in old:
            con.execute('DROP VIEW IF EXISTS "{}"'.format(name.replace('"', '""')))
        for text in texts:
            con.execute(text)
        comment_tables(con)
        comment_inherited(con)
        con.execute("DELETE FROM schema_views")
        con.execute("INSERT INTO schema_views VALUES (?)", [digest])


@cache
def _views() -> tuple[tuple[str, ...], str]:
    """Return the texts that make the views, and a digest of them and of what the comments are made from."""
    live = [_live_view(table) for table in UNIT_TABLES]
    texts = (*live, *(with_stages(text) for _, text in _texts(files("demur.warehouse") / "views")))
    declared = [text for _, text in _texts(files("demur.warehouse.schemas"), ".py")]
    return texts, hashlib.sha256("\0".join([*texts, *declared]).encode()).hexdigest()


def _live_view(table: Table) -> str:
    stages = ", ".join(f"'{stage}'" for stage in table.stages)
    return statement("live_view", table).replace("${stages}", stages)


def _in_transaction(con: duckdb.DuckDBPyConnection, steps: Sequence[_Step]) -> None:
    with transaction(con):
        for text, values in steps:
            con.execute(text, values)
