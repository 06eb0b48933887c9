"""Statements in processes of their own: in parts, up to their limits, stopped, and without a trace."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.results.query import StatementStoppedError, StopSignal
from demur.warehouse.results.statement_process import LimitedStatement, StatementProcesses, StatementRequest, new_spill

UNINTERRUPTIBLE = "SELECT levenshtein(repeat('ab', 12000), repeat('ba', 12000))"
"""One value of one row: DuckDB looks for interruptions between vectors of rows."""
ENDLESS = "SELECT sum(sin(a.range)) FROM range(10000000) a, range(10000000) b"


@pytest.fixture
def filled(home: Home) -> Home:
    with writing(home, wait_seconds=5) as con:
        con.execute("INSERT INTO units SELECT 'r1', 'generate', 'u' || range, NULL, range FROM range(5)")
    publish(home)
    return home


def started(
    home: Home,
    sql: str,
    *,
    seconds: float = 60,
    stop: StopSignal | None = None,
    ended: Callable[[], object] = lambda: None,
) -> LimitedStatement:
    asked = StatementRequest(home, home.published, None, sql, {}, new_spill(home))
    return StatementProcesses().start(asked, seconds, stop or StopSignal(), ended)


def has_ended(process_id: int) -> bool:
    return not Path(f"/proc/{process_id}").exists()


def test_statement_gives_its_rows_in_parts(filled: Home) -> None:
    ended = threading.Event()
    statement = started(filled, "SELECT ordinal FROM units ORDER BY ordinal", ended=ended.set)
    assert statement.columns == ("ordinal",)
    assert [statement.fetch(3), statement.fetch(3), statement.fetch(3)] == [[(0,), (1,), (2,)], [(3,), (4,)], []]
    assert not ended.is_set() and not has_ended(statement.process_id)
    statement.close()
    assert ended.is_set() and has_ended(statement.process_id)


def test_statement_ends_at_its_limit_where_duckdb_cannot_be_interrupted(filled: Home) -> None:
    ended = threading.Event()
    before = time.monotonic()
    with pytest.raises(StatementStoppedError, match="stopped after 0.3 s"):
        started(filled, UNINTERRUPTIBLE, seconds=0.3, ended=ended.set)
    assert ended.is_set() and time.monotonic() - before < 60


def test_statement_that_is_stopped_says_so_and_ends(filled: Home) -> None:
    ended, stop = threading.Event(), StopSignal()
    threading.Timer(2, stop.give).start()
    with pytest.raises(StatementStoppedError, match="SQL: stopped$"):
        started(filled, ENDLESS, stop=stop, ended=ended.set)
    assert ended.is_set()


def test_statement_whose_process_is_killed_ends_with_one_message(filled: Home) -> None:
    statement = started(filled, "SELECT range FROM range(1000000)")
    assert statement.fetch(2) == [(0,), (1,)]
    os.kill(statement.process_id, signal.SIGKILL)
    with pytest.raises(WarehouseError, match="wanted more memory"):
        while statement.fetch(100_000):
            pass


def test_statement_that_nobody_holds_any_more_ends(filled: Home) -> None:
    ended = threading.Event()
    statement = started(filled, "SELECT range FROM range(10000000)", ended=ended.set)
    process_id = statement.process_id
    del statement
    assert ended.is_set() and has_ended(process_id)


def test_sorted_rows_beyond_the_memory_are_spilled_and_deleted(filled: Home) -> None:
    statement = started(filled, "SELECT range, md5(range::VARCHAR) AS m FROM range(3000000) ORDER BY m")
    assert len(statement.first(10).rows) == 10
    assert not list(filled.spill.glob("statement-*"))


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT * FROM read_csv('/etc/hostname')", "disabled"),
        ("ATTACH '/tmp/x.duckdb'", "statements that only read"),
        ("SELEC 1", "line 1, column 1: syntax error"),
        ("SELECT 1; SELECT 2", "exactly one"),
        ("SELECT 'a'::INT", "line 1, column"),
        ("COPY units TO '/tmp/x'", "statements that only read"),
    ],
)
def test_statement_reads_the_warehouse_alone(filled: Home, sql: str, said: str) -> None:
    with pytest.raises(WarehouseError, match=said):
        started(filled, sql)
