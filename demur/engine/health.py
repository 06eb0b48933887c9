"""The health of a home, for monitoring: checks of its folder, its state and its published warehouse."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from demur.configuration.settings import check_takes_files
from demur.engine.state.databases import database_of
from demur.errors import ConfigError
from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError, WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.made_tables import require_current
from demur.warehouse.statements import statement

READ_WAIT_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """The result of one check. `found` is the finding or the remedy."""

    ok: bool
    what: str
    found: str


@dataclass(frozen=True, slots=True)
class Health:
    """The checks of a home.

    Attributes:
        checks: The results.
        last_round: The id of the newest round; None if there is no round, or if the warehouse cannot be read.
        last_round_seconds: The age of the newest round in seconds.
    """

    checks: tuple[HealthCheck, ...]
    last_round: str | None = None
    last_round_seconds: float | None = None

    @property
    def healthy(self) -> bool:
        """Whether all checks succeeded."""
        return all(check.ok for check in self.checks)


def health_of(home: Home, max_age: timedelta | None = None) -> Health:
    """Return the results of four checks of a home.

    The home must be writable. Its state must answer. The published warehouse must have the tables of this version of
    demur. The newest round must have begun within `max_age`; None allows any age.

    If the home is in a store, the local copy of the published warehouse is checked, and nothing is fetched.
    """
    checks = [_takes_files(home), _state(home)]
    newest: tuple[str, float] | None = None
    try:
        with reading(Home(home.root), wait_seconds=READ_WAIT_SECONDS) as con:
            require_current(con, str(home.published))
            for round_id, started_at in con.execute(statement("newest_round")).fetchall():
                newest = str(round_id), (datetime.now(UTC) - started_at.replace(tzinfo=UTC)).total_seconds()
        checks.append(HealthCheck(True, "versions", "the published warehouse has the tables of this version"))
    except WarehouseMissingError:
        checks.append(HealthCheck(True, "versions", "nothing is published here yet"))
    except WarehouseError as exc:
        checks.append(HealthCheck(False, "versions", str(exc)))
    checks += _age(newest, max_age)
    return Health(tuple(checks), *(newest or (None, None)))


def _takes_files(home: Home) -> HealthCheck:
    try:
        check_takes_files(home)
    except WarehouseError as exc:
        return HealthCheck(False, "home", str(exc))
    return HealthCheck(True, "home", f"{home.address} takes files")


def _state(home: Home) -> HealthCheck:
    try:
        database = database_of(home)
        database.read("stages", {"home": "", "round_id": ""}, patient=False)
    except (ConfigError, OSError) as exc:
        return HealthCheck(False, "state", str(exc))
    except ModuleNotFoundError as exc:
        from demur.programs.installation import install_command

        return HealthCheck(False, "state", f"needs {exc.name}: {install_command('state')}")
    return HealthCheck(True, "state", f"{database} answers")


def _age(newest: tuple[str, float] | None, max_age: timedelta | None) -> Iterator[HealthCheck]:
    if newest is None:
        yield HealthCheck(max_age is None, "last round", "none has begun, or none can be read")
        return
    found = f"{newest[0]} began {timedelta(seconds=round(newest[1]))} ago"
    too_old = max_age is not None and newest[1] > max_age.total_seconds()
    yield HealthCheck(not too_old, "last round", f"{found}; at most {max_age} is allowed" if too_old else found)
