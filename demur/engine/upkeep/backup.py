"""Backups of a home while rounds run, homes restored from backups, and pruning of old rounds."""

import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from shutil import rmtree
from typing import Final

from demur.configuration.settings import state_named
from demur.engine.context import home_writing
from demur.engine.loading import publish_home, rebuild_home
from demur.engine.round_lock import round_lock
from demur.engine.state.home_state import copy_state, put_state
from demur.engine.state.shared import shared_state
from demur.errors import FlowError, RoundBusyError
from demur.programs.installation import installed_version
from demur.warehouse.archives import Bundle, unpacked, write_bundle
from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError, disk_explained
from demur.warehouse.home import Home
from demur.warehouse.publication import OldRound, Rebuilt, has_release, old_rounds, prune_round, rows_to_drop, sizes_of
from demur.warehouse.stores import STORES, fetch_file, is_stored, put_file

# Backups of a home while rounds run, and homes restored from backups.
#
# A backup has the published copy of the warehouse, the state with all calls, and all other files. Rows that are
# younger than the published copy are computed again from the calls. Files are never changed in place, so a hard link
# keeps the content of a file.


STATE: Final = "state.db"
_STAGED: Final = ".backup-"
_DERIVED: Final = (
    "fetched",
    "locks",
    "plans",
    "state-id",
    "tmp",
)
"""Names of files and folders that a home creates anew, or that are valid only in this home."""


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A finished backup: its place, the number of its files, and their total size in bytes."""

    place: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Restored:
    """A restored home: the number of files, the backup's date, and the rebuilt warehouse."""

    files: int
    made_at: str
    rebuilt: Rebuilt


