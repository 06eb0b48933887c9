"""The log as JSON: round, stage and unit of what happens, and no text of items, replies or secrets."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from demur.engine.json_log import JsonFormatter, JsonProgress, unquoted
from demur.engine.progress import Quoting
from demur.errors import ConfigError, CorpusError, StageStopped
from demur.warehouse.errors import RowError, WarehouseError
from tests.flows.finished_rounds import HOSTILE, PLANTED_KEY
from tests.flows.rounds import ONE_CLASS, ROOT, demur_here, environment, small
from tests.flows.simulated import rows


def test_each_event_is_a_line_with_round_stage_and_unit(capsys: pytest.CaptureFixture[str]) -> None:
    log = JsonProgress()
    log.of_round("weekly-1")
    log.started("respond", 10, 4)
    log.failed("respond", "rate_limit", unit="u-7")
    log.notice(Quoting("a line is no call", HOSTILE))
    log.ended("respond", 1)
    lines = [json.loads(text) for text in capsys.readouterr().err.splitlines()]
    assert [one["event"] for one in lines] == ["stage started", "unit failed", "notice", "stage ended"]
    assert {one["round"] for one in lines} == {"weekly-1"}
    failed = lines[1]
    assert (failed["stage"], failed["unit"], failed["reason"]) == ("respond", "u-7", "rate_limit")
    assert lines[2]["message"] == "a line is no call"


@pytest.mark.parametrize("error", [StageStopped(HOSTILE), CorpusError(HOSTILE), RowError(HOSTILE), ValueError(HOSTILE)])
def test_what_errors_quote_is_left_out(error: Exception) -> None:
    assert unquoted(error) is None
    record = logging.LogRecord("prefect.flow_runs", logging.ERROR, "", 1, HOSTILE, (), (type(error), error, None))
    shown = json.loads(JsonFormatter().format(record))
    assert shown["error"] == type(error).__name__ and "Ignore all" not in json.dumps(shown)


def test_what_errors_say_in_our_own_words_and_what_prefect_says_of_runs_stays() -> None:
    for error in (ConfigError("no such model"), WarehouseError("the disk is full")):
        assert unquoted(error) == str(error)
    said = logging.LogRecord("prefect.flow_runs", logging.INFO, "", 1, "Beginning flow run %r", ("weekly",), None)
    assert json.loads(JsonFormatter().format(said))["message"] == "Beginning flow run 'weekly'"
    for name, level in (("dspy", logging.WARNING), ("prefect.flow_runs", logging.ERROR)):
        quoting = logging.LogRecord(name, level, "", 1, HOSTILE, (), None)
        assert "message" not in json.loads(JsonFormatter().format(quoting))


def test_unknown_kind_of_log_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_LOG", "xml")
    done = demur_here("round", "rules", home=tmp_path)
    assert done.returncode == 2 and "DEMUR_LOG 'xml' is not one of text, json" in done.stderr


OF_A_STAGE = {"step", "stage started", "units", "unit failed", "stage ended"}
"""Events that tell of a stage."""


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.usefixtures("prefect_api")
def test_log_of_a_whole_round_is_lines_of_json_without_texts(tmp_path: Path) -> None:
    rows = [
        {"id": f"pier-{n}", "question": f"When was the pier of {town} opened?", "answers": ["1904"],
         "context": f"The pier of {town} was opened in 1904. {HOSTILE}It is 240 metres long and made of oak."}
        for n, town in enumerate(("Orlo", "Varn"))
    ]  # fmt: skip
    corpus = tmp_path / "hostile.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    config = small(tmp_path, corpus={"path": str(corpus), "format": "demur"}, generation=ONE_CLASS)
    done = subprocess.run(
        [str(Path(sys.executable).with_name("demur")), "round", str(config)],
        env=environment(tmp_path / "home") | {"DEMUR_LOG": "json", "OPENAI_API_KEY": PLANTED_KEY},
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    lines = [json.loads(text) for text in done.stderr.splitlines()]
    assert done.returncode == 0 and {"ingest", "respond", "release"} <= {one.get("stage") for one in lines}
    assert all(one.keys() >= {"time", "level", "event"} for one in lines)
    assert {one["round"] for one in lines if one["event"] != "log"} == {"embedded"}
    assert [one for one in lines if one["event"] in OF_A_STAGE and not one.get("stage")] == []
    assert OF_A_STAGE - {"unit failed", "units"} <= {one["event"] for one in lines}
    hidden = texts_of(tmp_path / "home") | {"Ignore all", "DROP TABLE", "pier of", PLANTED_KEY}
    said = "\n".join(str(value) for one in lines for value in one.values())
    assert len(hidden) > 20 and [text for text in hidden if text in said] == []


def texts_of(home: Path) -> set[str]:
    """What items, replies and prompts of a home say, where it is long enough to be nothing else."""
    asked = (
        "SELECT question FROM live_items UNION SELECT (unnest(passages)).text FROM live_items "
        "UNION SELECT reply FROM calls UNION SELECT response FROM live_responses"
    )
    return {text for (text,) in rows(home, asked) if text is not None and len(text) > 30}
