"""Deployments of demur on a Prefect server: their parameters, and their schedules."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import yaml

from demur.configuration.settings import prefect_api_url

# Active schedules of demur's deployments, with the next runs that the Prefect server has planned.


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


# Input of `deployments/deploy`: our deployments, with the parameters and schedules that people have set on the
# server.
#
# `prefect deploy` gives an existing deployment the parameters and schedules of its file, and ends its pause. This
# module writes a file that leaves all three as they are: `python -m demur.flows.orchestration.deploying
# prefect.yaml`.


BAD_INPUT: Final = 2


def api_fault(url: str) -> str | None:
    """Return why no Prefect API answers at an address, with a remedy; None if one answers."""
    try:
        answer = httpx.get(f"{url.rstrip('/')}/health", timeout=5)
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        return f"{url}: {exc}; run `prefect server start`, or correct PREFECT_API_URL"
    return None if answer.status_code == 200 else f"{url} answers {answer.status_code}; is it a Prefect API?"


def with_settings_kept(ours: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the content of `prefect.yaml` with settings of the server, and the names of the server's deployments.

    The entry of an existing deployment has the server's parameters and pause. The entry has no schedules, and Prefect
    therefore keeps the schedules.

    Raises:
        httpx.HTTPError: the Prefect API does not answer, or refuses the request.
    """
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterTags

    with get_client(sync_client=True) as client:
        tagged = DeploymentFilter(tags=DeploymentFilterTags(all_=[TAG]))
        found = client.read_deployments(deployment_filter=tagged)
    settings = {one.name: {"parameters": one.parameters, "paused": one.paused} for one in found}
    deployments = [
        {name: value for name, value in entry.items() if name != "schedules"} | settings[entry["name"]]
        if entry["name"] in settings
        else entry
        for entry in ours["deployments"]
    ]
    return ours | {"deployments": deployments}, [each["name"] for each in deployments if each["name"] in settings]


def main(path: str) -> int:
    """Print the file for `prefect deploy`, or one error. Return the exit status."""
    url = prefect_api_url()
    if url is None:
        return _refused(
            "PREFECT_API_URL is not set. Start a server (`prefect server start`) and set the variable to its address: "
            "export PREFECT_API_URL=http://127.0.0.1:4200/api"
        )
    if fault := api_fault(url):
        return _refused(fault)
    try:
        content, existing = with_settings_kept(yaml.safe_load(Path(path).read_text(encoding="utf-8")))
    except httpx.HTTPError as exc:
        return _refused(f"{url}: {' '.join(str(exc).split())}")
    if existing:
        print(
            f"demur: these deployments keep their parameters, schedules and pauses: {', '.join(existing)}",
            file=sys.stderr,
        )
    print(yaml.safe_dump(content, sort_keys=False))
    return 0


def _refused(fault: str) -> int:
    print(f"demur: {fault}", file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
