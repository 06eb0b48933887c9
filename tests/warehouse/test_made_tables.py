import duckdb
import pytest

from demur.warehouse.errors import OtherTablesError, WarehouseVersionError
from demur.warehouse.tables.made_tables import make_tables, require_current, require_made


def made() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    make_tables(con, "here")
    return con


def test_file_with_other_tables_is_refused_by_name_for_writing_and_as_a_copy() -> None:
    con = made()
    con.execute("ALTER TABLE items DROP COLUMN is_known; UPDATE schema_views SET digest = 'of another version'")
    with pytest.raises(OtherTablesError, match=r"here was made by another version of demur, whose tables \(items\)"):
        make_tables(con, "here")
    with pytest.raises(WarehouseVersionError, match="here was published by a version of demur with other tables"):
        require_current(con, "here")


def test_file_with_other_views_alone_gets_the_views_of_this_version() -> None:
    con = made()
    con.execute("DROP VIEW live_items; UPDATE schema_views SET digest = 'of another version'")
    require_current(con, "here")
    make_tables(con, "here")
    assert con.execute("SELECT count(*) FROM live_items").fetchall() == [(0,)]


def test_file_of_another_program_is_refused() -> None:
    with pytest.raises(WarehouseVersionError, match="here is no warehouse of this demur: set DEMUR_HOME"):
        require_made(duckdb.connect(), "here")
    con = duckdb.connect()
    con.execute("CREATE TABLE schema_views (version INTEGER)")
    with pytest.raises(WarehouseVersionError, match="here is no warehouse of this demur: set DEMUR_HOME"):
        make_tables(con, "here")
    assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("schema_views",)]
