from pathlib import Path

import duckdb
import pytest

from demur.warehouse.ddl import differences
from demur.warehouse.errors import WarehouseError, WarehouseVersionError
from demur.warehouse.migrate import Migration, migrate, migrations_in
from demur.warehouse.rows import to_arrow
from demur.warehouse.tables import Table
from tests.warehouse.examples import ROWS

IS_KNOWN = "ALTER TABLE items ADD COLUMN is_known BOOLEAN;"


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    """A file of an earlier release: an item is in it, and it lacks a column that the models have now."""
    con = duckdb.connect()
    migrate(con, [], "here")
    con.register("landed", to_arrow(Table.ITEMS, [ROWS[Table.ITEMS]], "here"))
    con.execute("INSERT INTO items BY NAME SELECT * FROM landed")
    con.execute("ALTER TABLE items DROP COLUMN is_known")
    con.execute("UPDATE schema_views SET digest = 'of that release'")
    return con


def planted(folder: Path, *texts: str) -> tuple[Migration, ...]:
    for number, text in enumerate(texts, start=1):
        (folder / f"{number:04d}_more.sql").write_text(text)
    return migrations_in(folder)


def versions(con: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    return con.execute("SELECT version, name FROM schema_migrations ORDER BY version").fetchall()


def test_migrate_brings_a_file_of_an_earlier_release_to_the_tables_of_the_models_once_or_leaves_it_as_it_was(
    con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    assert differences(con) == ["items"]
    with pytest.raises(WarehouseVersionError, match=r"here was made by an unreleased .*, whose tables \(items\)"):
        migrate(con, [], "here")
    with pytest.raises(duckdb.CatalogException):
        migrate(con, planted(tmp_path, f"{IS_KNOWN} SELECT * FROM nowhere"), "here")
    assert versions(con) == [(0, "tables")]
    known = planted(tmp_path, IS_KNOWN, "UPDATE items SET is_known = true;")
    for _ in range(2):
        migrate(con, known, "here")
        assert versions(con) == [(0, "tables"), (1, "0001_more.sql"), (2, "0002_more.sql")]
    assert con.execute("SELECT item_id, is_known FROM items").fetchall() == [(ROWS[Table.ITEMS]["item_id"], True)]
    assert differences(con) == []
    with pytest.raises(WarehouseVersionError, match="unreleased version of demur"):
        migrate(con, planted(tmp_path, f"-- Edited.\n{IS_KNOWN}"), "here")


def test_migrate_makes_a_new_file_with_all_meanings_and_takes_its_migrations_for_applied(tmp_path: Path) -> None:
    con = duckdb.connect()
    migrate(con, planted(tmp_path, IS_KNOWN), "here")  # again would fail: the column is there
    assert versions(con) == [(0, "tables"), (1, "0001_more.sql")]
    assert differences(con) == []
    named = "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND coalesce(comment, '') = ''"
    viewed = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND coalesce(comment, '') = ''"
    columns = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal AND coalesce(comment, '') = ''"
    assert [con.execute(sql).fetchall() for sql in (named, viewed, columns)] == [[], [], []]


@pytest.mark.parametrize("name", ["0002_more.sql", "more.sql", "0001_More.sql"])
def test_migration_out_of_line_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(IS_KNOWN)
    with pytest.raises(WarehouseError, match=f"{name}: expected a file named 0001_<words>.sql"):
        migrations_in(tmp_path)
