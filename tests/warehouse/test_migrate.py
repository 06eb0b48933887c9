import hashlib
from pathlib import Path

import duckdb
import pytest

from demur.warehouse.connection import writing
from demur.warehouse.errors import WarehouseVersionError
from demur.warehouse.home import Home
from demur.warehouse.migrate import Migration, migrate, migrations
from demur.warehouse.rows import to_arrow
from demur.warehouse.statements import statement
from demur.warehouse.tables import Table
from tests.warehouse.examples import ROWS

LAST = len(migrations())
OURS = [(migration.version, migration.name) for migration in migrations()]


def made(version: int, text: str) -> Migration:
    return Migration(version, f"{version:04d}_more.sql", text, hashlib.sha256(text.encode()).hexdigest())


def versions(con: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    return con.execute("SELECT version, name FROM schema_migrations ORDER BY version").fetchall()


def test_migrate_applies_each_migration_once_and_in_order() -> None:
    con = duckdb.connect()
    first = migrations()
    migrate(con, first, "here")
    con.execute("INSERT INTO units VALUES ('r1', 'generate', 'u1', 0)")
    later = [
        made(LAST + 1, "ALTER TABLE units ADD COLUMN weight_kg DOUBLE"),
        made(LAST + 2, "UPDATE units SET weight_kg = 1.5"),
    ]
    for _ in range(2):
        migrate(con, [*first, *later], "here")
        assert versions(con) == [*OURS, *((one.version, one.name) for one in later)]
    assert con.execute("SELECT * FROM units").fetchall() == [("r1", "generate", "u1", 0, 1.5)]


def test_migrate_that_fails_halfway_leaves_the_version_before() -> None:
    con = duckdb.connect()
    broken = made(LAST + 1, "CREATE TABLE half (a INT); SELECT * FROM nowhere")
    with pytest.raises(duckdb.CatalogException):
        migrate(con, [*migrations(), broken], "here")
    assert versions(con) == OURS
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'half'").fetchall() == [(0,)]
    migrate(con, [*migrations(), made(LAST + 1, "CREATE TABLE half (a INT)")], "here")
    assert versions(con)[-1] == (LAST + 1, f"{LAST + 1:04d}_more.sql")


def test_migrate_of_a_file_whose_tables_stood_in_main_keeps_every_row_in_raw() -> None:
    con = duckdb.connect()
    before = [migration for migration in migrations() if migration.name < "0013"]
    con.execute(statement("schema_migrations"))
    for migration in before:
        con.execute(migration.text)
        con.execute(statement("insert_migration"), [migration.version, migration.name, migration.digest])
    there = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    tables = [table for table in Table if table in there]  # later migrations bring more
    columns = {
        table: ", ".join(f'"{row[0]}"' for row in con.execute(f"DESCRIBE {table}").fetchall()) for table in tables
    }
    for table, row in ((table, ROWS[table]) for table in tables):
        con.register("landed", to_arrow(table, [row], "here"))
        con.execute(f"INSERT INTO {table} BY NAME SELECT {columns[table]} FROM landed")  # later ones have more
    held = {table: con.execute(f"SELECT * FROM main.{table}").fetchall() for table in tables}
    assert all(len(rows) == 1 for rows in held.values())
    migrate(con, migrations(), "here")
    assert {table: con.execute(f"SELECT {columns[table]} FROM raw.{table}").fetchall() for table in tables} == held
    assert con.execute("SELECT schema_name, count(*) FROM duckdb_tables() GROUP BY ALL ORDER BY ALL").fetchall() == [
        ("main", 2), ("raw", len(Table)),
    ]  # fmt: skip


def test_every_view_can_be_read_by_a_client_that_knows_nothing_of_the_schemas(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with writing(home, wait_seconds=1):
        pass
    with duckdb.connect(str(home.loader), read_only=True) as con:
        views = [name for (name,) in con.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()]
        assert len(views) > 50
        for view in views:
            con.execute(f"FROM main.{view} LIMIT 0")


def test_migrate_of_a_newer_file_names_both_versions() -> None:
    con = duckdb.connect()
    migrate(con, [*migrations(), made(LAST + 1, "CREATE TABLE more (a INT)")], "here")
    with pytest.raises(
        WarehouseVersionError, match=rf"here is at migration {LAST + 1} \({LAST + 1:04d}_more.sql\).*up to {LAST}"
    ):
        migrate(con, migrations(), "here")


def test_every_table_view_and_column_has_its_meaning_in_the_catalog() -> None:
    con = duckdb.connect()
    migrate(con, migrations(), "here")
    named = "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND coalesce(comment, '') = ''"
    viewed = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND coalesce(comment, '') = ''"
    columns = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal AND coalesce(comment, '') = ''"
    assert [con.execute(sql).fetchall() for sql in (named, viewed, columns)] == [[], [], []]
