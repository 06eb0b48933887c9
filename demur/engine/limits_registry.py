"""Where processes meet that divide the limits of models: the home's folder, or the database that DEMUR_STATE names."""

from functools import cache

from demur.configuration.settings import state_named
from demur.engine.shared_state import checked_address
from demur.lanes.throttle.process_registry import FolderRegistry, Registry
from demur.warehouse.home import Home


def limits_registry(home: Home) -> Registry:
    """Return the registry of processes that ask models.

    Raises:
        ConfigError: DEMUR_STATE is no address of a PostgreSQL database.
        ModuleNotFoundError: the extra `state` is not installed.
    """
    address = state_named()
    return FolderRegistry(home.limits) if address is None else postgres_registry(address)


@cache
def postgres_registry(address: str) -> Registry:
    """Return the registry of a database, one in a process.

    Raises:
        ConfigError: it is no address of a PostgreSQL database.
        ModuleNotFoundError: the extra `state` is not installed.
    """
    checked_address(address)
    from demur.engine.postgres_limits import PostgresRegistry

    return PostgresRegistry(address)
