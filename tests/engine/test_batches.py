"""What is written down of batches: for the next process, in the warehouse, and for people."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demur.cli.terminal.process_exit import batches_under_way
from demur.engine.state import batches as state_batches
from demur.engine.state.batches import StageBatches
from demur.engine.state.shared import shared_state
from demur.errors import ConfigError
from demur.flows.rounds.open_batches import cancel, known_batches
from demur.programs.batch_record import BatchRecord, BatchStatus, request_id, request_key, split_id
from demur.programs.errors import ProgramError
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.round_rows import fold_batches

RECORD = BatchRecord(
    batch_id="demur-0123456789",
    round_id="round-1",
    stage="generate",
    model="gen",
    provider="openai",
    provider_model="gpt",
    base_url="http://127.0.0.1:9/v1",
    key_source=None,
    requests=2,
    intended_at="2026-11-21T00:00:00+00:00",
)
RUNNING = replace(
    RECORD, status=BatchStatus.RUNNING, provider_batch_id="batch_1", submitted_at="2026-11-21T00:00:01+00:00"
)


def book(folder: Path) -> StageBatches:
    return shared_state(Home(folder)).batches("round-1", "generate")


def test_book_of_another_process_holds_what_was_intended_and_what_came(
    tmp_path: Path, address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_batches, "PART_BYTES", 20)
    first, second = book(tmp_path), book(tmp_path)
    assert second.records() == []
    first.intend(RECORD, ["a", "b"])
    assert second.records("gen") == [RECORD] and second.records("other") == []
    assert second.request_ids(RECORD.batch_id) == ["a", "b"]
    first.update(RUNNING)
    assert second.read(RECORD.batch_id) == RUNNING
    draft = first.open_results(RECORD.batch_id)
    draft.write(b'{"custom_id": "a"}')
    draft.write(b'{"custom_id": "b"}\n')
    assert list(second.results(RECORD.batch_id)) == [], "whole or not at all"
    draft.commit()
    found = list(second.results(RECORD.batch_id))
    assert [line for _, line in found] == [b'{"custom_id": "a"}\n', b'{"custom_id": "b"}\n']
    assert [second.result(place) for place, _ in found] == [line for _, line in found]


def test_tidying_removes_what_has_ended_and_keeps_what_is_open(tmp_path: Path, address: str | None) -> None:
    kept = book(tmp_path)
    kept.intend(replace(RECORD, batch_id="demur-done", status=BatchStatus.COLLECTED), ["a"])
    kept.intend(replace(RECORD, batch_id="demur-void", status=BatchStatus.VOID), ["a"])
    kept.intend(RUNNING, ["a", "b"])
    kept.tidy()
    assert kept.records() == [RUNNING] and kept.request_ids(RUNNING.batch_id) == ["a", "b"]
    assert shared_state(Home(tmp_path)).all_batches() == [RUNNING]


def test_rows_of_batches_follow_their_files_and_outlive_them(tmp_path: Path) -> None:
    home, kept = Home(tmp_path), book(tmp_path)
    kept.intend(RECORD, ["a", "b"])
    for record in (RECORD, replace(RUNNING, status=BatchStatus.COLLECTED, done=2)):
        kept.update(record)
        with writing(home, wait_seconds=10) as con:
            assert fold_batches(con, "round-1", shared_state(home).batch_rows("round-1", "generate")) == 1
            assert fold_batches(con, "round-1", []) == 0
            found = con.execute("SELECT status, done, submitted_at IS NULL FROM batches").fetchall()
        assert found == [(record.status.value, record.done, record.submitted_at is None)]
    publish(home)
    kept.tidy()
    [shown] = known_batches(home)
    named = ("batch_id", "status", "done", "provider_batch_id")
    assert [shown[name] for name in named] == [RECORD.batch_id, "collected", 2, "batch_1"]
    assert known_batches(home, only_open=True) == []


def test_cancelling_what_is_not_under_way_says_what_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    book(tmp_path).intend(RUNNING, ["a", "b"])
    with pytest.raises(ConfigError, match=f"'batch_7' is not under way in .*; under way: {RUNNING.batch_id}"):
        cancel(home, "batch_7")
    book(tmp_path).update(replace(RUNNING, status=BatchStatus.COLLECTED))
    with pytest.raises(ProgramError, match="is collected: there is nothing to cancel"):
        cancel(home, "batch_1")
    book(tmp_path).update(replace(RUNNING, key_source="NO_SUCH_KEY"))
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(ConfigError, match="needs a key: set the environment variable NO_SUCH_KEY"):
        cancel(home, RUNNING.batch_id)


@given(st.text(min_size=1), st.text(min_size=1), st.integers(1, 9), st.integers(1, 99), st.uuids())
def test_request_ids_fit_both_providers_and_tell_their_request(
    unit: str, digest: str, nth: int, attempt: int, batch: object
) -> None:
    key = request_key(unit, "f", digest, nth)
    made = request_id(key, attempt, f"demur-{str(batch).replace('-', '')[:20]}")
    assert split_id(made) == (key, attempt)
    assert len(made) <= 64 and made.replace("-", "").isalnum() and made.isascii()
    assert key not in {
        request_key(*of)
        for of in ((unit, "f", digest, nth + 1), (unit + "x", "f", digest, nth), (unit, "g", digest, nth))
    }


def test_interrupted_round_says_that_batches_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMUR_HOME", str(tmp_path))
    assert batches_under_way() == ""
    book(tmp_path).intend(RUNNING, ["a", "b"])
    assert "still open at their providers, to be collected then: 1 " in batches_under_way()
