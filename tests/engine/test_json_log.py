"""The log as JSON: round, stage and unit of what happens, and no text of items, replies or secrets."""

import json
import logging
from pathlib import Path

import pytest

from demur.corpora.corpus_rows import FaultReason, RowFault
from demur.engine.logs import JsonFormatter, JsonProgress, observer, unquoted
from demur.engine.progress_events import Quoting
from demur.errors import ConfigError, CorpusError, StageStopped
from demur.warehouse.errors import RowError, WarehouseError
from tests.flows.finished_rounds import HOSTILE
from tests.flows.rounds import demur_here


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


@pytest.mark.parametrize("error", [CorpusError(HOSTILE), RowError(HOSTILE), ValueError(HOSTILE)])
def test_what_errors_quote_is_left_out(error: Exception) -> None:
    assert unquoted(error) is None
    record = logging.LogRecord("prefect.flow_runs", logging.ERROR, "", 1, HOSTILE, (), (type(error), error, None))
    shown = json.loads(JsonFormatter().format(record))
    assert shown["error"] == type(error).__name__ and "Ignore all" not in json.dumps(shown)


def test_error_of_a_corpus_says_place_and_kind_and_no_text_of_a_row() -> None:
    error = CorpusError(f"/srv/q.jsonl: line 13: id {HOSTILE!r} is already on line 4")
    assert unquoted(error) == "/srv/q.jsonl: line 13: cannot be used"
    error.__cause__ = RowFault(FaultReason.DUPLICATE_ID, "id", HOSTILE, "each id once", "remove it")
    assert unquoted(error) == "/srv/q.jsonl: line 13: duplicate_id"
    assert unquoted(CorpusError(f"s3://bucket/x: cannot be listed ({HOSTILE})")) == "s3://bucket/x: cannot be used"


def test_stopped_stage_says_its_reason_without_the_texts_that_it_quotes() -> None:
    stopped = StageStopped(f"judge: 3 of 4 units failed: 3 timeout, e.g. '{HOSTILE}'", "judge: 3 of 4 units failed")
    assert unquoted(stopped) == "judge: 3 of 4 units failed" and HOSTILE in str(stopped)
    assert unquoted(StageStopped("screen: no base instance was solved")) == "screen: no base instance was solved"


def test_what_errors_say_in_our_own_words_and_what_prefect_says_of_runs_stays() -> None:
    for error in (ConfigError("no such model"), WarehouseError("the disk is full")):
        assert unquoted(error) == str(error)
    said = logging.LogRecord("prefect.flow_runs", logging.INFO, "", 1, "Beginning flow run %r", ("weekly",), None)
    assert json.loads(JsonFormatter().format(said))["message"] == "Beginning flow run 'weekly'"
    for name, level in (("dspy", logging.WARNING), ("prefect.flow_runs", logging.ERROR)):
        quoting = logging.LogRecord(name, level, "", 1, HOSTILE, (), None)
        assert "message" not in json.loads(JsonFormatter().format(quoting))


def test_unknown_kind_of_log_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    observer()  # the log of this process reads the variable too
    monkeypatch.setenv("DEMUR_LOG", "xml")
    done = demur_here("round", "rules", home=tmp_path)
    assert done.returncode == 2 and "DEMUR_LOG 'xml' is not one of text, json" in done.stderr
