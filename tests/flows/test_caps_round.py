"""A whole round under a cap, through the real SDKs: stopped at half its cost, raised, and equal to one without."""

import json
import re
from pathlib import Path

import pytest

from demur.lanes.simulator.server import serve
from tests.flows.rounds import demur
from tests.flows.simulated import KEY, KEY_VARIABLE, LIMITS, data_files, simulated


def costs(folder: Path, by: str) -> list[dict[str, float]]:
    told = demur("costs", "--by", by, "--format", "json", home=folder / "home")
    assert told.returncode == 0, told.stderr
    return list(json.loads(told.stdout))


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.usefixtures("prefect_api")
def test_round_under_a_cap_stops_with_status_3_and_ends_as_one_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.setitem(LIMITS, "timeout_seconds", 60)  # a timeout would count at its worst case
    free, tight = tmp_path / "free", tmp_path / "tight"
    with serve() as provider:
        ended = demur("round", str(simulated(free, provider)), home=free / "home", timeout=600)
        assert ended.returncode == 0, ended.stderr[-3000:]
        assert re.search(r"^Cost +\$\d+\.\d+, estimated \$\d+\.\d+$", ended.stdout, re.M)
    [whole] = costs(free, "total")
    assert whole["unsure_usd"] == 0 and whole["counted_usd"] > 0
    cap = whole["counted_usd"] / 2
    with serve() as provider:
        path = str(simulated(tight, provider))
        stopped = demur("round", path, "--max-usd", str(cap), home=tight / "home", timeout=600)
        assert stopped.returncode == 3, stopped.stderr[-3000:]
        assert "Traceback" not in stopped.stderr
        [said] = [line for line in stopped.stderr.splitlines() if line.startswith("demur: ")]
        assert re.search(r"budget\.max_usd \$\d+\.\d\d leaves too little .* units are left to buy .*--max-usd", said)
        [half] = costs(tight, "total")
        assert 0.8 * cap < half["counted_usd"] <= half["max_usd"] == pytest.approx(cap)
        asked = provider.engine.counts.requests
        again = demur("round", path, "--max-usd", str(cap), home=tight / "home", timeout=600)
        assert again.returncode == 3 and provider.engine.counts.requests - asked <= 20
        ended = demur("round", path, home=tight / "home", timeout=600)
        assert ended.returncode == 0, ended.stderr[-3000:]
    assert data_files(tight / "home") == data_files(free / "home")
    by_stage = costs(free, "stage")
    assert sum(row["cost_usd"] for row in by_stage) == pytest.approx(whole["cost_usd"], rel=1e-4)
    [item] = costs(free, "item")
    assert item["make_usd_per_accepted"] == pytest.approx(item["make_usd"] / item["accepted"], rel=1e-3)
    assert len(costs(free, "stratum")) == 6 and all(row["counted_usd"] > 0 for row in costs(free, "stratum"))
    estimates = costs(free, "estimate")
    assert len(estimates) == 11 and all(0.1 < row["ratio"] < 10 for row in estimates)
    planned = demur("plan", path, "--max-usd", "50", "--format", "json", home=free / "home")
    verify = [row for row in json.loads(planned.stdout) if row["stage"] == "verify"]
    assert all(row["estimated_usd"] < row["most_usd"] for row in verify)
