import subprocess
import threading
import time

import duckdb
import pytest

from demur.warehouse.connection import BLOCK_BYTES, reading, writing
from demur.warehouse.errors import (
    WarehouseBusyError,
    WarehouseError,
    WarehouseMissingError,
    WarehouseVersionError,
)
from demur.warehouse.home import Home
from demur.warehouse.publication import publish, rebuild
from demur.warehouse.round_rows import RoundRow, open_round
from tests.warehouse.conftest import RunScript

HOLD = """
import sys, time, duckdb
con = duckdb.connect(sys.argv[1])
print("holding", flush=True)
time.sleep(float(sys.argv[2]))
con.close()
"""

INSERT_AND_STAY = """
import sys, time
from pathlib import Path
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
with writing(Home(Path(sys.argv[1])), wait_seconds=5) as con:
    con.begin()
    con.execute("INSERT INTO units VALUES ('r1', 'generate', 'u' || ?, NULL, 0)", [sys.argv[2]])
    if sys.argv[2] == "kept":
        con.commit()
    print("inserted", flush=True)
    time.sleep(60)
"""


def units(home: Home) -> list[str]:
    with reading(home, "loader") as con:
        return [unit for (unit,) in con.execute("SELECT unit_id FROM units ORDER BY unit_id").fetchall()]


def test_writing_reaches_no_network_for_extensions_and_no_python_variables(home: Home) -> None:
    frame = {"a": [1]}
    with writing(home, wait_seconds=0) as con:
        names = ["autoinstall_known_extensions", "autoload_known_extensions", "python_enable_replacements"]
        assert [con.execute("SELECT current_setting(?)", [n]).fetchall() for n in names] == [[(False,)]] * 3
    with pytest.raises(WarehouseError, match="frame"), writing(home, wait_seconds=0) as con:
        con.execute("SELECT * FROM frame")
    assert frame


def test_writing_while_another_process_holds_the_file_waits_and_names_it(home: Home, start: RunScript) -> None:
    with writing(home, wait_seconds=0):
        pass
    holder = start(HOLD, home.loader, 2.5)
    told: list[str] = []
    with writing(home, wait_seconds=60, on_wait=told.append) as con:
        con.execute("INSERT INTO units VALUES ('r1', 'generate', 'u1', NULL, 0)")
    assert told
    assert all(f"PID {holder.pid}" in message and str(home.loader) in message for message in told)
    assert units(home) == ["u1"]


def test_reading_the_published_copy_works_while_another_process_writes(home: Home, start: RunScript) -> None:
    publish(home)
    start(HOLD, home.loader, 60)
    with reading(home) as con:
        assert con.execute("SELECT count(*) FROM units").fetchall() == [(0,)]
    with pytest.raises(WarehouseBusyError), reading(home, "loader", wait_seconds=0.2):
        pass


def test_writing_twice_in_one_thread_is_an_error_and_no_deadlock(home: Home) -> None:
    with writing(home, wait_seconds=5), pytest.raises(WarehouseError, match="is already open in this thread"):
        writing(home, wait_seconds=5).__enter__()
    with writing(home, wait_seconds=5), pytest.raises(WarehouseError, match="is already open in this thread"):
        reading(home, "loader").__enter__()


def test_file_kept_open_is_let_go_for_a_process_that_waits_and_after_a_moment(home: Home, start: RunScript) -> None:
    for number in range(3):  # opened once
        with writing(home, wait_seconds=5, keep_open=True) as con:
            con.execute("INSERT INTO units VALUES ('r1', 'generate', 'u' || ?, NULL, 0)", [number])
    assert (home.root / "loader.duckdb.wal").exists(), "closing would have written the log into the file"
    other = start(INSERT_AND_STAY, home.root, "kept")
    other.kill()
    other.wait()
    with writing(home, wait_seconds=5, keep_open=True):
        pass
    deadline = time.monotonic() + 10
    while (home.root / "loader.duckdb.wal").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    with duckdb.connect(str(home.loader), read_only=True) as con:
        assert con.execute("SELECT count(*) FROM units").fetchall() == [(4,)]


