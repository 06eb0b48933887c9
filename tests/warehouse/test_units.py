import json
import pickle
from collections.abc import Sequence
from datetime import timedelta

import pyarrow.parquet as pq
import pytest

from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.plans import (
    OrderUnit,
    PendingUnits,
    PlanWriter,
    StagePlan,
    UnitCounts,
    counts,
    pending,
    register_plan,
)
from demur.warehouse.round_rows import load_calls
from tests.warehouse.examples import NOON, ROUND, call_row, failure, perturbation
from tests.warehouse.test_load import load

TABLE = "perturbations"


def plan_of(home: Home, numbers: list[int] | range, payload: str = "{}", round_id: str = ROUND) -> StagePlan:
    with PlanWriter(home, round_id, "generate") as writer:
        for number in numbers:
            writer.add(f"u{number}", payload, "P-Ambiguity", "LOW")
    return writer.plan


def landed(home: Home, numbers: list[int]) -> None:
    load(home, "landed", {TABLE: [perturbation(number) for number in numbers]})


def pending_of(
    home: Home, plan: StagePlan, shard_size: int = 10, calls: Sequence[dict[str, object]] = ()
) -> PendingUnits:
    with writing(home, wait_seconds=5) as con:
        assert load_calls(con, calls) == []
        register_plan(con, plan)
        return pending(con, plan, TABLE, shard_size)


def units_of(found: PendingUnits) -> list[OrderUnit]:
    return [unit for order in found.orders() for unit in order]


def test_pending_of_a_fresh_plan_is_all_of_it_in_its_order(home: Home) -> None:
    plan = plan_of(home, range(25), payload='{"question": "é"}')
    found = pending_of(home, plan)
    assert plan.units == len(found) == 25
    orders = list(found.orders())
    assert [len(list(order)) for order in orders] == [10, 10, 5]
    assert [order.shard[:7] for order in orders] == ["000000-", "000010-", "000020-"]
    units = units_of(found)
    assert units[7] == OrderUnit("u7", None, 7, '{"question": "é"}', "P-Ambiguity", "LOW")
    assert [unit.ordinal for unit in units] == list(range(25))


def test_pending_is_the_plan_in_its_order_less_what_landed_with_what_has_failed(home: Home) -> None:
    plan = plan_of(home, [4, 5, 2, 0, 3, 1])
    frames = {TABLE: [perturbation(n) for n in (0, 3, 5, 9)], "failures": [failure(1)]}
    load(home, "s1", frames)
    found = pending_of(home, plan, shard_size=2)
    assert [unit.unit_id for unit in units_of(found)] == ["u4", "u2", "u1"]
    assert [len(list(order)) for order in found.orders()] == [2, 1]
    with writing(home, wait_seconds=5) as con:
        assert counts(con, ROUND, "generate", TABLE) == UnitCounts(planned=6, landed=3, failed=1)


def test_orders_count_units_with_answers_and_say_when_answers_could_not_be_read(home: Home) -> None:
    failed_at = NOON + timedelta(seconds=30)
    failures = [
        failure(1, unit_id="u1", reason="unreadable", failed_at=failed_at),
        failure(2, unit_id="u2", reason="server", failed_at=failed_at),
    ]
    load(home, "s1", {"failures": failures})
    error = {"status": "error", "error_class": "rate", "reply": None}
    calls = [call_row(1), call_row(11, unit_id="u1"), call_row(2, **error), call_row(9)]
    found = pending_of(home, plan_of(home, range(3)), shard_size=1, calls=calls)
    assert found.answered == 1
    assert {one.unit_id: one.unreadable_at for one in units_of(found)} == {
        "u0": None, "u1": "2026-03-01T12:00:30.000000+00:00", "u2": None,
    }  # fmt: skip


def test_pending_counts_a_unit_that_another_round_has_landed(home: Home) -> None:
    landed(home, [1])
    pending_of(home, plan_of(home, [1]))
    plan = plan_of(home, [1, 2], round_id="r2")
    assert [unit.unit_id for unit in units_of(pending_of(home, plan))] == ["u2"]


@pytest.mark.parametrize("table", ["calls", "perturbations; DROP TABLE calls"])
def test_pending_in_a_table_outside_the_closed_set_is_refused(home: Home, table: str) -> None:
    plan = plan_of(home, [1])
    with writing(home, wait_seconds=5) as con:
        with pytest.raises(WarehouseError, match="holds no landed units"):
            pending(con, plan, table, 10)
        with pytest.raises(WarehouseError, match="holds no landed units"):
            counts(con, ROUND, "generate", table)


def test_plan_with_a_unit_twice_is_refused_and_the_old_plan_stays(home: Home) -> None:
    old = plan_of(home, [1, 2])
    before = old.path.read_bytes()
    with pytest.raises(WarehouseError, match=r"r1/generate: unit 'u7' is planned twice \(again at 2\)"):
        plan_of(home, [7, 8, 7])
    assert old.path.read_bytes() == before and [*old.path.parent.iterdir()] == [old.path]


def test_plan_with_a_class_outside_the_vocabulary_is_refused(home: Home) -> None:
    with pytest.raises(WarehouseError, match="class 'P-Other'"), PlanWriter(home, ROUND, "generate") as writer:
        writer.add("u1", "{}", "P-Other", "LOW")
    with pytest.raises(WarehouseError, match="not finished"):
        _ = writer.plan


def test_plan_of_large_payloads_is_written_in_small_groups(home: Home) -> None:
    plan = plan_of(home, range(40), payload=json.dumps({"text": "x" * 400_000}))
    assert pq.ParquetFile(plan.path).num_row_groups >= 3
    found = pending_of(home, plan, shard_size=7)
    assert [unit.unit_id for unit in units_of(found)] == [f"u{number}" for number in range(40)]
    [order, *_] = found.orders()
    assert [*pickle.loads(pickle.dumps(order))] == [*order], "processes of a cluster get it"


def test_register_plan_replaces_the_units_of_its_stage_only(home: Home) -> None:
    def units(stage: str) -> list[tuple[object, ...]]:
        with writing(home, wait_seconds=5) as con:
            sql = "SELECT unit_id, ordinal FROM units WHERE stage = ? ORDER BY ordinal"
            return con.execute(sql, [stage]).fetchall()

    with writing(home, wait_seconds=5) as con:
        con.execute("INSERT INTO units VALUES ('r1', 'verify', 'v1', NULL, 0), ('r2', 'generate', 'w1', NULL, 0)")
        register_plan(con, plan_of(home, [1, 2, 3]))
        register_plan(con, plan_of(home, [3, 1, 4]))
    assert sorted(units("generate")) == [("u1", 1), ("u3", 0), ("u4", 2), ("w1", 0)]
    assert units("verify") == [("v1", 0)]
