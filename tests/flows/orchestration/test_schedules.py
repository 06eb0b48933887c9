"""What is known of our deployments' schedules: here on a Prefect API whose scheduler does not run."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from prefect.client.orchestration import get_client
from prefect.states import Scheduled

from demur.flows.orchestration.deploying import Schedule, schedules
from demur.flows.round import round_flow
from tests.flows.rounds import demur_here


@pytest.mark.usefixtures("prefect_api")
def test_schedule_is_shown_with_its_next_run_or_without_one_once_a_server_has_had_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, made = datetime.now(UTC), []
    for name, tags, active in (("nightly", ["demur"], True), ("resting", ["demur"], False), ("other", [], True)):
        deployment = round_flow.to_deployment(name, tags=tags, cron="0 3 * * *", paused=not active)
        made.append(deployment.apply())  # type: ignore[union-attr]
    try:
        _look(now, made[0], tmp_path, monkeypatch)
    finally:
        with get_client(sync_client=True) as client:
            for deployment_id in made:
                client.delete_deployment(deployment_id)


def _look(now: datetime, nightly: UUID, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(schedules(now)) == []
    assert list(schedules(now + timedelta(minutes=5))) == [Schedule("round/nightly", None)]
    monkeypatch.setattr("demur.flows.orchestration.deploying.PATIENCE", timedelta(0))
    done = demur_here("doctor", home=tmp_path)
    assert "MISSING  schedule            round/nightly is active, but the server has made no run of it" in done.stdout
    assert done.returncode == 1
    due = now.replace(microsecond=0) + timedelta(hours=1)
    with get_client(sync_client=True) as client:
        client.create_flow_run_from_deployment(nightly, state=Scheduled(scheduled_time=due))
    assert list(schedules(now)) == [Schedule("round/nightly", due)]
    shown = demur_here("doctor", home=tmp_path).stdout
    assert re.search(
        rf"^ok +schedule +round/nightly runs next at {due:%Y-%m-%d %H:%M}(:\d\d)? UTC$", shown, re.MULTILINE
    )
