import pytest

from demur.warehouse.errors import RowError
from demur.warehouse.landing import ShardRows, landable
from demur.warehouse.tables import Table
from demur.warehouse.tables.models import arrow_schema
from tests.warehouse.examples import ROUND, check, failure, perturbation


def test_rows_of_a_shard_have_the_exact_types_of_their_tables() -> None:
    shard = ShardRows.of(ROUND, "generate", "s1", {"perturbations": [perturbation(1)], "checks": []})
    assert {table: rows.num_rows for table, rows in shard.tables.items()} == {Table.PERTURBATIONS: 1, Table.CHECKS: 0}
    assert all(rows.schema.equals(arrow_schema(table)) for table, rows in shard.tables.items())


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        ({"perturbations": [perturbation(1), perturbation(2, intensity="SOME")]}, "row 1 (unit_id 'u2')"),
        ({"perturbations": [perturbation(1, round_id="r2")]}, "all must be 'r1'"),
        ({"failures": [failure(1, stage="verify")]}, "all must be 'generate'"),
        ({"perturbations": [perturbation(1)], "failures": [failure(1)]}, "rows in perturbations and in failures"),
        ({"units": []}, "table 'units' cannot land"),
        ({"calls": []}, "table 'calls' cannot land"),
        ({"perturbations; DROP TABLE items": []}, "cannot land"),
    ],
)
def test_rows_of_a_shard_that_do_not_fit_are_refused(frames: dict[str, list[dict[str, object]]], told: str) -> None:
    with pytest.raises(RowError) as caught:
        ShardRows.of(ROUND, "generate", "s1", frames)
    assert told in str(caught.value)
    assert "r1/generate/s1" in str(caught.value)


def test_units_whose_rows_do_not_fit_are_named_and_the_others_can_land() -> None:
    units = {f"u{n}": {"perturbations": [perturbation(n)], "checks": [check(n)]} for n in range(4)}
    units["u2"] = {"perturbations": [perturbation(2, intensity="SOME")], "checks": [check(2)]}
    frames, errors = landable(ROUND, "generate", "s1", units)
    assert list(errors) == ["u2"] and "SOME" in str(errors["u2"])
    shard = ShardRows.of(ROUND, "generate", "s1", frames)
    assert shard.tables[Table.CHECKS]["unit_id"].to_pylist() == ["u0", "u1", "u3"]
