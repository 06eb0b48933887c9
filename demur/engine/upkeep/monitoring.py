"""Figures of a home's rounds for monitoring tools, read from the shared state and the published warehouse.

Processes of rounds come and go, so the figures are computed from the home at the time of reading. Calls that the
published warehouse lacks are counted in the store of calls.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from demur.engine.progress_events import TimeBounds
from demur.engine.progress_state import RoundState, live_rounds
from demur.engine.state.shared import SharedState, shared_state
from demur.errors import ConfigError
from demur.warehouse.connection import reading
from demur.warehouse.errors import WarehouseError, WarehouseMissingError
from demur.warehouse.home import Home
from demur.warehouse.results.round_figures import (
    CallCount,
    RoundRecord,
    UnitCount,
    added,
    call_counts,
    count_calls,
    round_records,
    spent_usd,
    unit_counts,
)
from demur.warehouse.round_rows import known_calls, loaded_calls
from demur.warehouse.transactions import Connection


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """The figures of a round.

    Attributes:
        step: The current stage of a running round.
        spent_usd: The costs that count against the cap; None if the price of a request is unknown.
        left: The bounds of the remaining time of a running round; None if unknown.
    """

    round_id: str
    configuration: str = ""
    status: str = "open"
    running: bool = False
    step: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    release: str | None = None
    released_at: datetime | None = None
    units: tuple[UnitCount, ...] = ()
    calls: tuple[CallCount, ...] = ()
    spent_usd: float | None = 0.0
    cap_usd: float | None = None
    left: TimeBounds | None = None
    open_batches: int = 0


@dataclass(frozen=True, slots=True)
class HomeFigures:
    """The figures of a home: its rounds, newest first, and whether its state answered."""

    rounds: tuple[RoundFigures, ...]
    state_reachable: bool


def home_figures(home: Home, wanted: Collection[str] | None = None) -> HomeFigures:
    """Return the figures of the wanted rounds.

    By default these are the running rounds, and the newest round of each configuration. Without a published warehouse,
    only running rounds are returned.

    Raises:
        WarehouseError: the published warehouse cannot be read.
    """
    running = live_rounds(home)
    state, batches = _of_state(home)
    try:
        with reading(home) as con:
            records = round_records(con)
            chosen = {one.round_id for one in records if one.is_newest or one.round_id in running}
            shown = [one for one in records if one.round_id in (chosen if wanted is None else wanted)]
            return HomeFigures(tuple(_figures(con, state, shown, running, batches)), state is not None)
    except WarehouseMissingError:
        rounds = (RoundFigures(round_id, open_batches=batches.get(round_id, 0)) for round_id in running)
        return HomeFigures(tuple(_with_progress(one, running[one.round_id]) for one in rounds), state is not None)


def _of_state(home: Home) -> tuple[SharedState | None, dict[str, int]]:
    """Return the state and the numbers of open batches by round; None if the state does not answer."""
    with suppress(ConfigError, WarehouseError, OSError):
        state = shared_state(home)
        batches: dict[str, int] = {}
        for batch in state.all_batches():
            batches[batch.round_id] = batches.get(batch.round_id, 0) + (batch.ended_at is None)
        return state, batches
    return None, {}


def _figures(
    con: Connection,
    state: SharedState | None,
    shown: Sequence[RoundRecord],
    running: dict[str, RoundState],
    batches: dict[str, int],
) -> list[RoundFigures]:
    ids = [one.round_id for one in shown]
    units = unit_counts(con, ids)
    calls = call_counts(con, ids)
    spent = spent_usd(con, ids)
    found = []
    for one in shown:
        counted = calls.get(one.round_id, [])
        if one.status == "open" and state is not None:
            counted = added([*counted, *_not_published(con, state, one.round_id)])
        figures = RoundFigures(
            round_id=one.round_id,
            configuration=one.configuration,
            status=one.status,
            started_at=one.started_at,
            finished_at=one.finished_at,
            release=one.release,
            released_at=one.released_at,
            units=tuple(units.get(one.round_id, ())),
            calls=tuple(counted),
            spent_usd=spent.get(one.round_id, 0.0),
            cap_usd=one.cap_usd,
            open_batches=batches.get(one.round_id, 0),
        )
        live = running.get(one.round_id)
        found.append(figures if live is None else _with_progress(figures, live))
    return found


def _not_published(con: Connection, state: SharedState, round_id: str) -> list[CallCount]:
    beyond = [call for calls in state.calls_beyond(round_id, loaded_calls(con, round_id)) for call in calls]
    known = known_calls(con, [str(call["call_id"]) for call in beyond])
    return count_calls(call for call in beyond if call["call_id"] not in known)


def _with_progress(figures: RoundFigures, live: RoundState) -> RoundFigures:
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
        spent_usd=None if figures.spent_usd is None else max(live.spent_usd, figures.spent_usd),
        cap_usd=live.cap_usd,
        left=live.left.round,
    )
