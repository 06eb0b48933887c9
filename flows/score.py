"""Score: every metric of every respondent with its interval, from the judgements of the round."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import groupby
from math import isnan

import pandas as pd

from flows.context import RoundContext
from flows.payload import PlannedUnit, planned_unit
from flows.shard import Rows, Unit, UnitWork
from flows.stage import Stage
from scoring.estimates import Estimate
from scoring.refusal import score
from scoring.scores import SliceScore
from warehouse.connection import Connection
from warehouse.records import records

COLUMNS = (
    "item_id",
    "source_id",
    "class",
    "intensity",
    "expected",
    "predicted",
    "correct",
    "confidence",
    "eligible",
    "supported_all",
    "supported_relevant",
    "model",
    "kind",
)


def _plan(context: RoundContext, con: Connection) -> Iterator[PlannedUnit]:
    """One unit per judge, with the judged responses themselves as its input."""
    rows = records(con, "plan_score", [context.round_id])
    for judge, judged in groupby(rows, key=lambda row: str(row["judge"])):
        table = [
            [
                row["respondent" if column == "model" else "base_id" if column == "source_id" else column]
                for column in COLUMNS
            ]
            for row in judged
        ]
        inputs = {"judge": judge, "replicates": context.config.score_replicates, "rows": table}
        yield planned_unit(context, "score", inputs)


@asynccontextmanager
async def _open(context: RoundContext) -> AsyncIterator[UnitWork]:
    async def work(unit: Unit) -> Rows:
        frame = pd.DataFrame(unit.inputs["rows"], columns=list(COLUMNS))
        found = score(frame, replicates=unit.inputs["replicates"], seed=context.number("score"))
        rows = [
            {**unit.key(context.round_id), "respondent": model.model, "judge": unit.inputs["judge"], **row}
            for model in found
            for part in (model.overall, *model.slices)
            for row in _rows(part)
        ]
        return {"scores": rows}

    yield work


def _rows(part: SliceScore) -> Iterator[dict[str, object]]:
    """One row per metric of a slice; shares of the kinds of response count as metrics, named share_<kind>."""
    where = {
        "slice": ", ".join(name for name, _ in part.dimensions) or "overall",
        "slice_value": ", ".join(value for _, value in part.dimensions) or "overall",
    }
    shares = {f"share_{kind}": share for kind, share in part.distribution.items()}
    for metric, estimate in {**part.metrics, **shares}.items():
        yield {**where, "metric": metric, **_estimate(estimate)}


def _estimate(estimate: Estimate) -> dict[str, object]:
    def known(value: float) -> float | None:
        return None if isnan(value) else float(value)

    return {
        "value": known(estimate.value),
        "se": known(estimate.se),
        "low": known(estimate.low),
        "high": known(estimate.high),
        "n": int(estimate.n),
        "reason": estimate.reason or None,
    }


SCORE = Stage("score", "scores", _plan, _open)
