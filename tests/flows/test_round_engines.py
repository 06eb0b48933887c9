"""A whole round in workers of a cluster freezes the release that it freezes in threads, byte for byte."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.flows.rounds import small, whole_round

pytestmark = [pytest.mark.exhaustive, pytest.mark.usefixtures("prefect_api")]


def data_files(home: Path) -> dict[str, str]:
    release = home / "releases" / "embedded" / "1"
    files = [path for path in release.iterdir() if path.suffix in {".parquet", ".jsonl"} and path.stem != "provenance"]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def in_threads(tmp_path_factory: pytest.TempPathFactory, prefect_api: str) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("threads")
    whole_round(small(folder), folder / "home")
    return data_files(folder / "home")


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_release_of_workers_is_that_of_threads(engine: str, in_threads: dict[str, str], tmp_path: Path) -> None:
    if find_spec(f"prefect_{engine}") is None:
        pytest.skip(f"needs the extra {engine}")
    config = small(tmp_path, engine={"kind": engine}, shards_at_once=2)
    assert whole_round(config, tmp_path / "home") == "embedded/1"
    assert len(in_threads) > 5
    assert data_files(tmp_path / "home") == in_threads
