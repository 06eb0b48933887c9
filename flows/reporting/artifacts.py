"""What people see of a round in Prefect's interface: how far it is, and what came of it, on the round's own run.

An artifact's key names the configuration and the kind, so that the key's history is that of all its rounds.
"""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final, cast
from uuid import UUID

from prefect.artifacts import MarkdownArtifact, ProgressArtifact, update_progress_artifact
from prefect.client.schemas.objects import Artifact
from prefect.runtime import flow_run

from demur.flows.context import RoundContext, patient_reading
from demur.flows.money.costs import dollars
from demur.warehouse.connection import Connection
from demur.warehouse.formats import as_markdown
from demur.warehouse.records import records, table_of
from demur.warehouse.release import Release

_TABLES: Final = {
    "Warnings": "summary_warnings",
    "Leaderboard": "summary_leaderboard",
    "Yield by stratum": "summary_strata",
    "Costs by stage": "costs_stage",
}
"""The statement behind each table of a round's summary."""


def _key(*words: str) -> str:
    """Return a key as Prefect takes it: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")


@dataclass(frozen=True, slots=True)
class StageProgress:
    """The progress of one stage, as a share of its units that ended."""

    artifact: UUID
    stage: str
    units: int

    def ended(self, units: int) -> None:
        """Show how many units have ended."""
        update_progress_artifact(
            self.artifact, 100.0 * units / self.units, f"{self.stage}: {units} of {self.units} units"
        )


@contextmanager
def stage_progress(context: RoundContext, stage: str, units: int, landed: int) -> Iterator[StageProgress]:
    """Show a stage's progress while the block runs."""
    progress = StageProgress(_progress_artifact(context.config.name, _run()), stage, units)
    progress.ended(landed)
    yield progress


def show_results(context: RoundContext, release: Release) -> None:
    """Show what came of a finished round: warnings, leaderboard, yield, costs, and how to open its report."""
    run = _run()
    with patient_reading(context) as con:
        markdown = round_markdown(context, con, release)
    update_progress_artifact(_progress_artifact(context.config.name, run), 100.0, f"released {release.label}")
    artifact = MarkdownArtifact(
        key=_key(context.config.name, "summary"),
        description=f"Release {release.label} of round {context.round_id}: {release.items} items",
        markdown=markdown,
        flow_run_id=run,
    )
    artifact.create()


def round_markdown(context: RoundContext, con: Connection, release: Release) -> str:
    """Return the summary of a finished round; what came from a corpus or a model stands escaped in tables."""
    total = next(records(con, "costs_total", [context.round_id]))
    cap = "no cap" if total["max_usd"] is None else f"a cap of ${dollars(total['max_usd'])}"
    parts = [
        f"# Release {release.label}",
        f"{release.items} items of round {context.round_id}; {total['calls']} requests, which count as "
        f"${dollars(total['counted_usd'])}, under {cap}.",
        "## Report",
        f"`{release.path / 'report.html'}` on the worker's machine. Browsers open no file from a page such as this "
        "one: open it there, or serve it there and look at <http://127.0.0.1:8000/report.html>:",
        f"    cd {shlex.quote(str(release.path))}\n    python3 -m http.server 8000 --bind 127.0.0.1",
    ]
    for title, query in _TABLES.items():
        columns, rows = table_of(con, query, [context.round_id])
        parts += [f"## {title}", as_markdown(columns, rows) if rows else "None."]
    return "\n\n".join(parts) + "\n"


def _run() -> UUID | None:
    """The run that somebody started: a round's, or a stage's that was started alone."""
    run = flow_run.root_flow_run_id
    return UUID(run) if run else None


@cache
def _progress_artifact(configuration: str, run: UUID | None) -> UUID:
    """The one progress artifact of a run, made when it is first asked for."""
    artifact = ProgressArtifact(key=_key(configuration, "progress"), progress=0.0, flow_run_id=run)
    return cast("Artifact", artifact.create()).id
