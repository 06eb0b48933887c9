"""Two people, one home, one PostgreSQL: their rounds run at once, each known by who began it and by its own log."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from demur.configuration.settings import LONGEST_NAME, started_by
from demur.errors import ConfigError
from demur.flows.round import round_flow
from demur.warehouse.home import Home
from demur.warehouse.results.query import query
from tests.engine.postgres_server import started
from tests.flows.finished_rounds import PLANTED_KEY, RULES_ROLES, hostile_rows
from tests.flows.rounds import NO_POLICY, ONE_CLASS, ROOT, command, small
from tests.flows.simulated import rows

ONE_OF_EACH = RULES_ROLES | {"generators": ["rules-terse"], "respondents": ["lexical-overlap"]}
OF_A_STAGE = {"step", "stage started", "units", "unit failed", "stage ended"}
"""Events of the log that tell of a stage."""


@pytest.mark.slow(seconds=90)
@pytest.mark.exhaustive
@pytest.mark.usefixtures("prefect_api")
def test_two_people_run_rounds_at_once_are_named_and_logged_in_json_without_texts(tmp_path: Path) -> None:
    pytest.importorskip("demur.engine.state.postgres", reason="needs the extra state")
    home, log = tmp_path / "home", tmp_path / "log"
    corpus = tmp_path / "hostile.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in hostile_rows()), encoding="utf-8")
    shared = {"corpus": {"path": str(corpus), "format": "demur"}, "generation": ONE_CLASS, "fit": NO_POLICY}
    shared |= {"base_reuse": {"policy": "allow"}, "roles": ONE_OF_EACH}
    configs = {
        who: str(small(tmp_path, name=who, round_id=who, seed=number, **shared))
        for number, who in enumerate(("ada", "ben"))
    }
    with started() as database, pytest.MonkeyPatch.context() as patch:
        env = {"DEMUR_HOME": str(home), "DEMUR_STATE": database.address, "DEMUR_STARTED_BY": "ada"}
        more = {"DEMUR_LOG": "json", "OPENAI_API_KEY": PLANTED_KEY}
        line = command("round", configs["ada"], "--max-usd", "1")
        with log.open("w", encoding="utf-8") as file:
            one = subprocess.Popen(line, cwd=ROOT, env=os.environ | env | more, stderr=file)
        while one.poll() is None and not log.stat().st_size:
            time.sleep(0.1)
        for name, value in {**env, "DEMUR_STARTED_BY": "ben"}.items():
            patch.setenv(name, value)
        assert round_flow(config=configs["ben"], max_usd=2.0) == "ben/1"
        assert one.wait(900) == 0, log.read_text(encoding="utf-8")
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
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert {"ingest", "respond", "release"} <= {one.get("stage") for one in lines}
    assert all(one.keys() >= {"time", "level", "event"} for one in lines)
    assert {one["round"] for one in lines if one["event"] != "log"} == {"ada"}
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
    with pytest.raises(ConfigError, match="DEMUR_STARTED_BY .* is not a name"):
        started_by()


def test_nobody_is_named_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEMUR_STARTED_BY", raising=False)
    assert started_by() is None
    assert "DEMUR_STARTED_BY" not in os.environ
