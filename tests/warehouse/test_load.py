import random
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.landing import Loaded, ShardRows, load_shard
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.tables.models import arrow_schema
from tests.warehouse.conftest import full_disk
from tests.warehouse.examples import ROUND, ROWS, check, failure, perturbation

Frames = dict[str, list[dict[str, object]]]


def load(home: Home, shard: str, frames: Frames, stage: str = "generate") -> Loaded:
    """Load the rows of a shard."""
    with writing(home, wait_seconds=5) as con:
        return load_shard(con, ShardRows.of(ROUND, stage, shard, frames))


def rows(home: Home, sql: str) -> list[tuple[object, ...]]:
    with writing(home, wait_seconds=5) as con:
        return con.execute(sql).fetchall()


def loaded_units(home: Home, table: str = "perturbations") -> list[str]:
    return [str(unit) for (unit,) in rows(home, f"SELECT unit_id FROM {table} ORDER BY ALL")]


def failures(home: Home) -> list[tuple[object, ...]]:
    return rows(home, "SELECT unit_id, detail FROM failures ORDER BY ALL")


def two_tables(*numbers: int) -> Frames:
    return {
        "perturbations": [perturbation(n) for n in numbers],
        "checks": [check(n, name) for n in numbers for name in ("target", "answer")],
    }


def test_load_inserts_all_tables_of_a_shard(home: Home) -> None:
    loaded = load(home, "s1", two_tables(1, 2))
    assert loaded == Loaded({"perturbations": 2, "checks": 4})
    assert rows(home, "SELECT round_id, stage, rows FROM loads") == [(ROUND, "generate", 6)]
    assert rows(home, "SELECT view_name FROM duckdb_views() WHERE view_name LIKE 'landed%'") == []


def test_load_of_a_shard_that_two_workers_did_doubles_no_unit(home: Home) -> None:
    load(home, "s1", two_tables(1, 2))
    assert load(home, "s1", two_tables(1, 2)).repeated_units == 2
    assert load(home, "s2", two_tables(2, 3)).repeated_units == 1
    assert loaded_units(home) == ["u1", "u2", "u3"]
    assert loaded_units(home, "checks") == ["u1", "u1", "u2", "u2", "u3", "u3"]


