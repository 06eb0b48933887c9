"""The round's gates and failures: what was expected of its rows, what held, what ended without a result."""

from dataclasses import dataclass

import pandas as pd

from demur.reports.frames import records
from demur.reports.text import is_known, plain


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation of a stage's gate and whether it held; None where it was not decided."""

    stage: str
    gate: str
    expectation: str
    subject: str
    held: bool | None
    observed: str
    bound: str


@dataclass(frozen=True, slots=True)
class Failure:
    """How many units of a stage ended without a result for one reason."""

    stage: str
    reason: str
    units: int


@dataclass(frozen=True, slots=True)
class Gates:
    """Expectations that did not hold, those that did, and failures, most units first."""

    missed: tuple[Expectation, ...]
    held: tuple[Expectation, ...]
    failures: tuple[Failure, ...]

    @property
    def failed_units(self) -> int:
        """All units that ended without a result."""
        return sum(failure.units for failure in self.failures)


def gates(expectations: pd.DataFrame, failures: pd.DataFrame) -> Gates:
    """Return the outcome of a round's gates and its failures."""
    found = [
        Expectation(
            stage=plain(row["stage"]),
            gate=plain(row["gate"]),
            expectation=plain(row["expectation"]),
            subject=plain(row["subject"]),
            held=bool(row["success"]) if is_known(row["success"]) else None,
            observed=plain(row["observed"], otherwise="n/a"),
            bound=plain(row["bound"]),
        )
        for row in records(expectations)
    ]
    lost = [
        Failure(plain(row["stage"]), plain(row["reason"]), int(row["units"]) if is_known(row["units"]) else 0)
        for row in records(failures)
    ]
    return Gates(
        tuple(row for row in found if not row.held),
        tuple(row for row in found if row.held),
        tuple(sorted(lost, key=lambda row: (-row.units, row.stage, row.reason))),
    )
