"""SQL texts, one statement per file. Values are bound. Only names of tables and stages are put into the texts."""

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
    """Return the text of the file `name`: a Path, or a string for the file `warehouse/sql/<name>.sql`.

    In the text, `${table}` is replaced by the name of `table`, and `${every_stage}` by a list of all stages that land
    units.
    """
    file = _SQL / f"{name}.sql" if isinstance(name, str) else name
    text = file.read_text(encoding="utf-8")
    return with_stages(text if table is None else text.replace("${table}", Table(table).value))


def with_stages(text: str) -> str:
    """Return a text with `${every_stage}` replaced by a list of all stages that land units, as SQL literals."""
    return text.replace("${every_stage}", _STAGES)
