"""Two people, one home, one PostgreSQL: their rounds run at once, each known by who began it and by its own log."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from demur.configuration.settings import LONGEST_NAME, started_by
from demur.errors import ConfigError
from demur.warehouse.home import Home
from demur.warehouse.query import query
from tests.engine.postgres_server import started
from tests.flows.finished_rounds import PLANTED_KEY, hostile_rows
from tests.flows.rounds import NO_POLICY, ONE_CLASS, ROOT, command, environment, small
from tests.flows.simulated import rows

OF_A_STAGE = {"step", "stage started", "units", "unit failed", "stage ended"}
"""Events of the log that tell of a stage."""


@pytest.mark.slow(seconds=90)
@pytest.mark.exhaustive
@pytest.mark.usefixtures("prefect_api")
def test_two_people_run_rounds_at_once_are_named_and_logged_in_json_without_texts(tmp_path: Path) -> None:
    pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
    home = tmp_path / "home"
    corpus = tmp_path / "hostile.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in hostile_rows()), encoding="utf-8")
    with started() as database:
        running = {}
        for number, who in enumerate(("ada", "ben")):
            settings = {"name": who, "round_id": who, "seed": number + 1, "base_reuse": {"policy": "allow"}}
            settings |= {"corpus": {"path": str(corpus), "format": "demur"}, "generation": ONE_CLASS, "fit": NO_POLICY}
            config = small(tmp_path, **settings)
            env = environment(home) | {"DEMUR_STATE": database.address, "DEMUR_STARTED_BY": who}
            running[who] = subprocess.Popen(
                command("round", str(config), "--max-usd", str(number + 1)), cwd=ROOT,
                env=env | {"DEMUR_LOG": "json", "OPENAI_API_KEY": PLANTED_KEY},
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        with ThreadPoolExecutor(len(running)) as threads:
            logs = list(threads.map(lambda one: one.communicate(timeout=900)[1], running.values()))
        said = dict(zip(running, logs, strict=True))
        assert [one.returncode for one in running.values()] == [0, 0], said
    asked = (
        "SELECT r.round_id, started_by, status, any_value(round_max_usd) FROM rounds r JOIN spending USING (round_id) "
        "GROUP BY ALL ORDER BY r.round_id"
    )
    assert query(Home(home), asked, limit=None).rows == [
        ("ada", "ada", "finished", 1.0), ("ben", "ben", "finished", 2.0),
    ]  # fmt: skip
    files = [path for path in (home / "releases").rglob("*") if path.suffix in (".json", ".md", ".html")]
    assert files and not [path for path in files if b"started_by" in path.read_bytes()]
    hidden = texts_of(home) | {"Ignore all", "DROP TABLE", "pier of", PLANTED_KEY}
    assert len(hidden) > 20
    for who, log in said.items():
        lines = [json.loads(line) for line in log.splitlines()]
        assert {"ingest", "respond", "release"} <= {one.get("stage") for one in lines}
        assert all(one.keys() >= {"time", "level", "event"} for one in lines)
        assert {one["round"] for one in lines if one["event"] != "log"} == {who}
        assert [one for one in lines if one["event"] in OF_A_STAGE and not one.get("stage")] == []
        assert OF_A_STAGE - {"unit failed", "units"} <= {one["event"] for one in lines}
        shown = "\n".join(str(value) for one in lines for value in one.values())
        assert [text for text in hidden if text in shown] == []


def texts_of(home: Path) -> set[str]:
    """What items, replies and prompts of a home say, where it is long enough to be nothing else."""
    asked = (
        "SELECT question FROM live_items UNION SELECT (unnest(passages)).text FROM live_items "
        "UNION SELECT reply FROM calls UNION SELECT response FROM live_responses"
    )
    return {text for (text,) in rows(home, asked) if text is not None and len(text) > 30}


@pytest.mark.parametrize("named", ["two\nlines", " ", "x" * (LONGEST_NAME + 1)])
def test_name_that_is_no_line_is_refused(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_STARTED_BY", named)
    with pytest.raises(ConfigError, match="DEMUR_STARTED_BY .* is no name"):
        started_by()


def test_nobody_is_named_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STARTED_BY", raising=False)
    assert started_by() is None
    assert "DEMUR_STARTED_BY" not in os.environ
