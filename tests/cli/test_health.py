"""The probe: what it finds, how it ends, and that it loads nothing heavy."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from demur.engine.upkeep import health
from demur.warehouse.home import Home
from tests.engine.postgres_server import started
from tests.flows.finished_rounds import FinishedRound
from tests.flows.rounds import ROOT, demur_here, environment


def test_home_in_order_is_healthy_and_tells_the_age_of_its_last_round(
    rules_round: FinishedRound, tmp_path: Path
) -> None:
    home = rules_round.copy(tmp_path / "copy").home.root
    done = demur_here("health", "--format", "json", home=home)
    found = json.loads(done.stdout)
    assert done.returncode == 0 and found["healthy"] and found["last_round"] == "embedded"
    assert 0 < found["last_round_seconds"] < 86_400
    assert [check["what"] for check in found["checks"]] == ["home", "state", "versions", "last round"]
    new = demur_here("health", home=tmp_path / "new")
    assert new.returncode == 0 and "none has begun" in new.stdout
    assert demur_here("health", "--max-age", "8d", home=tmp_path / "new").returncode == 1


def test_state_or_warehouse_of_another_version_is_not_healthy(rules_round: FinishedRound, tmp_path: Path) -> None:
    home = rules_round.copy(tmp_path / "copy").home
    with closing(sqlite3.connect(home.state)) as con:
        con.execute("PRAGMA user_version = 99")
    home.published.write_bytes(b"no warehouse")
    done = demur_here("health", "--format", "json", home=home.root)
    bad = found_bad(done.stdout)
    assert done.returncode == 1 and set(bad) == {"state", "versions"}
    assert "version" in bad["state"] and "damaged" in bad["versions"]


def test_probe_asks_the_database_of_the_state_and_says_that_it_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
    with started() as database:
        home = tmp_path / "home"
        monkeypatch.setenv("DEMUR_STATE", database.address)
        done = demur_here("health", "--format", "json", home=home)
        assert done.returncode == 0 and found_bad(done.stdout) == {}, done.stdout
        database.stop()
        done = demur_here("health", "--format", "json", home=home)
        assert done.returncode == 1 and found_bad(done.stdout).keys() == {"state"}
        assert "@" not in done.stdout, "no user and password"
        database.start()


def found_bad(said: str) -> dict[str, str]:
    """What is not in order, of what the probe says as JSON."""
    found = json.loads(said)
    assert found["healthy"] == all(check["ok"] for check in found["checks"])
    return {check["what"]: check["found"] for check in found["checks"] if not check["ok"]}


def test_probe_imports_no_heavy_library(rules_round: FinishedRound, tmp_path: Path) -> None:
    home = rules_round.copy(tmp_path / "copy").home.root
    script = (
        "import sys; from demur.cli import app; app(['health'], standalone_mode=False); "
        "print(sorted({'pandas', 'pandera', 'prefect', 'dspy', 'scipy', 'great_expectations'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment(home), cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_health_ends_where_a_probe_has_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "WAIT_SECONDS", 0.2)
    answers = Event()

    def hangs(home: Home) -> health.HealthCheck:
        answers.wait(30)
        return health.HealthCheck(True, "state", "answers")

    def is_there(home: Home) -> health.HealthCheck:
        return health.HealthCheck(True, "home", "takes files")

    started = monotonic()
    [home, state] = health.at_once(Home(tmp_path), {"home": is_there, "state": hangs})
    answers.set()
    assert monotonic() - started < 10
    assert (home.ok, state.ok) == (True, False)
    assert "does not answer within 0.2 s" in state.found


def test_probe_with_an_unforeseen_error_is_told_by_its_text(tmp_path: Path) -> None:
    def breaks(home: Home) -> health.HealthCheck:
        raise ValueError("the answer has no rows")

    [state] = health.at_once(Home(tmp_path), {"state": breaks})
    assert (state.ok, state.found) == (False, "ValueError: the answer has no rows")
