"""The choice of the database for the state of a home, and copies of the state."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from demur.configuration.settings import state_named
from demur.engine.state.database import Database, Rows, Values, text_of
from demur.engine.state.sqlite import SqliteDatabase, failure
from demur.errors import ConfigError
from demur.warehouse.home import Home

# The choice of the database for the state of a home.


_SCHEMES: Final = ("postgresql://", "postgres://")


def database_of(home: Home) -> Database:
    """Return the database of a home, not yet connected.

    DEMUR_STATE names the database. If DEMUR_STATE is not set, the database is a SQLite file of the home.

    Raises:
        ConfigError: DEMUR_STATE is no address of a PostgreSQL database.
        ModuleNotFoundError: the extra `state` is not installed.
    """
    named = state_named()
    if named is not None:
        return postgres_database(named)
    return SqliteDatabase(home.state)


def postgres_database(address: str) -> Database:
    """Return the database of an address.

    Raises:
        ConfigError: `address` is not the address of a PostgreSQL database.
        ModuleNotFoundError: the extra `state` is not installed.
    """
    if not address.startswith(_SCHEMES):
        raise ConfigError(
            f"DEMUR_STATE '{address.partition(':')[0]}:...' is not the address of a PostgreSQL database; "
            "write postgresql://user:password@host:5432/database"
        )
    from demur.engine.state.postgres import PostgresDatabase

    return PostgresDatabase(address)


# Copies of the state of a home, without the data on processes.
#
# A copy is always a SQLite file with the tables of this version of demur. A copy from PostgreSQL can be restored into
# a home's own file, and vice versa.


COPIED: Final = ("batches", "batch_results", "lost_requests", "texts", "calls")
"""The tables of a copy. Batches come before their results, because results can arrive meanwhile."""
_OF_PROCESSES: Final = ("budgets", "runs", "progress")
_OWN: Final = ""
"""The id of a home in its own file."""


def copy_state(database: Database, home: str, path: Path) -> None:
    """Write the state of a home to a new file. Rounds may run meanwhile.

    Raises:
        OSError: the database cannot be used, or the file cannot be written.
    """
    copy = SqliteDatabase(path)
    if isinstance(database, SqliteDatabase):
        if database.path.exists():
            _back_up(database.path, path)
        copy.transact(lambda transaction: [transaction.run(f"forget_{name}", {}) for name in _OF_PROCESSES])
    else:
        for name in COPIED:
            _put(copy, name, _OWN, _columns(name), database.read(f"rows_{name}", {"home": home}))
    copy.close()
    with closing(sqlite3.connect(path)) as con:
        con.execute("PRAGMA journal_mode = DELETE")  # one file has everything


def put_state(path: Path, database: Database, home: str) -> None:
    """Insert the rows of a copy into a database, as rows of a home. Existing rows stay unchanged.

    Raises:
        OSError: another version made the copy, or the database cannot be used.
    """
    copy = SqliteDatabase(path)
    for name in COPIED:
        _put(database, name, home, _columns(name), copy.read(f"rows_{name}", {"home": _OWN}))


def _back_up(path: Path, target: Path) -> None:
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as sink:
            source.backup(sink)
    except sqlite3.Error as exc:
        raise failure(path, exc) from exc


def _put(database: Database, name: str, home: str, columns: tuple[str, ...], rows: Rows) -> None:
    values: Iterable[Values] = [{"home": home, **dict(zip(columns, map(_plain, row), strict=True))} for row in rows]
    database.transact(lambda transaction: transaction.run_each(f"put_{name}", values))


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def _columns(name: str) -> tuple[str, ...]:
    """Return the columns of the statement that reads a table."""
    listed = text_of(f"rows_{name}").removeprefix("SELECT ").partition(" FROM ")[0]
    return tuple(listed.split(", "))
