import hashlib
import json
import random
import signal
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from demur.warehouse.errors import LandingError, RowError
from demur.warehouse.home import Home
from demur.warehouse.landing import DamagedLandingError, inspect, land, landed_shards, sweep
from demur.warehouse.schemas import arrow_schema
from demur.warehouse.tables import Table
from tests.warehouse.conftest import RunScript, full_disk
from tests.warehouse.examples import ROUND, check, failure, perturbation

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX limits and signals")

LAND_MANY = """
import sys
from pathlib import Path
from tests.warehouse.examples import perturbation
from demur.warehouse.home import Home
from demur.warehouse.landing import land
print("started", flush=True)
for shard in range(int(sys.argv[2])):
    rows = [perturbation(shard * 20 + n) for n in range(20)]
    land(Home(Path(sys.argv[1])), "r1", "generate", f"s{shard}", {"perturbations": rows, "checks": []})
"""


def files_below(path: Path) -> list[str]:
    return sorted(str(found.relative_to(path)) for found in path.rglob("*") if found.is_file())


def test_land_writes_every_table_with_exact_types_and_a_manifest(home: Home) -> None:
    directory = land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)], "checks": []})
    assert directory == home.landed_shard(ROUND, "generate", "s1")
    assert files_below(home.root / "landing") == [
        f"r1/generate/s1/{name}" for name in ("checks.parquet", "landing.json", "perturbations.parquet")
    ]
    for table in (Table.PERTURBATIONS, Table.CHECKS):
        assert pq.read_schema(directory / f"{table}.parquet").equals(arrow_schema(table))
    assert [(file.table, file.rows) for file in inspect(directory).files] == [("perturbations", 1), ("checks", 0)]


def test_land_of_a_shard_that_landed_before_changes_nothing(home: Home) -> None:
    first = land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)]})
    before = {path: path.read_bytes() for path in first.iterdir()}
    again = land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(2)]})
    assert again == first
    assert {path: path.read_bytes() for path in first.iterdir()} == before


def test_land_of_equal_rows_gives_equal_bytes(home: Home) -> None:
    rows = {"perturbations": [perturbation(n, reasoning="because " * n) for n in range(500)]}
    one, two = (land(home, ROUND, "generate", shard, rows) / "perturbations.parquet" for shard in ("s1", "s2"))
    assert one.read_bytes() == two.read_bytes()
    assert b"pandas" not in one.read_bytes()


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        ({"perturbations": [perturbation(1), perturbation(2, intensity="SOME")]}, "row 1 (unit_id 'u2')"),
        ({"perturbations": [perturbation(1, round_id="r2")]}, "all must be 'r1'"),
        ({"failures": [failure(1, stage="verify")]}, "all must be 'generate'"),
        ({"perturbations": [perturbation(1)], "failures": [failure(1)]}, "rows in perturbations and in failures"),
        ({"units": []}, "table 'units' cannot land"),
        ({"calls": []}, "table 'calls' cannot land"),
        ({"perturbations; DROP TABLE items": []}, "cannot land"),
    ],
)
def test_land_of_rows_that_do_not_fit_leaves_nothing(
    home: Home, frames: dict[str, list[dict[str, object]]], told: str
) -> None:
    with pytest.raises(RowError) as caught:
        land(home, ROUND, "generate", "s1", frames)
    assert told in str(caught.value)
    assert "r1/generate/s1" in str(caught.value)
    assert files_below(home.root) == []


def test_land_on_a_full_disk_leaves_nothing_and_says_what_to_do(home: Home) -> None:
    rows = [perturbation(number, question=random.Random(number).randbytes(400).hex()) for number in range(900)]
    with full_disk(20_000), pytest.raises(LandingError, match="free some space") as caught:
        land(home, ROUND, "generate", "s1", {"perturbations": rows})
    assert str(home.landed_shard(ROUND, "generate", "s1")) in str(caught.value)
    assert list(home.landed_stage(ROUND, "generate").iterdir()) == []


@posix_only
def test_land_by_two_processes_at_once_and_killed_at_any_moment_leaves_each_shard_once_and_whole(
    home: Home, start: RunScript
) -> None:
    process = start(LAND_MANY, home.root, 400)
    for shard in range(3):
        rows = [perturbation(shard * 20 + n) for n in range(20)]
        land(home, ROUND, "generate", f"s{shard}", {"perturbations": rows, "checks": []})
    while len(landed_shards(home, ROUND, "generate")) < 6:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    shards = landed_shards(home, ROUND, "generate")
    assert 6 <= len(shards) < 400
    for shard in shards:
        assert [file.rows for file in inspect(shard).files] == [20, 0]


def test_sweep_deletes_what_was_left_half_written_and_nothing_else(home: Home) -> None:
    kept = land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)]})
    other = land(home, "r2", "generate", "s1", {"perturbations": [perturbation(1, round_id="r2")]})
    for stage in ("generate", "verify"):
        half = home.landed_stage(ROUND, stage) / ".s2-17-abc"
        half.mkdir(parents=True)
        (half / "perturbations.parquet").write_bytes(b"PAR1 half")
    assert sweep(home, ROUND) == 2
    assert sweep(home, ROUND) == 0
    assert kept.is_dir()
    assert other.is_dir()
    assert landed_shards(home, ROUND, "generate") == [kept]


def test_inspect_names_the_file_that_is_not_as_it_landed(home: Home) -> None:
    directory = land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)], "checks": [check(1)]})
    path = directory / "checks.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with pytest.raises(DamagedLandingError, match=r"checks\.parquet: has \d+ bytes, expected"):
        inspect(directory)
    path.write_bytes(whole[:50] + bytes([whole[50] ^ 1]) + whole[51:])
    with pytest.raises(DamagedLandingError, match=r"checks\.parquet: its SHA-256"):
        inspect(directory)
    path.unlink()
    with pytest.raises(DamagedLandingError, match=r"checks\.parquet: missing"):
        inspect(directory)
    path.write_bytes(whole)
    assert len(inspect(directory).files) == 2
    (directory / "landing.json").write_text('{"landing_id": ')
    with pytest.raises(DamagedLandingError, match=r"landing\.json: is missing or unreadable"):
        inspect(directory)


def test_inspect_refuses_columns_of_another_version(home: Home) -> None:
    directory = land(home, ROUND, "generate", "s1", {"checks": [check(1)]})
    path = directory / "checks.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["evidence"]), path)
    manifest = json.loads((directory / "landing.json").read_text())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest["files"][0] |= {"bytes": path.stat().st_size, "sha256": digest}
    (directory / "landing.json").write_text(json.dumps(manifest))
    with pytest.raises(DamagedLandingError, match="columns are not those of table checks"):
        inspect(directory)
