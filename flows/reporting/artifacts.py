"""What people see of a round in Prefect's interface: progress, yields, leaderboard, where the report is."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from prefect.artifacts import (
    create_link_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)

from demur.flows.context import RoundContext, patient_reading
from demur.warehouse.records import records
from demur.warehouse.release import Release


def artifact_key(*words: str) -> str:
    """Return a key as Prefect takes it: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")


@dataclass(frozen=True, slots=True)
class StageProgress:
    """The progress of one stage, as a share of its units that ended."""

    artifact: UUID
    units: int

    def ended(self, units: int) -> None:
        """Show how many units have ended."""
        update_progress_artifact(self.artifact, progress=100.0 * units / self.units)


@contextmanager
def stage_progress(context: RoundContext, stage: str, units: int, landed: int) -> Iterator[StageProgress]:
    """Show a stage's progress while the block runs."""
    artifact = create_progress_artifact(
        progress=100.0 * landed / units,
        key=artifact_key(context.round_id, stage),
        description=f"{stage}: {units} units, {landed} landed before",
    )
    yield StageProgress(cast("UUID", artifact), units)


def show_results(context: RoundContext, release: Release) -> None:
    """Show a finished round's yields, leaderboard and report."""
    with patient_reading(context) as con:
        strata = list(records(con, "report_strata", [context.round_id]))
        board = list(records(con, "report_leaderboard", [context.round_id]))
    _table(context, "yields", "From units asked to items, by stratum", strata)
    _table(context, "leaderboard", "Scores over perturbed items, refusals of controls, mean reward", board)
    report = release.path / "report.html"
    create_link_artifact(
        link=report.as_uri(),
        link_text=f"Report of {release.label}",
        key=artifact_key(context.round_id, "report"),
        description=f"Release {release.label}: {release.items} items, report at {report}",
    )


def _table(context: RoundContext, name: str, description: str, rows: list[dict[str, Any]]) -> None:
    create_table_artifact(table=rows, key=artifact_key(context.round_id, name), description=description)
