"""Active schedules of our deployments, and whether the Prefect API makes their runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

TAG: Final = "demur"
"""The tag of our deployments."""
PATIENCE: Final = timedelta(minutes=2)
"""After so long a server has made the first runs of a schedule; Prefect's looks at all schedules once a minute."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A deployment with an active schedule: its name, and when its next run is due, None where the server made none."""

    deployment: str
    next_run: datetime | None


def schedules(now: datetime) -> Iterator[Schedule]:
    """Yield our deployments whose schedules are active and, but for those that have a run, older than a few minutes.

    Raises the errors of Prefect's client if the API does not answer.
    """
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import (
        DeploymentFilter,
        DeploymentFilterId,
        DeploymentFilterTags,
        FlowRunFilter,
        FlowRunFilterExpectedStartTime,
    )
    from prefect.client.schemas.sorting import FlowRunSort

    with get_client(sync_client=True) as client:
        tagged = DeploymentFilter(tags=DeploymentFilterTags(all_=[TAG]))
        for found in client.read_deployments(deployment_filter=tagged):
            if found.paused or not any(schedule.active for schedule in found.schedules):
                continue
            runs = client.read_flow_runs(
                deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[found.id])),
                flow_run_filter=FlowRunFilter(expected_start_time=FlowRunFilterExpectedStartTime(after_=now)),
                sort=FlowRunSort.EXPECTED_START_TIME_ASC,
                limit=1,
            )
            name = f"{client.read_flow(found.flow_id).name}/{found.name}"
            if runs:
                yield Schedule(name, runs[0].expected_start_time)
            elif found.updated is None or found.updated < now - PATIENCE:
                yield Schedule(name, None)
