"""The page of a configuration's history: fresh rounds by date, and a static release beside them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pandas as pd

from demur.engine.context import RoundContext, loader_reading
from demur.engine.progress import observer
from demur.errors import FlowError
from demur.flows.evaluations import REPLICATES
from demur.flows.evaluations.boards import boards
from demur.levers.durable import replace_durably
from demur.reports.boards import History, render_boards
from demur.scoring.drift import drift
from demur.scoring.rows import SEED
from demur.scoring.rows.estimates import Row, known, limits
from demur.scoring.sample_size import half_width, static_bound
from demur.warehouse.connection import Connection
from demur.warehouse.errors import disk_explained
from demur.warehouse.records import frame, records
from demur.warehouse.release import Release

DELTA: Final = 0.05


def static_drift(con: Connection, static: str, fresh: str) -> Iterator[Row]:
    """Yield, for each model that was evaluated on a static release and took part in a fresh round, static less fresh.

    `tolerance` is what the fresh round keeps with 95 % probability for any model, by its source questions. With the
    difference as the static set's contamination, that misses the tolerance with `failure_at_most`, null where no static
    set keeps it.

    Raises:
        FlowError: no model with the same judge is in both.
    """
    pairs = list(records(con, "models_in_both", [static, fresh]))
    if not pairs:
        raise FlowError(
            f"{static} and {fresh} have no respondent in common: the same model, under the same prompts and judge. "
            "`demur evaluations list` shows who answered in each"
        )
    for pair in pairs:
        before, after = (_responses(con, pair, name) for name in (fresh, static))
        for moved in drift(before, after, replicates=REPLICATES, seed=SEED):
            shown = limits(moved.difference, "difference")
            tolerance = half_width(moved.sources_before, DELTA, 1) if moved.sources_before else None
            bound = None
            if tolerance is not None and shown["difference"] is not None:
                gap = min(1.0, abs(float(str(shown["difference"]))))
                bound = static_bound(min(tolerance, 0.999), DELTA, gap, moved.sources_after)
            yield {
                "respondent": pair["respondent"],
                "judge": pair["judge"],
                "static": static,
                "fresh": fresh,
                "metric": moved.metric,
                **shown,
                "p_value": known(moved.p_value),
                "sources_static": moved.sources_after,
                "sources_fresh": moved.sources_before,
                "tolerance": tolerance,
                "failure_at_most": None if bound is None else bound.failure_at_most,
                "remark": None if bound is None else bound.reason,
            }


def _responses(con: Connection, pair: dict[str, Any], round_id: str) -> pd.DataFrame:
    rows = pd.DataFrame(list(records(con, "board_responses", [round_id, pair["respondent"], pair["judge"]])))
    return rows.assign(model=pair["respondent"])


def write_history(context: RoundContext, release: Release, evaluation: str | None) -> Path:
    """Write the page anew and say what moved; `evaluation` is the round's on the static release.

    Returns:
        The page, `boards/<configuration>.html`.
    """
    name = context.config.name
    with loader_reading(context) as con:
        now = [context.round_id] if evaluation is None else [context.round_id, evaluation]
        moved = list(records(con, "moved", [now]))
        static = []
        if evaluation is not None:
            try:
                static = list(static_drift(con, evaluation, context.round_id))
            except FlowError as exc:
                observer().notice(str(exc))
        history = History(frame(con, "rounds_history", [name]), pd.DataFrame(moved), pd.DataFrame(static))
        page = render_boards(boards(con, release.label), name, history)
    path = context.home.boards / f"{name}.html"
    with disk_explained(path):
        replace_durably(path, page.encode())
    if context.home.store is not None:
        context.home.store.put(context.home.key(path), page.encode())
    for row in moved:
        if row["verdict"] != "no":
            message = (
                f"{row['respondent']} moved {row['verdict']} by {abs(row['difference']):.3f} from "
                f"{row['earlier_round_id']} to {row['round_id']}"
            )
            observer().notice(message)
    return path
