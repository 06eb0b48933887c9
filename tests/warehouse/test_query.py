from pathlib import Path

import pytest

from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseError
from demur.warehouse.home import Home
from demur.warehouse.publication import publish
from demur.warehouse.results.query import query


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = Home(tmp_path_factory.mktemp("filled") / "home")
    with writing(home, wait_seconds=5) as con:
        con.execute("INSERT INTO units SELECT 'r1', 'generate', 'u' || range, NULL, range FROM range(5)")
    publish(home)
    return home


def test_query_gives_columns_and_rows_up_to_the_limit(filled: Home) -> None:
    sql = "SELECT unit_id, ordinal FROM units ORDER BY ordinal"
    result = query(filled, sql, limit=2)
    assert result.columns == ("unit_id", "ordinal")
    assert result.rows == [("u0", 0), ("u1", 1)]
    assert result.truncated
    assert not query(filled, sql, limit=5).truncated
    assert len(query(filled, sql, limit=None).rows) == 5


@pytest.mark.parametrize(
    "sql",
    ["FROM units;", "WITH u AS (FROM units) FROM u", "DESCRIBE units", "SUMMARIZE units", "SHOW TABLES"]
    + ["PIVOT units ON stage USING count(*)", "/* a */ -- b\nWITH p AS (PIVOT units ON stage USING count(*)) FROM p"]
    + ["SUMMARIZE (PIVOT units ON stage)", "DESCRIBE (PIVOT units ON stage)", "((PIVOT units ON stage))"]
    + ["EXPLAIN FROM units", "VALUES (1)", "-- of all\nFROM live_items UNION ALL FROM live_items"],
)
def test_query_of_any_reading_statement_works(filled: Home, sql: str) -> None:
    assert query(filled, sql, limit=10).columns


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM read_duckdb('{folder}/loader.duckdb')",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/loader.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "PRAGMA enable_external_access",
        "DELETE FROM units",
        "INSERT INTO units VALUES ('r', 's', 'u', NULL, 0)",
        "DROP TABLE units",
        "CREATE TABLE memory.main.mine (a INT)",
        "CREATE TEMP TABLE mine AS PIVOT units ON stage",
        "COPY (PIVOT units ON stage) TO '{folder}/out.csv'",
        "/* PIVOT */ INSERT INTO units PIVOT units ON stage",
        "CHECKPOINT",
        "CALL pragma_version()",
        "SELECT 1; DROP TABLE units",
        "SELECT getenv('HOME')",
        "SELECT * FROM secret",
    ],
)
def test_query_that_would_do_more_than_read_the_copy_is_refused(filled: Home, tmp_path: Path, sql: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    before = filled.published.read_bytes()
    files = sorted(filled.root.rglob("*"))
    with pytest.raises(WarehouseError) as caught:
        query(filled, sql.format(secret=secret, folder=filled.root), limit=1)
    assert str(caught.value).startswith("SQL")
    assert "\n" not in str(caught.value)
    assert filled.published.read_bytes() == before
    assert sorted(filled.root.rglob("*")) == files


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELEC 1", 'SQL, line 1, column 1: syntax error at or near "SELEC"'),
        ("SELECT 'é',\n  nope FROM units", 'SQL, line 2, column 3: Referenced column "nope" not found'),
        ("SELECT * FROM unitz", "SQL, line 1, column 15: Table with name unitz does not exist!; Did you mean"),
        ("SELECT error('first\nsecond')", "SQL: first; second"),
        ("SELECT ?", "SQL: Values were not provided"),
        ("", "SQL: 0 statements were given"),
        ("SELECT 1; SELECT 2", "SQL: 2 statements were given"),
        ("SELECT '\ud800'", "SQL: the text is not valid UTF-8"),
        ("SELECT 'a'::INT", "SQL, line 1, column"),
    ],
)
def test_query_with_an_error_names_its_place_in_one_line(filled: Home, sql: str, told: str) -> None:
    with pytest.raises(WarehouseError) as caught:
        query(filled, sql, limit=1)
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_query_confines_itself_and_nobody_after_it(filled: Home) -> None:
    query(filled, "SELECT 1", limit=1)
    publish(filled)
    with writing(filled, wait_seconds=5) as con:
        assert con.execute("SELECT current_setting('enable_external_access')").fetchall() == [(True,)]
