"""Models that are asked whether they are there, in a process that has loaded nothing yet."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from demur.engine.context import RoundContext
from demur.engine.preflight import preflight_models
from demur.flows.rounds.config_files import read_round_config
from demur.lanes.simulator.server import serve
from demur.warehouse.connection import reading, writing
from demur.warehouse.home import Home
from tests.flows.rounds import ROOT, write_config

TIMEOUT_SECONDS = 2.5
"""Far less than the SDKs take to load, and far more than an answer takes."""


@pytest.mark.exhaustive
def test_probe_time_out_starts_when_the_request_is_sent_and_not_while_sdks_are_loaded(tmp_path: Path) -> None:
    with serve() as provider:
        command = [sys.executable, "-m", "tests.engine.test_preflight", str(tmp_path), provider.openai_url]
        ended = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=900)
    assert ended.returncode == 0, ended.stderr
    with reading(Home(tmp_path / "home"), "loader") as con:
        probes = con.execute("SELECT model, status, error FROM calls WHERE stage = 'probe' ORDER BY model").fetchall()
    assert probes == [("anthropic", "ok", None), ("litellm", "ok", None), ("openai", "ok", None)]


def probe_cold(folder: Path, openai_url: str) -> None:
    """Ask a model of each lane, as a round does before it begins."""
    model = "respondent/lexical-overlap"
    lanes = {
        "openai": {"model": model, "base_url": openai_url},
        "anthropic": {"model": model, "base_url": openai_url.removesuffix("/v1")},
        "litellm": {"model": f"openai/{model}", "base_url": openai_url, "api_key_env": "NO_KEY"},
    }
    models = [
        {
            "name": lane,
            "provider": lane,
            **settings,
            "parameters": {"max_tokens": 20},
            "limits": {"timeout_seconds": TIMEOUT_SECONDS, "retries": 0},
        }
        for lane, settings in lanes.items()
    ]
    roles = {
        "screeners": [],
        **{role: list(lanes) for role in ("generators", "verifiers", "respondents", "judges")},
        "writer": "openai",
        "grader": "openai",
    }
    home = Home(folder / "home")
    with writing(home, wait_seconds=5):
        pass
    config = read_round_config(write_config(folder, models=models, roles=roles))
    preflight_models(RoundContext(home, config, folder, "test", 1))


if __name__ == "__main__":
    os.environ["NO_KEY"] = "none"
    probe_cold(Path(sys.argv[1]), sys.argv[2])
