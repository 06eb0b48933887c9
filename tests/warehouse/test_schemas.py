import duckdb
import pytest

from demur.warehouse.arrow_rows import to_arrow
from demur.warehouse.connection import writing
from demur.warehouse.errors import RowError
from demur.warehouse.home import Home
from demur.warehouse.tables import UNIT_TABLES, Table
from demur.warehouse.tables.models import arrow_schema, models, references
from tests.warehouse.examples import NOON, ROWS, perturbation

BOOKS_OF_THE_WAREHOUSE = {"schema_views"}


def test_tables_of_a_new_file_have_the_columns_of_their_models_in_their_order(home: Home) -> None:
    with writing(home, wait_seconds=0) as con:
        rows = con.execute(
            "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() "
            "JOIN duckdb_tables() USING (database_name, schema_name, table_name) ORDER BY table_name, column_index"
        ).fetchall()
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for table, column, kind, nullable in rows:
        found.setdefault(table, []).append((column, "VARCHAR" if kind == "JSON" else kind, nullable))
    assert set(found) - BOOKS_OF_THE_WAREHOUSE == set(Table)
    for table in Table:
        con = duckdb.connect()
        con.register("empty", arrow_schema(table).empty_table())
        described = con.execute("DESCRIBE SELECT * FROM empty").fetchall()
        columns = models()[table].to_schema().columns.items()
        assert found[table] == [
            (name, row[1], column.nullable) for row, (name, column) in zip(described, columns, strict=True)
        ]


def test_primary_keys_are_held_where_rows_are_written_one_by_one(home: Home) -> None:
    with writing(home, wait_seconds=0) as con:
        keys = dict(
            con.execute(
                "SELECT table_name, constraint_column_names FROM duckdb_constraints() "
                "WHERE constraint_type = 'PRIMARY KEY'"
            ).fetchall()
        )
    assert keys == {table: key for table, model in models().items() if (key := model.primary_key())}
    assert set(keys).isdisjoint(UNIT_TABLES)
    assert keys["batches"] == ["batch_id"]
    assert keys["audits"] == ["round_id", "item_id", "reader"]


@pytest.mark.parametrize(
    "table", [table for table in Table if table not in (Table.EXPECTATION_RESULTS, Table.FAILURES, Table.CALLS)]
)
def test_row_given_twice_is_refused_in_every_table_with_a_key(table: Table) -> None:
    with pytest.raises(RowError, match="unique"):
        to_arrow(table, [ROWS[table], ROWS[table]], "here")


@pytest.mark.parametrize(
    ("table", "changes", "told"),
    [
        (Table.PERTURBATIONS, {"status": "rejected"}, "needs a reason"),
        (Table.PERTURBATIONS, {"lever": None}, "a candidate needs"),
        (Table.PERTURBATIONS, {"replicate": -1}, "column replicate is -1"),
        (Table.PERTURBATIONS, {"replicate": 1.5}, "column replicate is 1.5: expected a whole number"),
        (Table.PERTURBATIONS, {"replicate": 2**63}, "at most 64 bits"),
        (Table.PERTURBATIONS, {"base_id": None}, "column base_id is None"),
        (Table.PERTURBATIONS, {"base_id": 7}, "expected text"),
        (Table.PERTURBATIONS, {"lever_name": "x"}, "unknown column 'lever_name'"),
        (Table.PERTURBATIONS, {"changed": [{"index": 0}]}, "expected a value for text"),
        (Table.PERTURBATIONS, {"changed": [{"index": 0, "text": "t", "at": 1}]}, "with the keys index, text"),
        (Table.PERTURBATIONS, {"changed": [None]}, "without nulls"),
        (Table.VERDICTS, {"issues": "abc"}, "expected a list"),
        (Table.VERDICTS, {"overall": False}, "overall is null for missing"),
        (Table.VERDICTS, {"overall": 1}, "expected True or False"),
        (Table.VERDICTS, {"lever_fidelity": False}, "a pass passes every check"),
        (Table.VERDICTS, {"refusal_class_alignment": None}, "a pass passes every check"),
        (Table.VERDICTS, {"outcome": "fail", "overall": False}, "a fail does not"),
        (Table.VERDICTS, {"outcome": "inconsistent"}, "inconsistent contradicts itself"),
        (Table.ITEMS, {"expected": "ANSWER_CORRECTLY"}, "expected must be the code"),
        (Table.ITEMS, {"kind": "control"}, "a control none of them"),
        (Table.JUDGEMENTS, {"predicted": "ANSWER_CORRECTLY"}, "column predicted"),
        (Table.JUDGEMENTS, {"quality": 6}, "column quality is 6"),
        (Table.RESPONSES, {"confidence": "sure"}, "column confidence is 'sure'"),
        (Table.GRADES, {"probability": float("nan")}, "column probability is nan"),
        (Table.SCORES, {"value": float("nan"), "reason": None}, "without a value needs the reason"),
        (Table.SCORES, {"low": 0.6, "high": 0.5}, "low is at most high"),
        (Table.CALLS, {"reply": None}, "has a reply"),
        (Table.CALLS, {"status": "error"}, "error_class"),
        (Table.CALLS, {"started_at": NOON.replace(tzinfo=None)}, "time zone"),
    ],
)
def test_row_that_breaks_a_rule_is_refused_by_name(table: Table, changes: dict[str, object], told: str) -> None:
    with pytest.raises(RowError) as caught:
        to_arrow(table, [ROWS[table] | changes], "r1/generate/s1")
    assert told in str(caught.value)
    assert str(caught.value).startswith(f"r1/generate/s1: {table} row 0")


@pytest.mark.parametrize(
    "changes",
    [
        {"strategy_compliance": None},
        {"intensity": "LOW", "uncertainty_induced": None, "refusal_class_alignment": None},
        {"outcome": "fail", "overall": False, "target_compliance": False},
        {"outcome": "inconsistent", "target_compliance": False},
        {"outcome": "inconsistent", "overall": False},
        {"outcome": "missing", "overall": None},
    ],
)
def test_verdict_whose_outcome_fits_the_checks_that_apply_is_accepted(changes: dict[str, object]) -> None:
    assert to_arrow(Table.VERDICTS, [ROWS[Table.VERDICTS] | changes], "here").num_rows == 1


def test_rule_broken_in_several_rows_names_the_first_and_counts_the_others() -> None:
    rows = [perturbation(number, status="lost" if number >= 3 else "candidate") for number in range(6)]
    told = r"row 3 \(unit_id 'u3'\): column status is 'lost': must be one of candidate, rejected, declined \(and 2 more"
    with pytest.raises(RowError, match=told):
        to_arrow(Table.PERTURBATIONS, rows, "here")


@pytest.mark.parametrize("table", [table for table in Table if table is not Table.IMPORTED_RESPONSES])
def test_column_named_as_the_key_of_another_table_declares_it(table: Table) -> None:
    """Of imported responses, items and responses are named as their file does."""
    keys = {"round_id": Table.ROUNDS, "base_id": Table.BASE_INSTANCES, "perturbation_id": Table.PERTURBATIONS}
    keys |= {"item_id": Table.ITEMS, "response_id": Table.RESPONSES, "completion_id": Table.COMPLETIONS}
    keys |= {"call_id": Table.CALLS, "batch_id": Table.BATCHES}
    keys |= {"document_id": Table.DOCUMENTS, "passage_id": Table.PASSAGES, "question_id": Table.QUESTIONS}
    named = {column: keys[column] for column in arrow_schema(table).names if column in keys}
    assert references(table) == {column: other for column, other in named.items() if other is not table}