def back_up(home: Home, target: str) -> BackedUp:
    """Write a backup of a home to a file or an address (s3://bucket/name.tar). Rounds may run meanwhile.

    Raises:
        FlowError: the target lies in the home, or is no address of a store.
        WarehouseError: the home has no landed data, the target exists, the disk is full, or the store of the address
            does not answer.
    """
    stored = target.startswith(STORES)
    if not stored and "://" in target:
        raise FlowError(f"{target}: is neither a file nor an address in a store ({', '.join(STORES)})")
    if not stored and Path(target).resolve().is_relative_to(home.root):
        raise FlowError(
            f"{target}: is inside the home {home.root}, so later backups would contain this backup; name another place"
        )
    if stored and is_stored(target):
        raise WarehouseError(f"{target}: already exists; name another object")
    with _staged(home) as files:
        facts = {
            "demur": str(installed_version()),
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if not stored:
            entries = write_bundle(Path(target).resolve(), files, facts)
        else:
            draft = home.root / f"{_STAGED}{uuid.uuid4().hex[:8]}.tar"
            try:
                entries = write_bundle(draft, files, facts)
                put_file(draft, target)
            finally:
                draft.unlink(missing_ok=True)
    return BackedUp(target, len(entries), sum(entry["bytes"] for entry in entries.values()))


def restore(home: Home, source: str) -> Restored:
    """Fill an empty home from a backup, with state and warehouse.

    Rounds of the home can then be continued, and repeat no paid request.

    Raises:
        FlowError: the home is not empty.
        WarehouseError: the backup is damaged, the disk is full, or the store of the address does not answer; the home
            is unchanged.
    """
    stored = source.startswith(STORES)
    if not stored and not Path(source).is_file():
        raise FlowError(f"{source}: does not exist; name a file that `demur home backup` wrote")
    _check_empty(home)
    draft = home.root.with_name(f".{home.root.name}.restoring")
    fetched = draft.with_name(f"{draft.name}.tar")
    try:
        if stored:
            fetch_file(source, fetched)
        with unpacked(fetched if stored else Path(source), draft) as bundle:
            _put_files(home, bundle)
            files, made_at = len(bundle.files), bundle.manifest.made_at
    finally:
        fetched.unlink(missing_ok=True)
    try:
        rebuilt = rebuild_home(home)
        publish_home(home)
    except BaseException:
        shutil.rmtree(home.root, ignore_errors=True)
        raise
    return Restored(files, made_at, rebuilt)


def _put_files(home: Home, bundle: Bundle) -> None:
    """Put the files of a backup into a home. The home appears only when all files are there."""
    state = bundle.folder / STATE
    if state_named() is not None:
        _put_state(Home(bundle.folder), state)
        state.unlink()
    with disk_explained(home.root):
        if home.root.exists():
            home.root.rmdir()
        bundle.folder.rename(home.root)


def _put_state(home: Home, state: Path) -> None:
    shared = shared_state(home)
    with shared.database.explained():
        put_state(state, shared.database, shared.home_id)


def _check_empty(home: Home) -> None:
    if home.root.exists() and (not home.root.is_dir() or any(home.root.iterdir())):
        raise FlowError(f"{home.root}: is not empty. Restore into a folder that does not exist yet (DEMUR_HOME)")


@contextmanager
def _staged(home: Home) -> Iterator[dict[str, Path]]:
    """Yield hard links to the files of a backup, by key. The links keep the present content of the files.

    Raises:
        WarehouseError: the home has no landed data.
    """
    folder = home.root / f"{_STAGED}{uuid.uuid4().hex[:8]}"
    files: dict[str, Path] = {}
    with disk_explained(folder):
        try:
            folder.mkdir(parents=True)
            # before the state, so that the state has the calls of all rows in the published copy
            files |= _linked(home, folder, home.published)
            shared = shared_state(home)
            with shared.database.explained():
                copy_state(shared.database, shared.home_id, folder / STATE)
            files[STATE] = folder / STATE
            for top in sorted(home.root.iterdir()):
                if not _is_derived(top.name):
                    files |= _linked(home, folder, top)
            if home.key(home.published) not in files:
                raise WarehouseError(f"{home.root}: no round was loaded here; there is nothing to back up")
            yield files
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _is_derived(name: str) -> bool:
    warehouse = name.startswith(("loader.duckdb", "warehouse.duckdb", STATE))
    return warehouse or name.startswith(".") or name in _DERIVED


def _linked(home: Home, folder: Path, top: Path) -> dict[str, Path]:
    """Hard-link all files at or below a path, and return the links by key.

    Files that disappear meanwhile are left out.
    """
    found = {}
    for path in [top] if top.is_file() else sorted(top.rglob("*")):
        key = home.key(path)
        is_hidden = any(part.startswith(".") for part in PurePosixPath(key).parts)
        if is_hidden or not path.is_file():
            continue
        second = folder / "files" / key
        second.parent.mkdir(parents=True, exist_ok=True)
        try:
            second.unlink(missing_ok=True)
            _link(path, second)
        except FileNotFoundError:
            continue
        found[key] = second
    return found


def _link(path: Path, second: Path) -> None:
    try:
        os.link(path, second)
    except FileNotFoundError:
        raise
    except OSError:  # a file system without hard links
        shutil.copy2(path, second)


# Pruning: selects old rounds on which no process works, deletes their texts, and rebuilds the warehouse.


@dataclass(frozen=True, slots=True)
class PrunedRound:
    """A pruned round, and the number of its dropped rows."""

    round_id: str
    rows: int


@dataclass(slots=True)
class Pruned:
    """The result of pruning.

    Attributes:
        rounds: The pruned rounds.
        kept: The reason for each old round that stays.
        freed: The bytes by which the home became smaller.
    """

    rounds: list[PrunedRound] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    freed: int = 0


def prune(home: Home, keep_rounds: int | None, older_than: timedelta | None, *, dry_run: bool) -> Pruned:
    """Drop the texts of old rounds, and return the pruned and the kept rounds.

    A round is old if it meets both conditions: it is not among the `keep_rounds` newest rounds of its configuration,
    and it began longer ago than `older_than`. If `keep_rounds` or `older_than` is None, every round meets the condition
    of this parameter. With `dry_run`, nothing is changed.

    Raises:
        WarehouseMissingError: nothing is published in this home.
        WarehouseError: the disk is full or not writable; the same command resumes.
    """
    report = Pruned()
    before = sum(sizes_of(home).values())
    recorded = shared_state(home).rounds()
    with ExitStack() as held:
        with reading(home) if dry_run else home_writing(home) as con:
            for one in _chosen(old_rounds(con), keep_rounds, older_than):
                plans = home.plans(one.round_id)
                has_leftovers = one.round_id in recorded or plans.exists()
                if one.pruned_at is not None and not has_leftovers:  # leftovers are of an interrupted pruning
                    continue
                why = _why_kept(home, one, held)
                if why is not None:
                    report.kept[one.round_id] = why
                    continue
                rows = rows_to_drop(con, one.round_id)
                report.rounds.append(PrunedRound(one.round_id, rows))
                if not dry_run:
                    prune_round(con, one.round_id)
                    shared_state(home).forget_calls(one.round_id)
                    with disk_explained(plans):
                        if plans.exists():
                            rmtree(plans)
        if report.rounds and not dry_run:
            rebuild_home(home)
            publish_home(home)
            shared_state(home).database.shrink()
            report.freed = before - sum(sizes_of(home).values())
    return report


def _chosen(rounds: Sequence[OldRound], keep_rounds: int | None, older_than: timedelta | None) -> list[OldRound]:
    now = datetime.now(UTC).replace(tzinfo=None)
    chosen = []
    for one in rounds:
        is_among_newest = keep_rounds is not None and one.age < keep_rounds
        is_young = older_than is not None and now - one.started_at <= older_than
        if not is_among_newest and not is_young:
            chosen.append(one)
    return chosen


def _why_kept(home: Home, one: OldRound, held: ExitStack) -> str | None:
    """Return the reason why a round stays, or take the round's lock and return None."""
    if not one.is_finished:
        return "is not finished"
    if not has_release(home, one):
        return f"its release {one.release} is not here as it was frozen" if one.release else "has no release"
    try:
        held.enter_context(round_lock(home, one.round_id))
    except RoundBusyError as exc:
        return str(exc)
    return None
