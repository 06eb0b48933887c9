"""Two people, one home, one PostgreSQL: their rounds run at the same time, and each is known by who began it."""

import os
import subprocess
from pathlib import Path

import pytest

from demur.configuration.settings import LONGEST_NAME, started_by
from demur.errors import ConfigError
from demur.warehouse.home import Home
from demur.warehouse.query import query
from tests.engine.postgres_server import started
from tests.flows.rounds import ROOT, command, environment, small


@pytest.mark.slow(seconds=90)
@pytest.mark.exhaustive
def test_two_people_run_rounds_at_once_and_are_named(tmp_path: Path) -> None:
    pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
    home = tmp_path / "home"
    with started() as database:
        running = []
        for number, who in enumerate(("ada", "ben")):
            folder = tmp_path / who
            folder.mkdir()
            config = small(folder, name=who, round_id=who, seed=number + 1, base_reuse={"policy": "allow"})
            env = environment(home) | {"DEMUR_STATE": database.address, "DEMUR_STARTED_BY": who}
            running.append(
                subprocess.Popen(
                    command("round", str(config), "--max-usd", str(number + 1)), cwd=ROOT, env=env,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                )
            )  # fmt: skip
        said = [one.communicate(timeout=900)[0] for one in running]
        assert [one.returncode for one in running] == [0, 0], said
    asked = (
        "SELECT r.round_id, started_by, status, any_value(round_max_usd) FROM rounds r JOIN spending USING (round_id) "
        "GROUP BY ALL ORDER BY r.round_id"
    )
    assert query(Home(home), asked, limit=None).rows == [
        ("ada", "ada", "finished", 1.0), ("ben", "ben", "finished", 2.0),
    ]  # fmt: skip
    files = [path for path in (home / "releases").rglob("*") if path.suffix in (".json", ".md", ".html")]
    assert files and not [path for path in files if b"started_by" in path.read_bytes()]


@pytest.mark.parametrize("named", ["two\nlines", " ", "x" * (LONGEST_NAME + 1)])
def test_name_that_is_no_line_is_refused(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_STARTED_BY", named)
    with pytest.raises(ConfigError, match="DEMUR_STARTED_BY .* is no name"):
        started_by()


def test_nobody_is_named_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STARTED_BY", raising=False)
    assert started_by() is None
    assert "DEMUR_STARTED_BY" not in os.environ
