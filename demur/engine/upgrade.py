"""Upgrades of homes that another version of demur made.

Migrations are first tried on a copy. If one part of a home cannot be upgraded, no part is changed.
"""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from demur.engine.context import LOADER_WAIT_SECONDS, home_reading, home_writing
from demur.engine.following import follow, publish_home
from demur.engine.progress import observer
from demur.engine.state.database import StateVersionError
from demur.engine.state.databases import database_of
from demur.errors import ConfigError
from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import OtherTablesError, WarehouseError, WarehouseMissingError, WarehouseVersionError
from demur.warehouse.home import QUARANTINE, Home
from demur.warehouse.landing import DamagedLandingError, inspect
from demur.warehouse.migrate import migrations, pending_migrations, require_current, require_our_tables
from demur.warehouse.rebuild import KEPT_SUFFIX, rebuild, require_archived
from demur.warehouse.release import releases

CURRENT: Final = "current"
MIGRATED: Final = "migrated"
AGAIN: Final = "made again"
REFUSED: Final = "refused"


@dataclass(frozen=True, slots=True)
class Step:
    """The upgrade of one part of a home. `what` is one of: current, migrated, made again, refused."""

    part: str
    what: str
    detail: str


def upgrade(home: Home, *, only_plan: bool) -> list[Step]:
    """Upgrade all parts of a home, and return the step of each part.

    If `only_plan` is set or a part is refused, the steps are returned and nothing is changed.

    Raises:
        WarehouseError: the loader's file is damaged, or another process has the file open for too long.
    """
    loader = _loader(home)
    steps = [_state(home), loader, *_published(home), *_landed(home), *_releases(home)]
    changes = any(step.what in (MIGRATED, AGAIN) for step in steps)
    if changes and not only_plan and not any(step.what == REFUSED for step in steps):
        database_of(home).upgrade()
        if loader.what == AGAIN:
            rebuild(home, wait_seconds=LOADER_WAIT_SECONDS, on_wait=observer().notice)
        follow(home)
        with home_writing(home):
            pass  # opening for writing migrates the file
        publish_home(home)
    return steps


def _state(home: Home) -> Step:
    try:
        database = database_of(home)
        database.read("stages", {"home": "", "round_id": ""}, patient=False)
    except StateVersionError as exc:
        if exc.only_lacks:
            return Step("state", MIGRATED, f"{database}: tables that an older version lacked are made")
        return Step("state", REFUSED, str(exc))
    except (ConfigError, OSError) as exc:
        return Step("state", REFUSED, str(exc))
    return Step("state", CURRENT, f"{database}: its tables are those of this version")


def _loader(home: Home) -> Step:
    """Return the upgrade of the loader's file. Missing migrations are tried on a copy."""
    if not home.loader.exists():
        return Step("loader.duckdb", CURRENT, "none is here yet")
    try:
        with home_reading(home) as con:
            pending = pending_migrations(con, migrations(), str(home.loader))
            if not pending:
                require_our_tables(con, str(home.loader))
                return Step("loader.duckdb", CURRENT, "its tables are those of this version")
            with tempfile.TemporaryDirectory(dir=home.root, prefix=".upgrade-") as folder:
                copy = Home(Path(folder))
                shutil.copyfile(home.loader, copy.loader)
                with writing(copy, wait_seconds=0):
                    pass
    except OtherTablesError as exc:
        return _loader_again(home, exc)
    except WarehouseVersionError as exc:
        return Step("loader.duckdb", REFUSED, str(exc))
    names = ", ".join(f"{one.version:04d}_{one.name}" for one in pending)
    return Step("loader.duckdb", MIGRATED, f"{names}: tried on a copy")


def _loader_again(home: Home, error: OtherTablesError) -> Step:
    try:
        require_archived(home, error)
    except WarehouseVersionError as exc:
        return Step("loader.duckdb", REFUSED, str(exc))
    detail = f"an unreleased version made it; it is made from the archive, and kept as {home.loader.name}{KEPT_SUFFIX}"
    return Step("loader.duckdb", AGAIN, detail)


def _published(home: Home) -> Iterator[Step]:
    try:
        with reading(home) as con:
            require_current(con, str(home.published))
    except WarehouseMissingError:
        return
    except WarehouseVersionError:
        yield Step("warehouse.duckdb", AGAIN, "another version published it; it is published from loader.duckdb")
    else:
        yield Step("warehouse.duckdb", CURRENT, "its tables are those of this version")


def _landed(home: Home) -> Iterator[Step]:
    """Yield a step for shards that landed with columns of another version.

    The units of these shards are worked on again from stored answers, without new calls.
    """
    zone = home.root / "landing"
    found = [path for path in zone.glob("*/*/[!.]*") if path.is_dir() and path.parent.name != QUARANTINE]
    other = 0
    for path in found:
        try:
            inspect(path)
        except DamagedLandingError:
            other += 1
    if other:
        detail = f"{other} of {len(found)} shards are worked on again when their rounds go on; no call is bought again"
        yield Step("landing", AGAIN, detail)


def _releases(home: Home) -> Iterator[Step]:
    try:
        yield Step("releases", CURRENT, f"{len(releases(home))} releases, which no version changes")
    except WarehouseError as exc:
        yield Step("releases", REFUSED, str(exc))
