import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from demur.warehouse.connection import reading, writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from tests.warehouse.conftest import RunScript, full_disk

PUBLISH_MANY = """
import sys
from pathlib import Path
from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
home = Home(Path(sys.argv[1]))
print("started", flush=True)
for number in range(3):
    with writing(home, wait_seconds=60) as con:
        con.execute("INSERT INTO units VALUES ('r1', ?, ?, NULL, 0)", [sys.argv[2], str(number)])
    publish(home)
"""


def add(home: Home, unit_id: str) -> None:
    with writing(home, wait_seconds=5) as con:
        con.execute("INSERT INTO units VALUES ('r1', 'generate', ?, NULL, 0)", [unit_id])


def published(home: Home) -> int:
    with reading(home) as con:
        [(count,)] = con.execute("SELECT count(*) FROM units").fetchall()
    return int(count)


def test_publish_shows_what_the_loader_has_and_leaves_no_draft(home: Home) -> None:
    add(home, "u1")
    assert publish(home) == home.published
    assert published(home) == 1
    add(home, "u2")
    assert published(home) == 1
    publish(home)
    assert published(home) == 2
    assert sorted(path.name for path in home.root.iterdir()) == ["loader.duckdb", "warehouse.duckdb"]


def test_publish_leaves_an_open_reader_of_the_same_process_what_it_had(home: Home) -> None:
    add(home, "u1")
    publish(home)
    add(home, "u2")
    with reading(home) as con:
        publish(home)
        assert con.execute("SELECT count(*) FROM units").fetchall() == [(1,)]
        assert published(home) == 2
        assert con.execute("SELECT count(*) FROM units").fetchall() == [(1,)]


def test_publish_drops_the_log_of_somebody_who_wrote_into_the_copy(home: Home) -> None:
    add(home, "u1")
    publish(home)
    Path(f"{home.published}.wal").write_bytes(b"changes of somebody else")
    publish(home)
    assert published(home) == 1


def test_writing_and_publishing_by_processes_and_threads_at_once_loses_nothing_and_ends_with_the_latest_state(
    home: Home, start: RunScript
) -> None:
    process = start(PUBLISH_MANY, home.root, "process")

    def act(name: str) -> None:
        for number in range(3):
            with writing(home, wait_seconds=60) as con:
                con.execute("INSERT INTO units VALUES ('r1', ?, ?, NULL, 0)", [name, str(number)])
            publish(home)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(act, ("one", "other"))) == [None, None]
    assert process.wait(timeout=90) == 0
    assert published(home) == 9


def test_publish_while_threads_read_never_shows_half_a_copy(home: Home) -> None:
    add(home, "u0")
    publish(home)
    done = threading.Event()
    seen: list[int] = []
    failed: list[BaseException] = []

    def read() -> None:
        try:
            while not done.is_set():
                seen.append(published(home))
        except BaseException as exc:
            failed.append(exc)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for number in range(1, 3):
            add(home, f"u{number}")
            publish(home)
    finally:
        done.set()
        thread.join()
    assert not failed
    assert seen == sorted(seen)


def test_publish_without_space_keeps_the_old_copy_and_says_what_to_do(home: Home) -> None:
    add(home, "u1")
    publish(home)
    add(home, "u2")
    with full_disk(100_000), pytest.raises(WarehouseError, match="free some space"):
        publish(home)
    assert published(home) == 1
    assert sorted(path.name for path in home.root.iterdir()) == ["loader.duckdb", "warehouse.duckdb"]
    publish(home)
    assert published(home) == 2


def test_publish_deletes_drafts_of_killed_processes(home: Home) -> None:
    add(home, "u1")
    for name in (".warehouse-17-ab.duckdb", ".loader-17-ab.duckdb", ".loader-17-ab.duckdb.wal"):
        (home.root / name).write_bytes(b"half")
    publish(home)
    assert sorted(path.name for path in home.root.iterdir()) == ["loader.duckdb", "warehouse.duckdb"]


def test_any_client_reads_all_of_the_published_copy_by_bare_names(home: Home) -> None:
    add(home, "u1")
    publish(home)
    with duckdb.connect(str(home.published), read_only=True) as con:
        named = con.execute("SELECT table_schema, table_name FROM information_schema.tables").fetchall()
        assert {schema for schema, _ in named} == {"main"}
        assert {"calls", "items", "live_items", "leaderboard"} <= {name for _, name in named}
        for _, name in named:
            con.execute(f"SELECT * FROM {name} LIMIT 1").fetchall()
        assert con.execute("SELECT count(*) FROM units").fetchall() == [(1,)]
