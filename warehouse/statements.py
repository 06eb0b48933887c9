"""SQL texts, one statement per file; values are bound, only names of known tables are put in."""

from functools import cache
from pathlib import Path
from typing import Final

from demur.warehouse.tables import Table

_SQL: Final = Path(__file__).parent / "sql"


@cache
def statement(name: str | Path, table: Table | None = None) -> str:
    """Return the text of `sql/<name>.sql` of this room, or of the file that is given.

    `${table}` is replaced by the name of a table from the closed set.
    """
    file = _SQL / f"{name}.sql" if isinstance(name, str) else name
    text = file.read_text(encoding="utf-8")
    return text if table is None else text.replace("${table}", Table(table).value)
