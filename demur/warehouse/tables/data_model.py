"""Program of `make docs` that writes the lists of columns in docs/data-model.md, from the comments in the catalog."""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from demur.warehouse.connection import writing
from demur.warehouse.home import Home
from demur.warehouse.tables import UNIT_TABLES
from demur.warehouse.transactions import Connection

_COLUMNS = re.compile(
    r"(^### `(\w+)`\n(?:(?!^#).*\n)*?\| column \| type \| meaning \|\n\|---\|---\|---\|\n)((?:\|.*\n)*)", re.M
)
_LIVE = re.compile(r"(^\| view \| rows of \| stage \|\n\|---\|---\|---\|\n)((?:\|.*\n)*)", re.M)
_CATALOG = """
    SELECT column_name, data_type, comment FROM duckdb_columns()
    WHERE database_name = current_database() AND schema_name = 'main' AND table_name = $relation
    ORDER BY column_index
"""


def updated(page: str, con: Connection) -> str:
    """Return the page with the lists of columns and the list of live views replaced by the current ones.

    The live view `live_<table>` has the rows of a table whose units are in the current plans of their rounds.
    """

    def columns(found: re.Match[str]) -> str:
        rows = con.execute(_CATALOG, {"relation": found[2]}).fetchall()
        return found[1] + "".join(f"| `{name}` | `{kind}` | {meaning or ''} |\n" for name, kind, meaning in rows)

    live = "".join(f"| `live_{table}` | `{table}` | {', '.join(table.stages)} |\n" for table in UNIT_TABLES)
    page = _LIVE.sub(lambda found: found[1] + live + "| `live_failures` | `failures` | all |\n", page)
    return _COLUMNS.sub(columns, page)


def main(path: Path) -> None:
    """Update the page at `path`."""
    with TemporaryDirectory() as folder, writing(Home(Path(folder)), wait_seconds=0) as con:
        path.write_text(updated(path.read_text(encoding="utf-8"), con), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
