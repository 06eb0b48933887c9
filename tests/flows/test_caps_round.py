"""A whole round under a cap, through the real SDKs: stopped at half its cost, raised, and equal to one without."""

import json
import re
from pathlib import Path

import pytest

from demur.lanes.simulator.server import serve
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import demur, demur_here, whole_round
from tests.flows.simulated import KEY, KEY_VARIABLE, ROUND, data_files, simulated


def total(home: Path) -> dict[str, float]:
    told = demur_here("costs", "--by", "total", "--format", "json", home=home)
    assert told.returncode == 0, told.stderr
    [row] = json.loads(told.stdout)
    return dict(row)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_round_under_a_cap_stops_with_status_3_and_ends_as_one_without(
    simulated_round: FinishedRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    free, tight = simulated_round.home.root, tmp_path / "home"
    whole = total(free)
    assert whole["unsure_usd"] == 0 and whole["counted_usd"] > 0
    cap = whole["counted_usd"] / 2
    with serve() as provider:
        path = simulated(tmp_path, provider)
        stopped = demur("round", str(path), "--max-usd", str(cap), home=tight, timeout=900)
        assert stopped.returncode == 3, stopped.stderr[-3000:]
        assert "Traceback" not in stopped.stderr
        [said] = [line for line in stopped.stderr.splitlines() if line.startswith("demur: ")]
        assert re.search(r"budget\.max_usd \$\d+\.\d\d leaves too little .* units are left to buy .*--max-usd", said)
        half = total(tight)
        assert 0.8 * cap < half["counted_usd"] <= half["max_usd"] == pytest.approx(cap)
        whole_round(path, tight)
        planned = demur_here("plan", str(path), "--max-usd", "50", "--format", "json", home=free)
    assert data_files(tight) == data_files(free)
    ended = demur_here("rounds", ROUND, home=tight)
    assert re.search(r"^Cost +\$\d+\.\d+, estimated \$\d+\.\d+$", ended.stdout, re.M)
    verify = [row for row in json.loads(planned.stdout) if row["stage"] == "verify"]
    assert verify and all(row["estimated_usd"] < row["most_usd"] for row in verify)
