"""The SQL of this room, one statement per file in sql/; values are bound, only names of known tables are put in."""

from functools import cache
from importlib.resources import files

from demur.warehouse.tables import Table


@cache
def statement(name: str, table: Table | None = None) -> str:
    """Return the text of `sql/<name>.sql`, with `${table}` replaced by the name of a table from the closed set."""
    text = (files("demur.warehouse") / "sql" / f"{name}.sql").read_text(encoding="utf-8")
    return text if table is None else text.replace("${table}", Table(table).value)
