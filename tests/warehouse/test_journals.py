import json
from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.journals import FoldReport, fold_journals
from tests.warehouse.examples import ROUND, call


def write(home: Home, shard: str, calls: Iterable[dict[str, object]], tail: str = "") -> Path:
    path = home.journals(ROUND, "generate") / f"{shard}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in calls) + tail, encoding="utf-8")
    return path


def fold(home: Home, closed: Collection[str] | None = None) -> FoldReport:
    with writing(home, wait_seconds=5) as con:
        return fold_journals(con, home, ROUND, "generate", closed)


def ledger(home: Home, columns: str = "call_id") -> list[tuple[object, ...]]:
    with writing(home, wait_seconds=5) as con:
        return con.execute(f"SELECT {columns} FROM calls ORDER BY started_at, call_id").fetchall()


def test_fold_inserts_every_call_with_all_columns_and_removes_the_journal(home: Home) -> None:
    path = write(home, "s1", [call(1), call(2, status="error", error_class="rate", error="slow down", reply=None)])
    report = fold(home)
    assert (report.calls, report.removed, report.faults) == (2, [path], [])
    assert not path.exists()
    with writing(home, wait_seconds=5) as con:
        cursor = con.execute("SELECT * FROM calls WHERE call_id = 'c1'")
        row = dict(zip([column[0] for column in cursor.description], cursor.fetchall()[0], strict=True))
    [archived] = home.archived_journals(ROUND, "generate").iterdir()
    read = {"started_at": datetime(2026, 3, 1, 12, 0, 1), "earlier_prompt": None}  # noqa: DTZ001
    read["journal"] = archived.name.removesuffix(".jsonl.gz")
    assert row == call(1) | read
    assert fold(home) == FoldReport()


def test_fold_reports_a_torn_line_in_the_middle_and_keeps_the_file(home: Home) -> None:
    path = write(home, "s1", [call(1)], tail=json.dumps(call(2))[:40] + "\n" + json.dumps(call(3)) + "\n")
    report = fold(home)
    [fault] = report.faults
    assert (fault.path, fault.line) == (path, 2)
    assert ledger(home) == [("c1",), ("c3",)]
    [aside] = report.set_aside
    assert not path.exists()
    assert aside.parent == home.root / "journals" / ROUND / "quarantine"
    assert len(aside.read_text().splitlines()) == 3
    assert fold(home) == FoldReport()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[]", "not a JSON object"),
        (json.dumps(call(2, stage="verify")), "a call of r1/verify"),
        (json.dumps(call(2, started_at=None)), "started_at is missing"),
        (json.dumps(call(2, started_at="2026-03-01T12:00:00")), "time zone"),
        (json.dumps(call(2, status="fine")), "must be one of ok, error"),
        (json.dumps(call(2, secret="x")), "unknown column 'secret'"),
        (json.dumps({key: value for key, value in call(2).items() if key != "model"}), "column model is None"),
        ("\\xff" * 3, "Expecting value"),
    ],
)
def test_fold_keeps_the_good_lines_around_a_bad_one(home: Home, line: str, told: str) -> None:
    write(home, "s1", [call(1)], tail=line + "\n" + json.dumps(call(3)) + "\n")
    report = fold(home)
    [fault] = report.faults
    assert fault.line == 2
    assert told in fault.reason
    assert ledger(home) == [("c1",), ("c3",)]


def test_fold_of_bytes_that_are_no_text_reports_the_line(home: Home) -> None:
    path = write(home, "s1", [call(1)])
    path.write_bytes(path.read_bytes() + b'{"call_id": "\xff\xfe"}\n')
    assert [fault.line for fault in fold(home).faults] == [2]


def test_fold_of_calls_that_are_there_already_doubles_nothing(home: Home) -> None:
    write(home, "s1", [call(1), call(1), call(2)])
    fold(home)
    write(home, "s1", [call(1), call(2), call(3)])
    write(home, "s2", [call(3)])
    assert fold(home).calls == 1
    assert ledger(home) == [("c1",), ("c2",), ("c3",)]


def test_fold_leaves_the_journal_of_a_shard_that_is_being_written(home: Home) -> None:
    open_one = write(home, "s1", [call(1)], tail='{"call_id"')
    closed_one = write(home, "s2", [call(2)])
    report = fold(home, closed={"s2"})
    assert report.removed == [closed_one]
    assert open_one.read_text().endswith('{"call_id"')
    assert ledger(home) == [("c2",)]
    write(home, "s1", [call(1), call(3)])
    assert fold(home, closed=()).calls == 0
    assert fold(home, closed={"s1"}).removed == [open_one]
    assert ledger(home) == [("c1",), ("c2",), ("c3",)]


def test_fold_takes_more_calls_than_one_batch_holds(home: Home) -> None:
    write(home, "s1", (call(n, reply="x" * 50) for n in range(2_345)))
    assert fold(home).calls == 2_345
    assert len(set(ledger(home))) == 2_345


def test_fold_keeps_replies_of_any_text(home: Home) -> None:
    replies = ["\x00", "\x1b[2J", "[[ ## answer ## ]]", "line\u2028separator", "\U0001f600", ""]
    write(home, "s1", [call(n, reply=reply) for n, reply in enumerate(replies)])
    fold(home)
    assert [reply for (reply,) in ledger(home, "reply")] == replies


def test_fold_of_half_a_surrogate_pair_stores_the_replacement_character(home: Home) -> None:
    write(home, "s1", [], tail=json.dumps(call(1)).replace("an answer", r"\ud83d!") + "\n")
    assert fold(home).calls == 1
    assert ledger(home, "reply") == [("\ufffd!",)]


@settings(max_examples=5)
@given(count=st.integers(1, 6), cut=st.floats(0, 1))
def test_fold_of_a_journal_cut_anywhere_keeps_every_whole_line(count: int, cut: float) -> None:
    with TemporaryDirectory() as folder:
        home = Home(Path(folder))
        path = write(home, "s1", [call(n, reply="é" * 5) for n in range(count)])
        content = path.read_bytes()
        kept = content[: round(len(content) * cut)]
        path.write_bytes(kept)
        report = fold(home)
        whole = kept.count(b"\n") + (1 if kept.endswith(b"}") else 0)
        assert (report.calls, report.faults) == (whole, [])
        assert ledger(home) == [(f"c{n}",) for n in range(whole)]