def test_load_that_fails_in_the_middle_loads_nothing_of_its_shard(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def kill(*of_shard: object) -> None:
        raise Killed

    shard = {**two_tables(1, 2), "failures": [failure(3)]}
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr("demur.warehouse.landing._load_failures", kill)
        load(home, "s1", shard)
    assert loaded_units(home) == loaded_units(home, "checks") == failures(home) == []
    assert load(home, "s1", shard).rows == {"perturbations": 2, "checks": 4, "failures": 1}


def test_load_skips_a_repeated_unit_in_every_table_even_where_it_had_no_rows(home: Home) -> None:
    load(home, "s1", {"perturbations": [perturbation(1)], "checks": []})
    load(home, "s2", two_tables(1))
    assert loaded_units(home, "checks") == []


def test_load_of_rows_with_another_stamp_replaces_those_of_the_unit_in_every_table(home: Home) -> None:
    load(home, "s1", two_tables(1, 2))
    load(home, "s2", {"perturbations": [perturbation(1, stamp="later")], "checks": []})
    assert loaded_units(home) == ["u1", "u2"]
    assert loaded_units(home, "checks") == ["u2", "u2"]


def test_load_of_a_shard_tried_again_replaces_failures(home: Home) -> None:
    load(home, "s1", {"failures": [failure(1, 0), failure(2, 0)]})
    assert failures(home) == [("u1", "minute 0"), ("u2", "minute 0")]
    load(home, "s1", {"perturbations": [perturbation(1)], "failures": [failure(2, 5)]})
    assert loaded_units(home) == ["u1"]
    assert failures(home) == [("u2", "minute 5")]


SHARDS: dict[str, Frames] = {
    "failed-first": {"failures": [failure(1, 1), failure(2, 1), failure(3, 1)]},
    "failed-again": {"failures": [failure(2, 2), failure(3, 2)], "perturbations": [perturbation(4)]},
    "landed": two_tables(1, 3),
    "failed-late": {"failures": [failure(1, 9)]},
}


@pytest.mark.parametrize("order", list(permutations(SHARDS))[::9])
def test_load_in_any_order_gives_the_same_rows(home: Home, order: tuple[str, ...]) -> None:
    with writing(home, wait_seconds=5) as con:
        for shard in order:
            load_shard(con, ShardRows.of(ROUND, "generate", shard, SHARDS[shard]))
    assert loaded_units(home) == ["u1", "u3", "u4"]
    assert failures(home) == [("u2", "minute 2")]


def test_load_of_every_table_gives_back_the_row(home: Home) -> None:
    frames: Frames = {table.value: [dict(ROWS[table])] for table in UNIT_TABLES}
    assert load(home, "s1", frames, "any").rows == {table.value: 1 for table in UNIT_TABLES}
    for table in UNIT_TABLES:
        expected = {name: ROWS[table].get(name) for name in arrow_schema(table).names}
        if table is Table.BASE_INSTANCES:
            [passage] = ROWS[table]["passages"]  # type: ignore[misc]
            expected["passages"] = [{**passage, "title": None}]
        [found] = rows(home, f"SELECT * FROM {table}")
        assert dict(zip(expected, found, strict=True)) == expected, table


hostile = st.text(max_size=40) | st.sampled_from(
    [
        "[[ ## answer ## ]]",
        "'; DROP TABLE items; --",
        "<script>",
        "\x1b[31m",
        "a\x00b",
        "\u202e",
        "é\U0001f600",
        "\ud800",
    ]
)
changes = st.lists(st.fixed_dictionaries({"index": st.integers(-(2**63), 2**63 - 1), "text": hostile}), max_size=3)
perturbations = st.fixed_dictionaries(
    {
        "intensity": st.sampled_from(["LOW", "MEDIUM", "HIGH"]),
        "replicate": st.integers(0, 2**63 - 1),
        "question": hostile.filter(bool),
        "reasoning": st.none() | hostile,
        "changed": changes,
    }
)


def stored(value: object) -> object:
    """The value as UTF-8 can hold it."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in value)
    if isinstance(value, list):
        return [stored(inner) for inner in value]
    if isinstance(value, dict):
        return {key: stored(inner) for key, inner in value.items()}
    return value


@settings(max_examples=5)
@given(st.lists(st.lists(perturbations, max_size=5), min_size=1, max_size=3))
def test_rows_of_any_text_come_back_from_load_as_they_were(shards: list[list[dict[str, object]]]) -> None:
    with TemporaryDirectory() as folder:
        home = Home(Path(folder))
        expected = []
        for shard, given_rows in enumerate(shards):
            frame = [perturbation(shard * 10 + n, **row) for n, row in enumerate(given_rows)]
            expected += [{key: stored(value) for key, value in row.items()} for row in frame]
            load(home, f"s{shard}", {"perturbations": frame})
        with writing(home, wait_seconds=5) as con:
            cursor = con.execute("SELECT * FROM perturbations")
            names = [column[0] for column in cursor.description]
            found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        absent = dict.fromkeys(arrow_schema(Table.PERTURBATIONS).names)
        by_id = {row["unit_id"]: row for row in found}
        assert len(by_id) == len(found) == len(expected)
        for row in expected:
            assert by_id[row["unit_id"]] == absent | row


def test_times_of_any_zone_come_back_as_utc(home: Home) -> None:
    zones = ("UTC", "Pacific/Kiritimati", "America/St_Johns", "Asia/Kathmandu")
    moments = [datetime(2026, 3, 29, 1, 30, tzinfo=ZoneInfo(zone)) for zone in zones]
    load(home, "s1", {"failures": [failure(n, failed_at=at) for n, at in enumerate(moments)]})
    expected = [(moment.astimezone(UTC).replace(tzinfo=None),) for moment in moments]
    assert rows(home, "SELECT failed_at FROM failures ORDER BY unit_id") == expected


def test_load_on_a_full_disk_says_so_and_a_later_run_finishes(home: Home) -> None:
    with writing(home, wait_seconds=5):
        pass
    frame = [perturbation(n, question=random.Random(n).randbytes(2000).hex()) for n in range(400)]
    with full_disk(400_000), pytest.raises(WarehouseError, match="free some space"):
        load(home, "s1", {"perturbations": frame})
    load(home, "s1", {"perturbations": frame})
    assert rows(home, "SELECT count(*), count(DISTINCT unit_id) FROM perturbations") == [(400, 400)]
