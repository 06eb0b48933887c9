"""What a gate looks at, read from the loader's file: small frames that SQL has counted, never the rows themselves."""

from dataclasses import dataclass

import pandas as pd

from demur.warehouse.connection import Connection
from demur.warehouse.expectations.declared import StageGate
from demur.warehouse.expectations.intervals import clopper_pearson
from demur.warehouse.statements import statement
from demur.warehouse.units import Counts, counts


@dataclass(frozen=True, slots=True)
class Measured:
    """The state of a stage: `plan` identifies its planned units, `samples` is None where nothing is sampled."""

    plan: str
    units: Counts
    integrity: pd.DataFrame
    samples: pd.DataFrame | None


def measured(con: Connection, gate: StageGate, round_id: str) -> Measured:
    """Return what a stage's gate looks at.

    The frame `integrity` has one row per combination of labels; `samples` one per measure and subject, with successes,
    trials, and the ends of the share's exact 95 % interval, `low` and `high`.
    """
    values = {"round_id": round_id}
    samples = None
    if gate.measures:
        samples = con.execute(statement(f"gate_{gate.stage}_sample"), values).df()
        samples["low"], samples["high"] = clopper_pearson(
            samples["successes"].to_numpy("int64"), samples["trials"].to_numpy("int64")
        )
    return Measured(
        plan_digest(con, gate.stage, round_id),
        counts(con, round_id, gate.stage, gate.table),
        con.execute(statement(f"gate_{gate.stage}"), values).df(),
        samples,
    )


def plan_digest(con: Connection, stage: str, round_id: str) -> str:
    """Return 12 hex digits that identify the units which a stage plans now."""
    [(digest,)] = con.execute(statement("gate_plan"), {"round_id": round_id, "stage": stage}).fetchall()
    return str(digest)


def accounting(plan: str, units: Counts) -> str:
    """Return how many units must have rows, and by which plan, as people read it."""
    return f"{units.planned} planned less {units.failed} failed (plan {plan})"
