"""The choice of the database for the state of a home."""

from typing import Final

from demur.configuration.settings import state_named
from demur.engine.state.database import Database
from demur.engine.state.sqlite import SqliteDatabase
from demur.errors import ConfigError
from demur.warehouse.home import Home

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
