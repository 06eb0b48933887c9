"""The temporary Prefect API that a round starts where the user has none."""

import os
import subprocess
import sys

import pytest

from demur.flows.orchestration.temporary_api import START_SECONDS, START_TIMEOUT
from tests.flows.rounds import ROOT

ASKED = (
    "from demur.flows.orchestration.temporary_api import mark_temporary_api; mark_temporary_api(); "
    "from prefect.settings import get_current_settings; "
    "print(get_current_settings().server.ephemeral.startup_timeout_seconds)"
)


@pytest.mark.parametrize(("given", "used"), [(None, START_SECONDS), ("45", 45)])
def test_temporary_api_start_is_waited_for_as_long_as_we_or_the_user_say(given: str | None, used: int) -> None:
    environment = {name: value for name, value in os.environ.items() if name != START_TIMEOUT}
    if given is not None:
        environment[START_TIMEOUT] = given
    told = subprocess.run(
        [sys.executable, "-c", ASKED], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(told.stdout) == used
