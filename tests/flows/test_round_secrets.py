"""A key that was planted is nowhere after a whole round: not in files, output, Prefect's log, nor in its artifacts."""

from pathlib import Path

import pytest

from demur.lanes.simulator.faults import FAMILIES, SimulatorFault, seeded
from demur.lanes.simulator.server import serve
from tests.flows.rounds import ONE_CLASS, demur
from tests.flows.simulated import KEY_VARIABLE, number, simulated

pytestmark = [pytest.mark.slow(seconds=100), pytest.mark.exhaustive]
KEY = "planted-and-looks-like-no-key-4711"
"""No pattern knows it: it is hidden because it is ours."""
OTHER = "planted-token-of-somebody-else"
HIDDEN_FROM = FAMILIES["all"] - {SimulatorFault.HANGING}


def holding(folder: Path, secret: str) -> list[Path]:
    """Files under a folder that hold a secret, in any case."""
    wanted = secret.encode().lower()
    return [path for path in folder.rglob("*") if path.is_file() and wanted in path.read_bytes().lower()]


def test_round_keeps_and_says_its_key_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider repeats the key in each error. Prefect's own database holds logs, runs, parameters, artifacts."""
    prefect, home = tmp_path / "prefect", tmp_path / "home"
    for name, value in {
        KEY_VARIABLE: KEY,
        "OTHER_API_TOKEN": OTHER,
        "PREFECT_HOME": str(prefect),
        "PREFECT_LOGGING_LEVEL": "DEBUG",
        "PREFECT_LOGGING_EXTRA_LOGGERS": "demur,programs,flows,openai,httpx,aiohttp",
        "PREFECT_LOGGING_TO_API_BATCH_INTERVAL": "0.2",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with serve(seeded(17, 0.3, HIDDEN_FROM)) as simulator:
        config = simulated(tmp_path, simulator, timeout_seconds=20, generation=ONE_CLASS)
        ended = demur("round", str(config), home=home, timeout=900)
        assert ended.returncode == 0, ended.stderr[-3000:]
        assert "Respondent " in ended.stdout and "release verify simulated/1" in ended.stdout
        simulator.plan = lambda asked: SimulatorFault.UNAUTHORISED
        refused = demur("round", str(config), "--round-id", "refused", home=home, timeout=900)
        assert {asked.key for asked in simulator.asked} == {KEY}
    assert refused.returncode == 2 and "401 unauthorised for key [key]" in refused.stderr
    assert "or skip this check: --no-probe" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert number(home, "SELECT count(*) FROM calls WHERE error LIKE '%for key [key]%'") > 10
    written = {path.suffix for path in home.rglob("*") if path.is_file()}
    assert {".duckdb", ".parquet", ".html", ".json"} <= written
    assert holding(prefect, "simulated/generate") and holding(prefect, "accept")
    for secret in (KEY, OTHER):
        for told in (ended, refused):
            assert secret not in told.stdout + told.stderr
        assert holding(tmp_path, secret) == []
