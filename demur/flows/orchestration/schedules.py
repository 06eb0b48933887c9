"""Active schedules of demur's deployments, with the next runs that the Prefect server has planned."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

TAG: Final = "demur"
"""The tag of demur's deployments."""
PATIENCE: Final = timedelta(minutes=2)
"""Age of a schedule at which its first run must be planned. Prefect's server plans runs once a minute."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """A deployment with an active schedule. `next_run` is None if the server has not planned a run."""

    deployment: str
    next_run: datetime | None


def schedules(now: datetime) -> Iterator[Schedule]:
    """Yield demur's deployments with an active schedule.

    The server plans runs once a minute. A deployment without a planned run is therefore left out if it was changed
    less than two minutes before `now`.

    Raises:
        httpx.HTTPError: the Prefect API does not answer.
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
