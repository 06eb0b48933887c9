"""What `deployments/deploy` gives to Prefect, and what it refuses: here on a Prefect API of the tests."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest
import yaml
from prefect.client.orchestration import get_client

from demur.flows.orchestration.deploying import with_settings_kept
from demur.flows.round import round_flow
from tests.flows.rounds import ROOT

DEPLOYMENTS = ROOT / "deployments"


@pytest.mark.usefixtures("prefect_api")
def test_existing_deployment_keeps_its_parameters_schedules_and_pause() -> None:
    ours = yaml.safe_load((DEPLOYMENTS / "prefect.yaml").read_text(encoding="utf-8"))
    before = {entry["name"]: entry for entry in ours["deployments"]}
    theirs = {"config": "/srv/ours.yaml", "max_usd": 5.0}
    deployment = round_flow.to_deployment("weekly", tags=["demur"], parameters=theirs, cron="0 5 * * 2", paused=True)
    made = deployment.apply()  # type: ignore[union-attr]
    assert isinstance(made, UUID)
    try:
        content, existing = with_settings_kept(ours)
    finally:
        with get_client(sync_client=True) as client:
            client.delete_deployment(made)
    after = {entry["name"]: entry for entry in content["deployments"]}
    assert existing == ["weekly"]
    assert after.pop("weekly") == {
        name: value for name, value in before.pop("weekly").items() if name != "schedules"
    } | {"parameters": theirs, "paused": True}  # fmt: skip
    assert after == before


@pytest.mark.parametrize("is_set", [False, True], ids=["unset", "dead"])
def test_deploy_without_a_server_ends_with_one_line(tmp_path: Path, is_set: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/api"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    env |= {"PATH": f"{Path(sys.executable).parent}:{env['PATH']}", "PREFECT_HOME": str(tmp_path)}
    env |= {"PREFECT_API_URL": url} if is_set else {}
    done = subprocess.run(DEPLOYMENTS / "deploy", env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 2 and done.stdout == ""
    [line] = done.stderr.splitlines()
    said = f"{url}: " if is_set else "PREFECT_API_URL is not set. "
    assert line.startswith(f"demur: {said}") and "`prefect server start`" in line
    assert is_set or line.endswith("export PREFECT_API_URL=http://127.0.0.1:4200/api")
