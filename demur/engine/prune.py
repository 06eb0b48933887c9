"""Pruning: selects old rounds on which no process works, deletes their texts, and rebuilds the warehouse."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from demur.engine.context import home_writing
from demur.engine.following import publish_home
from demur.engine.rebuilding import rebuild_home
from demur.engine.round_lock import round_lock
from demur.engine.state.shared import shared_state
from demur.errors import RoundBusyError
from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from demur.warehouse.pruning import (
    OldRound,
    delete_files,
    files_of,
    has_release,
    old_rounds,
    prune_round,
    rows_to_drop,
)


@dataclass(frozen=True, slots=True)
class PrunedRound:
    """A pruned round: the number of its dropped rows, and the bytes of its deleted files."""

    round_id: str
    rows: int
    size: int


@dataclass(slots=True)
class Pruned:
    """The result of pruning. `kept` has the reason for each old round that stays."""

    rounds: list[PrunedRound] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of the deleted files of all rounds."""
        return sum(one.size for one in self.rounds)


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
    with ExitStack() as held:
        with reading(home) if dry_run else home_writing(home) as con:
            for one in _chosen(old_rounds(con), keep_rounds, older_than):
                files = files_of(home, one.round_id)
                if one.pruned_at is not None and not files:
                    continue
                if (why := _why_kept(home, one, held)) is not None:
                    report.kept[one.round_id] = why
                    continue
                rows = rows_to_drop(con, one.round_id)
                report.rounds.append(PrunedRound(one.round_id, rows, sum(files.values())))
                if not dry_run:
                    prune_round(con, one.round_id)
                    shared_state(home).forget_calls(one.round_id)
                    delete_files(home, one.round_id)
        if report.rounds and not dry_run:
            rebuild_home(home)
            publish_home(home)
    return report


def _chosen(rounds: Sequence[OldRound], keep_rounds: int | None, older_than: timedelta | None) -> list[OldRound]:
    now = datetime.now(UTC).replace(tzinfo=None)
    return [
        one
        for one in rounds
        if (keep_rounds is None or one.age >= keep_rounds) and (older_than is None or now - one.started_at > older_than)
    ]


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
