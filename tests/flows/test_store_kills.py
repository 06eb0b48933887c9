"""Rounds of a home in a store, killed, on two machines at once, over a store that is away for a while."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from demur.configuration.settings import home_at
from demur.lanes.simulator.server import serve
from demur.warehouse.connection import reading
from demur.warehouse.release import release_at
from tests.engine import postgres_server
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import ROOT, command, small
from tests.flows.simulated import KEY, KEY_VARIABLE, ROUND, simulated
from tests.object_store import Requests, needs_store, running_store, seen_requests

pytestmark = [needs_store, pytest.mark.repeated, pytest.mark.usefixtures("prefect_api")]
SEED = 20261122
MOMENTS = 3
LAST_MOMENT = 200
UNDER_WAY = 2 * 8
"""Models of a stage times `limits.concurrency`: the most that a kill may let be asked again."""
PROBES = 9


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[Requests]:
    with running_store(monkeypatch), seen_requests() as seen, postgres_server.started() as server:
        monkeypatch.setenv("DEMUR_STATE", server.address)
        yield seen


def started(config: Path, url: str, cache: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        command("round", str(config)),
        env={**os.environ, "DEMUR_HOME": url, "DEMUR_CACHE": str(cache), KEY_VARIABLE: KEY},
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def test_simulated_round_killed_between_requests_gives_the_release_of_a_folder_and_buys_nothing_twice(
    simulated_round: FinishedRound, requests: Requests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, cache = "s3://shelf/killed", tmp_path / "cache"
    killed = 0
    with serve() as provider:
        config = simulated(tmp_path, provider)
        for moment in sorted(random.Random(SEED).sample(range(10, LAST_MOMENT), MOMENTS)):
            process = started(config, url, cache)
            while len(requests.seen) < moment and process.poll() is None:
                time.sleep(0.002)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                killed += 1
            process.communicate()
        process = started(config, url, cache)
        _, errors = process.communicate(timeout=900)
        assert process.returncode == 0, errors.decode()
        asked = len(provider.asked)
    assert killed >= 2
    monkeypatch.setenv("DEMUR_CACHE", str(tmp_path / "reader"))
    home = home_at(url)
    assert release_at(home, ROUND).digest == release_at(simulated_round.home, ROUND).digest
    with reading(home) as con:
        [(answered,)] = con.execute("SELECT count(*) FROM calls WHERE reply IS NOT NULL").fetchall()
    with reading(simulated_round.home) as con:
        [(undisturbed,)] = con.execute(
            "SELECT count(*) FROM calls WHERE reply IS NOT NULL AND stage != 'probe'"
        ).fetchall()
    assert answered >= undisturbed
    assert asked - undisturbed <= killed * UNDER_WAY + PROBES * (killed + 1)


def test_two_rounds_on_two_machines_at_once_both_end_whole_and_are_published(
    requests: Requests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "s3://shelf/both"
    running = [
        started(small(tmp_path, name=name, round_id=name, bases=1), url, tmp_path / name)
        for name in ("first", "second")
    ]
    for process in running:
        _, errors = process.communicate(timeout=900)
        assert process.returncode == 0, errors.decode()
    monkeypatch.setenv("DEMUR_CACHE", str(tmp_path / "reader"))
    with reading(home_at(url)) as con:
        rounds = con.execute("SELECT round_id, status FROM rounds ORDER BY round_id").fetchall()
        lacking = con.execute(
            "SELECT count(*) FROM units u ANTI JOIN verdicts v USING (unit_id) WHERE u.stage = 'verify'"
        ).fetchall()
    assert rounds == [("first", "finished"), ("second", "finished")]
    assert lacking == [(0,)]
    assert [release_at(home_at(url), name).label for name in ("first", "second")] == ["first/1", "second/1"]