def test_writing_while_another_thread_writes_gives_up_in_time(home: Home) -> None:
    release = threading.Event()
    inside = threading.Event()

    def hold() -> None:
        with writing(home, wait_seconds=5):
            inside.set()
            release.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait(30)
    try:
        with pytest.raises(WarehouseBusyError, match="another thread of this process"):
            writing(home, wait_seconds=0.3).__enter__()
    finally:
        release.set()
        thread.join()


@pytest.mark.parametrize(("mark", "left"), [("kept", ["ukept"]), ("lost", [])])
def test_writing_killed_keeps_what_was_committed_and_nothing_else(
    home: Home, start: RunScript, mark: str, left: list[str]
) -> None:
    with writing(home, wait_seconds=0):
        pass
    process: subprocess.Popen[str] = start(INSERT_AND_STAY, home.root, mark)
    process.kill()
    process.wait()
    with writing(home, wait_seconds=5) as con:
        assert [unit for (unit,) in con.execute("SELECT unit_id FROM units").fetchall()] == left


def test_error_of_the_database_becomes_one_line_of_ours(home: Home) -> None:
    with pytest.raises(WarehouseError) as caught, writing(home, wait_seconds=0) as con:
        con.execute("INSERT INTO units VALUES ('r1', 'generate', 'u1', NULL, 0), ('r1', 'generate', 'u1', NULL, 1)")
    assert str(home.loader) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_damaged_loader_file_is_named_and_the_remedy_works(home: Home) -> None:
    with writing(home, wait_seconds=0) as con:
        open_round(con, RoundRow("r1", "n", 1, "single", 1, (), (), (), (), (), {}, "d", "c"))
        con.execute("INSERT INTO units SELECT 'r1', 'generate', 'u' || range, NULL, range FROM range(3)")
    publish(home)
    content = bytearray(home.loader.read_bytes())
    for start in range(20_000, len(content), BLOCK_BYTES):  # some blocks are free
        content[start : start + 100] = b"x" * 100
    home.loader.write_bytes(content)
    with pytest.raises(WarehouseError, match=r"loader\.duckdb is damaged.*`demur warehouse rebuild`"):
        writing(home, wait_seconds=0).__enter__()
    rebuild(home, lambda con: None)
    assert units(home) == ["u0", "u1", "u2"]


def test_damaged_published_copy_is_named_with_its_remedy(home: Home) -> None:
    publish(home)
    home.published.write_bytes(home.published.read_bytes()[:5000])
    with pytest.raises(WarehouseError, match=r"warehouse\.duckdb is damaged.*publishes it again"):
        reading(home).__enter__()
    publish(home)
    with reading(home) as con:
        assert con.execute("SELECT count(*) FROM units").fetchall() == [(0,)]


def test_file_of_another_version_is_refused_and_left_alone(home: Home) -> None:
    with writing(home, wait_seconds=0) as con:
        con.execute("ALTER TABLE items DROP COLUMN is_known; UPDATE schema_views SET digest = 'of another version'")
    before = home.loader.read_bytes()
    with pytest.raises(WarehouseVersionError, match=r"whose tables \(items\) this version cannot read"):
        writing(home, wait_seconds=0).__enter__()
    assert home.loader.read_bytes() == before


def test_file_of_a_very_early_version_is_refused_in_one_sentence_for_reading(home: Home) -> None:
    publish(home)
    for path in (home.loader, home.published):
        path.chmod(0o644)
        with duckdb.connect(str(path)) as con:
            con.execute("DROP TABLE schema_views")
    for opened in (reading(home), reading(home, "loader")):
        with pytest.raises(WarehouseVersionError, match="is no warehouse of this demur: set DEMUR_HOME"):
            opened.__enter__()


@pytest.mark.parametrize("which", ["published", "loader"])
def test_reading_before_there_is_a_warehouse_says_so(home: Home, which: str) -> None:
    with pytest.raises(WarehouseMissingError, match="no warehouse yet"):
        reading(home, which).__enter__()  # type: ignore[arg-type]


def test_views_are_made_again_when_their_text_changed(home: Home) -> None:
    with writing(home, wait_seconds=0) as con:
        con.execute("CREATE VIEW stale_view AS SELECT 1")
        con.execute("UPDATE schema_views SET digest = 'of older texts'")
    with writing(home, wait_seconds=0) as con:
        names = {name for (name,) in con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()}
    assert "stale_view" not in names
    assert "live_items" in names
