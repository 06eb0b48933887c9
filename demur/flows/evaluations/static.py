"""A static release beside fresh rounds: how far scores on it lie from those of a round, and what that leaves of it."""

from collections.abc import Iterator
from typing import Any, Final

import pandas as pd

from demur.errors import FlowError
from demur.flows.evaluations import REPLICATES
from demur.scoring.drift import drift
from demur.scoring.rows import SEED
from demur.scoring.rows.estimates import Row, known, limits
from demur.scoring.sample_size import half_width, static_bound
from demur.warehouse.connection import Connection
from demur.warehouse.records import records

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
