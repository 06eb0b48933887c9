"""Figures of a home's rounds for whoever watches from outside: read from the state and the published copy.

Processes of rounds come and go, so none of them counts for others: the figures are what the home holds when they are
read. Requests that the published copy does not have yet are taken from the journals that have them.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from demur.engine.progress_state import RoundState, live_rounds
from demur.engine.state.shared import shared_state
from demur.engine.time_left import TimeBounds
from demur.errors import ConfigError
from demur.warehouse.connection import Connection, reading
from demur.warehouse.errors import WarehouseError, WarehouseMissingError
from demur.warehouse.figures import (
    CallCount,
    RoundRecord,
    UnitCount,
    added,
    archived_calls,
    call_counts,
    count_calls,
    known_calls,
    parse_calls,
    round_records,
    spent_usd,
    unit_counts,
)
from demur.warehouse.home import Home


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """A round in figures: `left` are seconds, at least and at most, while it runs and they are known.

    `step` is the stage that it is at while it runs; `spent_usd` what counts against its cap.
    """

    round_id: str
    configuration: str
    status: str
    running: bool
    step: str | None
    started_at: datetime | None
    finished_at: datetime | None
    release: str | None
    released_at: datetime | None
    units: tuple[UnitCount, ...]
    calls: tuple[CallCount, ...]
    spent_usd: float
    cap_usd: float | None
    left: TimeBounds | None
    open_batches: int


@dataclass(frozen=True, slots=True)
class HomeFigures:
    """The figures of a home: its rounds, the newest first, and whether its state answered."""

    rounds: tuple[RoundFigures, ...]
    state_reachable: bool


def home_figures(home: Home, wanted: Collection[str] | None = None) -> HomeFigures:
    """Return the figures of the rounds that run and of the newest of each configuration, or of the wanted ones.

    Raises:
        WarehouseError: the published copy cannot be read; a home that has none yet has the rounds that run.
        StoreError: the home's store does not answer.
    """
    running = live_rounds(home)
    unpublished, batches, answers = _of_state(home, wanted)
    try:
        with reading(home) as con:
            records = round_records(con)
            shown = [
                one
                for one in records
                if (one.round_id in wanted if wanted is not None else one.is_newest or one.round_id in running)
            ]
            return HomeFigures(tuple(_figures(con, home, shown, running, unpublished, batches)), answers)
    except WarehouseMissingError:
        rounds = [
            RoundFigures(
                round_id, "", "open", True, one.stage, None, None, None, None, (), (), one.spent_usd, one.cap_usd,
                one.left.round, batches.get(round_id, 0),
            )
            for round_id, one in running.items()
        ]  # fmt: skip
        return HomeFigures(tuple(_with_progress(one, running[one.round_id]) for one in rounds), answers)


def _of_state(home: Home, wanted: Collection[str] | None) -> tuple[dict[str, list[bytes]], dict[str, int], bool]:
    """Return journalled calls that no archive has yet and numbers of open batches, by round, and whether it answers."""
    with suppress(ConfigError, WarehouseError, OSError):
        state = shared_state(home)
        batches: dict[str, int] = {}
        for batch in state.all_batches():
            batches[batch.round_id] = batches.get(batch.round_id, 0) + (batch.ended_at is None)
        return state.journalled(wanted), batches, True
    return {}, {}, False


def _figures(
    con: Connection,
    home: Home,
    shown: Sequence[RoundRecord],
    running: dict[str, RoundState],
    unpublished: dict[str, list[bytes]],
    batches: dict[str, int],
) -> list[RoundFigures]:
    ids = [one.round_id for one in shown]
    units = unit_counts(con, ids)
    calls = call_counts(con, ids)
    spent = spent_usd(con, ids)
    found = []
    for one in shown:
        counted = calls.get(one.round_id, [])
        if one.status == "open":
            more = _not_published(con, home, one.round_id, unpublished.get(one.round_id, []))
            counted = added([*counted, *more])
        figures = RoundFigures(
            one.round_id, one.configuration, one.status, False, None, one.started_at, one.finished_at, one.release,
            one.released_at, tuple(units.get(one.round_id, ())), tuple(counted), spent.get(one.round_id, 0.0),
            one.cap_usd, None, batches.get(one.round_id, 0),
        )  # fmt: skip
        live = running.get(one.round_id)
        found.append(figures if live is None else _with_progress(figures, live))
    return found


def _not_published(con: Connection, home: Home, round_id: str, journalled: list[bytes]) -> list[CallCount]:
    """Return the requests that journals have and the published copy has not: each once, wherever it stands."""
    calls = parse_calls([*journalled, *archived_calls(con, home, round_id)])
    for call_id in known_calls(con, round_id, calls):
        del calls[call_id]
    return count_calls(calls)


def _with_progress(figures: RoundFigures, live: RoundState) -> RoundFigures:
    """Return the figures of a round that runs, with what its process says of the stages of this run."""
    units = {(one.stage, one.outcome, one.reason): one.units for one in figures.units}
    for stage, counted in live.stages.items():
        failed = sum(counted.failed.values())
        said: dict[tuple[str, str | None], int] = {
            ("planned", None): counted.units,
            ("landed", None): counted.landed + counted.done - failed,
            **{("failed", reason): number for reason, number in counted.failed.items()},
        }
        for (outcome, reason), number in said.items():
            key = stage, outcome, reason
            units[key] = max(number, units.get(key, 0))
    return replace(
        figures,
        running=True,
        step=live.stage,
        units=tuple(UnitCount(*key, number) for key, number in units.items()),
        spent_usd=max(live.spent_usd, figures.spent_usd),
        cap_usd=live.cap_usd,
        left=live.left.round,
    )
