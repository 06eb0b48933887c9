"""The progress of a round in Prefect's interface: one artifact of the root flow run.

The artifact's key is derived from the configuration, so the history of a key covers all rounds of a configuration.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import cast
from uuid import UUID

from prefect.artifacts import ProgressArtifact, update_progress_artifact
from prefect.client.schemas.objects import Artifact
from prefect.runtime import flow_run

from demur.engine.context import RoundContext
from demur.engine.progress import observer
from demur.engine.time_left import phrases


@dataclass(frozen=True, slots=True)
class StageProgress:
    """The progress artifact of one stage, whose value is the share of ended units."""

    artifact: UUID
    stage: str
    units: int

    def ended(self, units: int) -> None:
        """Update the artifact with the number of ended units."""
        text = "; ".join([f"{self.stage}: {units} of {self.units} units", *phrases(observer().left)])
        update_progress_artifact(self.artifact, 100.0 * units / self.units, text)


@contextmanager
def stage_progress(context: RoundContext, stage: str, units: int, landed: int) -> Iterator[StageProgress]:
    """Yield the progress artifact of a stage."""
    progress = StageProgress(progress_artifact(context.config.name, root_run()), stage, units)
    progress.ended(landed)
    yield progress


def artifact_key(*words: str) -> str:
    """Return a valid key of an artifact: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")


def root_run() -> UUID | None:
    """Return the id of the root flow run; None outside flows."""
    return _root_of(flow_run.id)


@cache
def _root_of(run: str | None) -> UUID | None:
    """Return the root of a flow run. Prefect's API is asked once for each run."""
    root = None if run is None else flow_run.root_flow_run_id
    return UUID(root) if root else None


@cache
def progress_artifact(configuration: str, run: UUID | None) -> UUID:
    """Return the id of a run's progress artifact. The first call creates the artifact."""
    artifact = ProgressArtifact(key=artifact_key(configuration, "progress"), progress=0.0, flow_run_id=run)
    return cast("Artifact", artifact.create()).id
