"""A round that is killed goes on with the same command and ends as if nothing had happened."""

import os
import random
import signal
import time
from itertools import takewhile
from pathlib import Path

import pytest

from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.engine.conftest import address as address  # noqa: PLC0414  (a fixture)
from tests.engine.conftest import server as server  # noqa: PLC0414  (a fixture)
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import begun, environment, whole_round

pytestmark = [pytest.mark.usefixtures("prefect_api", "address"), pytest.mark.slow(seconds=50)]

DATA = ("items.parquet", "items.jsonl", "responses.parquet", "scores.parquet", "weights.parquet", "fits.parquet")
SEED = 20261120


def ok_calls(home: Path) -> int:
    """Answered requests, and a check that no unit holds one twice."""
    with reading(Home(home), "loader") as con:
        [(calls, asked)] = con.execute(
            "SELECT count(*), count(DISTINCT (stage, unit_id, role, request_digest)) FROM calls WHERE status = 'ok'"
        ).fetchall()
    assert calls == asked
    return int(calls)


def release_files(home: Path) -> dict[str, bytes]:
    [version] = [path for path in (home / "releases" / "embedded").iterdir() if not path.name.startswith(".")]
    rewards = sorted(version.glob("rewards/*.json"))
    assert rewards
    return {
        str(path.relative_to(version)): path.read_bytes() for path in (*(version / name for name in DATA), *rewards)
    }


def kill_in(stage: str, config: Path, home: Path, seconds: float, sign: signal.Signals) -> None:
    """Start a round and end it so many seconds after it has begun a stage."""
    process = begun("round", str(config), env=environment(home))
    assert process.stderr is not None
    said = "".join(takewhile(lambda line: not line.startswith(f"{stage}: "), process.stderr))
    assert process.poll() is None, said
    time.sleep(seconds)
    os.killpg(process.pid, sign)
    process.communicate(timeout=120)


@pytest.mark.repeated
def test_round_killed_in_two_stages_gives_the_same_release_and_repeats_no_call(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    rng = random.Random(SEED)
    for stage, sign in (("generate", signal.SIGKILL), ("respond", signal.SIGINT)):
        kill_in(stage, rules_round.config, tmp_path, rng.uniform(0, 0.5), sign)
    assert not (tmp_path / "releases").exists()
    whole_round(rules_round.config, tmp_path)
    assert release_files(tmp_path) == release_files(rules_round.home.root)
    assert ok_calls(tmp_path) == ok_calls(rules_round.home.root)
