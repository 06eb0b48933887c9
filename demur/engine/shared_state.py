"""Where the processes of a round have their state: files of the home, or rows of the database that DEMUR_STATE names.

The loader reads files: what stands in a database is brought to it while it folds.
"""

from demur.configuration.settings import state_named
from demur.engine.file_state import SharedState
from demur.errors import ConfigError
from demur.warehouse.home import Home

_SCHEMES = ("postgresql://", "postgres://")


def shared_state(home: Home) -> SharedState:
    """Return the state of the rounds of a home.

    Raises:
        ConfigError: DEMUR_STATE is no address of a PostgreSQL database.
        ModuleNotFoundError: the extra `state` is not installed.
        OSError: the database does not answer, or refuses.
    """
    if (address := state_named()) is None:
        return SharedState(home)
    checked_address(address)
    from demur.engine.postgres_state import opened_state

    return opened_state(home, address)


def checked_address(address: str) -> str:
    """Return the address of a database.

    Raises:
        ConfigError: it is none of PostgreSQL.
    """
    if not address.startswith(_SCHEMES):
        raise ConfigError(
            f"DEMUR_STATE '{address.partition(':')[0]}:...' is no address of a PostgreSQL database; "
            "write postgresql://user:password@host:5432/database"
        )
    return address
