"""An evaluation that is killed goes on with the same command and ends as if nothing had happened."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from demur.lanes.simulator.engine import SimulatorConfig
from demur.lanes.simulator.server import serve
from tests.flows.rounds import begun, demur, demur_here, environment
from tests.flows.simulated import KEY, KEY_VARIABLE, number

pytestmark = [pytest.mark.slow(seconds=90), pytest.mark.usefixtures("prefect_api")]

AT_ONCE = 4
OK_CALLS = "SELECT count(*) FROM calls WHERE status = 'ok'"


def kill_once(is_time: Callable[[], bool], arguments: list[str], home: Path) -> None:
    """Start a command and kill it with its children as soon as it is time."""
    process = begun(*arguments, env=environment(home), stderr=subprocess.DEVNULL)
    try:
        while not is_time():
            assert process.poll() is None, "the evaluation ended before it was killed"
            time.sleep(0.005)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=60)


def board(home: Path) -> list[dict[str, Any]]:
    """The boards of a home."""
    shown = demur_here("evaluations", "board", "--format", "json", home=home)
    assert shown.returncode == 0, shown.stderr
    return list(json.loads(shown.stdout))


@pytest.mark.repeated
def test_evaluation_killed_at_three_moments_has_the_same_board_and_buys_no_answer_twice(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    items = number(released, "SELECT count(*) FROM live_items")
    with serve(config=SimulatorConfig(latency_seconds=0.05)) as simulator:
        at = f"base_url={simulator.openai_url},api_key_env={KEY_VARIABLE},max_tokens=2000"
        at += f",limits={{concurrency: {AT_ONCE}}}"
        arguments = [
            "evaluate", str(released / "releases" / "embedded" / "1"), "--no-probe",
            "--model", f"far=openai:respondent/lexical-overlap,{at}", "--judge", f"court=openai:judge/patterns,{at}",
        ]  # fmt: skip
        whole = demur(*arguments, home=undisturbed)
        assert whole.returncode == 0, whole.stderr
        counts = simulator.counts
        bought = counts.answered.total()
        assert bought == 2 * items
        counts.answered.clear()
        moments = (2, items + items // 2, 2 * items)  # answers, judgements, before all is scored
        for moment in moments:
            kill_once(lambda moment=moment: counts.answered.total() >= moment, arguments, disturbed)  # type: ignore[misc]
        resumed = demur(*arguments, home=disturbed)
        assert resumed.returncode == 0, resumed.stderr
        again = counts.answered.total() - bought
        assert 0 <= again <= AT_ONCE * len(moments), "what was under way is asked again, and no more"
    once = "SELECT count(DISTINCT (stage, unit_id, role, request_digest)) FROM calls WHERE status = 'ok'"
    assert number(disturbed, once) == number(undisturbed, once) == number(disturbed, OK_CALLS)
    assert board(disturbed) == board(undisturbed)
