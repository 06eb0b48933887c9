"""A whole round through the real SDKs over HTTP, where a quarter of all requests goes wrong."""

import hashlib
import json
from pathlib import Path

import pytest

from programs.simulator.faults import SPOILT, TRANSIENT, Fault, seeded
from programs.simulator.server import Simulator
from programs.simulator.serving import serve
from tests.flows.rounds import demur, small

KEY = "sk-planted-fedcba9876543210"
MODELS = {
    "gen-o": ("openai", "recipes/terse"),
    "gen-a": ("anthropic", "recipes/elaborate"),
    "ver-o": ("openai", "verifier/rederive"),
    "ver-a": ("anthropic", "verifier/strict"),
    "res-o": ("openai", "respondent/lexical-overlap"),
    "res-a": ("anthropic", "respondent/defect-spotter"),
    "judge": ("openai", "judge/patterns"),
    "writer": ("anthropic", "writer/phrases"),
    "grader": ("openai", "grader/patterns"),
}
ROLES = {
    "screeners": ["res-o"],
    "generators": ["gen-o", "gen-a"],
    "verifiers": ["ver-o", "ver-a"],
    "respondents": ["res-o", "res-a"],
    "judges": ["judge"],
    "writer": "writer",
    "grader": "grader",
}
FAULTS = (TRANSIENT | SPOILT) - {Fault.HANGING}


def config(folder: Path, provider: Simulator) -> Path:
    folder.mkdir(exist_ok=True)
    models = [
        {
            "name": name,
            "provider": lane,
            "model": model,
            "base_url": provider.anthropic_url if lane == "anthropic" else provider.openai_url,
            "api_key_env": "PLANTED_KEY",
            "parameters": {"max_tokens": 4000},
            "limits": {"timeout_seconds": 60, "retries": 12},
        }
        for name, (lane, model) in MODELS.items()
    ]
    gates = {"failure_rate": 1.0, "acceptance": 0.3, "coverage": 0.5, "balance": 0.5}
    return small(folder, models=models, roles=ROLES, gates=gates)


def run(folder: Path, provider: Simulator) -> None:
    ended = demur("round", str(config(folder, provider)), home=folder / "home", timeout=600)
    assert ended.returncode == 0, ended.stderr[-3000:]


def count(folder: Path, query: str) -> int:
    [row] = json.loads(demur("sql", query, "--format", "json", home=folder / "home").stdout)
    [found] = row.values()
    return int(found)


def data_files(folder: Path) -> dict[str, str]:
    release = max((folder / "home" / "releases" / "embedded").iterdir(), key=lambda path: int(path.name))
    files = [path for path in release.iterdir() if path.suffix in {".parquet", ".jsonl"}]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.stem != "provenance"}


@pytest.mark.slow
@pytest.mark.usefixtures("prefect_api")
def test_round_over_http_with_faults_ends_as_the_undisturbed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units whose repair was spoilt too are failures with a reason; run again without faults, only they are asked."""
    monkeypatch.setenv("PLANTED_KEY", KEY)
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    with serve() as provider:
        run(calm, provider)
        undisturbed = len(provider.asked)
    with serve(seeded(3, 0.25, FAULTS)) as provider:
        run(rough, provider)
        asked = len(provider.asked)
        assert asked == count(rough, "SELECT count(*) FROM calls") > undisturbed
        assert {fault for fault in provider.faults if fault} == FAULTS
        failed = count(rough, "SELECT count(*) FROM failures")
        provider.plan = lambda asked: None
        run(rough, provider)
        assert len(provider.asked) == count(rough, "SELECT count(*) FROM calls")
        assert len(provider.asked) - asked < undisturbed / 4
        assert (len(provider.asked) > asked) is (failed > 0)
    assert count(rough, "SELECT count(*) FROM failures") == 0
    assert data_files(rough) == data_files(calm)
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []
