"""The health of a home, for monitoring: checks of its folder, its state and its published warehouse."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Thread
from time import monotonic
from typing import Final

from demur.configuration.settings import check_writable
from demur.engine.state.home_state import database_of
from demur.errors import ConfigError
from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError, WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.statements import statement
from demur.warehouse.tables.made_tables import require_current

READ_WAIT_SECONDS: Final = 2.0
WAIT_SECONDS: Final = 15.0
"""The longest time for the probes of home and state; Kubernetes and systemd end a probe after 30 s."""


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
    checks = at_once(home, {"home": _takes_files, "state": _state})
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


def at_once(home: Home, probes: Mapping[str, Callable[[Home], HealthCheck]]) -> list[HealthCheck]:
    """Return the results of probes that run at once. One that has no result after WAIT_SECONDS fails.

    Clients of databases try for a minute, and monitors end a probe after half of that.
    """
    found: dict[str, HealthCheck] = {}

    def run(what: str) -> None:
        try:
            found[what] = probes[what](home)
        except Exception as exc:  # the check tells every error; a thread would print a traceback
            found[what] = HealthCheck(False, what, f"{type(exc).__name__}: {exc}")

    threads = [Thread(target=run, args=(what,), daemon=True) for what in probes]  # the end of the process ends them
    until = monotonic() + WAIT_SECONDS
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, until - monotonic()))
    late = f"does not answer within {WAIT_SECONDS:g} s; check its address, and that it is up"
    return [found.get(what) or HealthCheck(False, what, late) for what in probes]


def _takes_files(home: Home) -> HealthCheck:
    try:
        check_writable(home.root)
    except WarehouseError as exc:
        return HealthCheck(False, "home", str(exc))
    return HealthCheck(True, "home", f"{home.root} takes files")


def _state(home: Home) -> HealthCheck:
    try:
        database = database_of(home)
        database.read("progress", {"home": ""}, patient=False)
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
