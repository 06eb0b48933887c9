"""A whole round in workers of a cluster freezes the release that it freezes in threads, byte for byte."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import whole_round, write_config

pytestmark = pytest.mark.usefixtures("prefect_api")


def data_files(home: Path) -> dict[str, str]:
    release = home / "releases" / "embedded" / "1"
    files = [path for path in release.iterdir() if path.suffix in {".parquet", ".jsonl"} and path.stem != "provenance"]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param("dask", marks=pytest.mark.repeated),  # stages in its workers: tests/engine/test_engines.py
        pytest.param("ray", marks=pytest.mark.exhaustive),
    ],
)
def test_release_of_workers_is_that_of_threads(engine: str, rules_round: FinishedRound, tmp_path: Path) -> None:
    if find_spec(f"prefect_{engine}") is None:
        pytest.skip(f"needs the extra {engine}")
    config = yaml.safe_load(rules_round.config.read_text(encoding="utf-8"))
    ours = write_config(tmp_path, **config | {"engine": {"kind": engine}, "shards_at_once": 2})
    assert whole_round(ours, tmp_path / "home") == "embedded/1"
    in_threads = data_files(rules_round.home.root)
    assert len(in_threads) > 5
    assert data_files(tmp_path / "home") == in_threads
