"""SQL texts, one statement per file; values are bound, only names of known tables are put in."""

from functools import cache
from pathlib import Path
from typing import Final

from demur.warehouse.tables import UNIT_TABLES, Table

_SQL: Final = Path(__file__).parent / "sql"
_STAGES: Final = ", ".join(
    f"'{name}'" for name in dict.fromkeys(stage for table in UNIT_TABLES for stage in table.stages)
)


@cache
def statement(name: str | Path, table: Table | None = None) -> str:
    """Return the text of `sql/<name>.sql` of this room, or of the file that is given.

    `${table}` is replaced by the name of a table from the closed set, `${every_stage}` by the stages of all tables.
    """
    file = _SQL / f"{name}.sql" if isinstance(name, str) else name
    text = file.read_text(encoding="utf-8")
    return with_stages(text if table is None else text.replace("${table}", Table(table).value))


def with_stages(text: str) -> str:
    """Return a text with the stages of all tables, as literals in their order, in place of `${every_stage}`."""
    return text.replace("${every_stage}", _STAGES)
