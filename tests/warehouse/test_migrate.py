import hashlib

import duckdb
import pytest

from demur.warehouse.errors import WarehouseVersionError
from demur.warehouse.migrate import Migration, migrate, migrations

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
    columns = (
        "SELECT table_name, column_name FROM duckdb_columns() "
        "WHERE schema_name = 'main' AND NOT internal AND coalesce(comment, '') = ''"
    )
    assert [con.execute(sql).fetchall() for sql in (named, viewed, columns)] == [[], [], []]
