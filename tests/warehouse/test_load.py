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
from demur.warehouse.landing import land, landed_shards, sweep
from demur.warehouse.load import LoadReport, load_landed
from demur.warehouse.plans import PlanWriter
from demur.warehouse.schemas import arrow_schema
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.units import pending
from tests.warehouse.conftest import full_disk
from tests.warehouse.examples import ROUND, ROWS, check, failure, perturbation

Frames = dict[str, list[dict[str, object]]]


def load(home: Home, stage: str = "generate") -> LoadReport:
    with writing(home, wait_seconds=5) as con:
        return load_landed(con, home, ROUND, stage)


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


def test_load_inserts_all_tables_of_a_shard_and_deletes_it(home: Home) -> None:
    land(home, ROUND, "generate", "s1", two_tables(1, 2))
    report = load(home)
    assert report.shards == ["s1"]
    assert report.rows == {"perturbations": 2, "checks": 4}
    assert rows(home, "SELECT round_id, stage, rows FROM loads") == [(ROUND, "generate", 6)]
    assert list(home.landed_stage(ROUND, "generate").iterdir()) == []
    assert load(home) == LoadReport()


def test_load_takes_only_shards_of_its_stage_and_round(home: Home) -> None:
    land(home, ROUND, "verify", "s1", {"verdicts": [ROWS[Table.VERDICTS]]})
    land(home, "r2", "generate", "s1", {"perturbations": [perturbation(9, round_id="r2")]})
    assert load(home).shards == []
    assert load(home, "verify").rows == {"verdicts": 1}


def test_load_killed_between_commit_and_deletion_doubles_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def kill(*shard: object) -> None:
        raise Killed

    land(home, ROUND, "generate", "s1", two_tables(1, 2))
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr("demur.warehouse.load.remove_landed", kill)
        load(home)
    assert [path.name for path in landed_shards(home, ROUND, "generate")] == ["s1"]
    report = load(home)
    assert (report.shards, report.loaded_before) == ([], ["s1"])
    assert loaded_units(home) == ["u1", "u2"]
    assert landed_shards(home, ROUND, "generate") == []


def test_load_of_a_shard_that_two_workers_did_doubles_no_unit(home: Home) -> None:
    land(home, ROUND, "generate", "s1", two_tables(1, 2))
    load(home)
    land(home, ROUND, "generate", "s1", two_tables(1, 2))
    land(home, ROUND, "generate", "s2", two_tables(2, 3))
    report = load(home)
    assert report.repeated_units == 3
    assert loaded_units(home) == ["u1", "u2", "u3"]
    assert loaded_units(home, "checks") == ["u1", "u1", "u2", "u2", "u3", "u3"]


def test_load_skips_a_repeated_unit_in_every_table_even_where_it_had_no_rows(home: Home) -> None:
    land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)], "checks": []})
    load(home)
    land(home, ROUND, "generate", "s2", two_tables(1))
    load(home)
    assert loaded_units(home, "checks") == []


def test_load_of_a_shard_tried_again_under_its_name_is_not_taken_for_the_first(home: Home) -> None:
    land(home, ROUND, "generate", "s1", {"failures": [failure(1, 0), failure(2, 0)]})
    load(home)
    assert failures(home) == [("u1", "minute 0"), ("u2", "minute 0")]
    land(home, ROUND, "generate", "s1", {"perturbations": [perturbation(1)], "failures": [failure(2, 5)]})
    load(home)
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
            land(home, ROUND, "generate", shard, SHARDS[shard])
            load_landed(con, home, ROUND, "generate")
    assert loaded_units(home) == ["u1", "u3", "u4"]
    assert failures(home) == [("u2", "minute 2")]


def test_load_of_a_truncated_file_sets_the_shard_aside_and_its_units_are_pending_again(home: Home) -> None:
    with PlanWriter(home, ROUND, "generate") as writer:
        for number in range(4):
            writer.add(f"u{number}", "{}")
    land(home, ROUND, "generate", "good", two_tables(0, 1))
    bad = land(home, ROUND, "generate", "bad", two_tables(2, 3))
    path = bad / "perturbations.parquet"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with writing(home, wait_seconds=5) as con:
        report = load_landed(con, home, ROUND, "generate")
        orders = pending(con, writer.plan, "perturbations", 10)
    assert report.shards == ["good"]
    [aside] = report.quarantined
    assert aside.shard == "bad"
    assert str(path) in aside.reason
    assert aside.kept_at.parent == home.landing(ROUND) / "quarantine"
    assert sorted(found.name for found in aside.kept_at.iterdir()) == [
        "checks.parquet",
        "landing.json",
        "perturbations.parquet",
    ]
    assert [order.units for order in orders] == [2]
    assert sweep(home, ROUND) == 0
    assert aside.kept_at.is_dir()
    land(home, ROUND, "generate", "bad", two_tables(2, 3))
    assert load(home).quarantined == []
    assert loaded_units(home) == ["u0", "u1", "u2", "u3"]


def test_load_of_every_table_gives_back_the_row(home: Home) -> None:
    land(home, ROUND, "any", "s1", {table: [ROWS[table]] for table in UNIT_TABLES})
    assert load(home, "any").rows == {table.value: 1 for table in UNIT_TABLES}
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
def test_rows_of_any_text_come_back_from_landing_and_load_as_they_were(shards: list[list[dict[str, object]]]) -> None:
    with TemporaryDirectory() as folder:
        home = Home(Path(folder))
        expected = []
        for shard, given_rows in enumerate(shards):
            frame = [perturbation(shard * 10 + n, **row) for n, row in enumerate(given_rows)]
            expected += [{key: stored(value) for key, value in row.items()} for row in frame]
            land(home, ROUND, "generate", f"s{shard}", {"perturbations": frame})
        load(home)
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
    land(home, ROUND, "generate", "s1", {"failures": [failure(n, failed_at=at) for n, at in enumerate(moments)]})
    load(home)
    expected = [(moment.astimezone(UTC).replace(tzinfo=None),) for moment in moments]
    assert rows(home, "SELECT failed_at FROM failures ORDER BY unit_id") == expected


def test_load_on_a_full_disk_says_so_and_a_later_run_finishes(home: Home) -> None:
    with writing(home, wait_seconds=5):
        pass
    frame = [perturbation(n, question=random.Random(n).randbytes(2000).hex()) for n in range(400)]
    land(home, ROUND, "generate", "s1", {"perturbations": frame[:200]})
    land(home, ROUND, "generate", "s2", {"perturbations": frame[200:]})
    with full_disk(400_000), pytest.raises(WarehouseError, match="free some space"):
        load(home)
    load(home)
    assert rows(home, "SELECT count(*), count(DISTINCT unit_id) FROM perturbations") == [(400, 400)]
    assert landed_shards(home, ROUND, "generate") == []
