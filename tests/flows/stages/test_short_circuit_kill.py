"""A round that is killed while it asks one verifier after the other decides as if nothing had happened."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
import yaml

from demur.warehouse.connection import reading
from demur.warehouse.home import Home
from tests.flows.rounds import ROOT, command, environment, small, whole_round, write_config
from tests.flows.test_round_kills import ok_calls

pytestmark = [pytest.mark.usefixtures("prefect_api"), pytest.mark.slow]


def kill_in_pass(config: Path, home: Path, number: int) -> None:
    """Start a round and kill it once it has begun that pass over the verifiers."""
    process = subprocess.Popen(
        command("round", str(config)),
        env=environment(home),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        passes = (line for line in process.stderr if line.startswith(b"verify: ") and b" units to do" in line)
        for _ in range(number):
            assert next(passes, None) is not None, "the round ended before that pass"
        # Shards are landed one after the other, and rules answer at once: only at once comes before the last of them.
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=60)


def accepted(home: Path) -> tuple[list[tuple[object, ...]], int]:
    """What each candidate's verdicts made of it, and how many verdicts were bought, each once."""
    with reading(Home(home), "loader") as con:
        decided = con.execute(
            "SELECT base_id, class, intensity, generator, verdicts, accepted FROM consensus ORDER BY ALL"
        ).fetchall()
        [(verdicts, asked)] = con.execute(
            "SELECT count(*), count(DISTINCT (perturbation_id, verifier, attempt)) FROM verdicts"
        ).fetchall()
    assert verdicts == asked
    return decided, int(verdicts)


@pytest.mark.repeated
def test_round_killed_in_a_short_circuit_pass_accepts_the_same_and_asks_no_verdict_twice(tmp_path: Path) -> None:
    base = yaml.safe_load(write_config(tmp_path).read_text(encoding="utf-8"))
    models = [*base["models"], {"name": "second", "provider": "rules", "model": "verifier/editor"}]
    roles = base["roles"] | {"verifiers": ["rules-editor", "second"]}
    config = small(tmp_path, models=models, roles=roles, verification={"short_circuit": True}, shard_size=10)
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    whole_round(config, undisturbed)
    kill_in_pass(config, disturbed, 2)
    with reading(Home(disturbed), "loader") as con:
        [(decided,)] = con.execute("SELECT count(*) FROM consensus WHERE accepted").fetchall()
    whole_round(config, disturbed)
    assert accepted(disturbed) == accepted(undisturbed)
    assert decided < sum(bool(row[-1]) for row in accepted(disturbed)[0]), "the kill came after the last verdict"
    assert ok_calls(disturbed) == ok_calls(undisturbed)
