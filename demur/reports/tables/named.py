"""Declared tables, and their rows in a form for display."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field

from demur.reports.tables.shown import Column, ShownTable
from demur.warehouse.connection import Connection
from demur.warehouse.explorer.statements import BoundStatement, parts_of
from demur.warehouse.statements import with_stages

DECLARED: Final = Path(__file__).parent / "declared"


class NamedTable(BaseModel):
    """A declared table: title, texts, and columns in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    sql: str | None = None
    """The table whose SQL statement is used; None for the table's own."""
    caption: str = ""
    conclusion: str | None = None
    """A sentence with placeholders `{column}` for cells of the first row; omitted if one of them is null."""
    empty: str = "None."
    columns: dict[str, Column] = Field(min_length=1)

    def statement(self, **parameters: object) -> BoundStatement:
        """Return the table's SQL statement bound to parameters."""
        found = parts_of(DECLARED / f"{self.sql or self.name}.sql", parameters)
        return BoundStatement(with_stages(found.sql), found.values)

    def read(self, connection: Connection, **parameters: object) -> ShownTable:
        """Run the statement and return its rows for display."""
        asked = self.statement(**parameters)
        found = connection.execute(asked.sql, asked.values or None)
        columns = [str(column[0]) for column in found.description]
        return self.shown((dict(zip(columns, row, strict=True)) for row in found.fetchall()), columns)

    def shown(self, records: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None) -> ShownTable:
        """Return records for display. `columns` names all fields of the records (default: the declared columns)."""
        rows = tuple(records)
        kept = {
            name: column
            for name, column in self.columns.items()
            if not column.says_nothing(row.get(name) for row in rows)
        }
        return ShownTable(
            name=self.name,
            title=self.title,
            caption=self.caption,
            conclusion=self._conclusion(rows),
            empty=self.empty,
            columns=tuple(kept.values()),
            rows=tuple(tuple(row.get(name) for name in kept) for row in rows),
            cells=tuple(tuple(column.cell(row) for column in kept.values()) for row in rows),
            records=rows,
            raw_columns=tuple(self.columns if columns is None else columns),
        )

    def _conclusion(self, rows: tuple[Mapping[str, Any], ...]) -> str | None:
        sentence = self.conclusion
        if sentence is None or not rows:
            return None
        used = {name: column for name, column in self.columns.items() if f"{{{name}}}" in sentence}
        if any(rows[0].get(name) is None for name in used):
            return None
        return sentence.format(**{name: column.cell(rows[0]) for name, column in used.items()})


@cache
def named_table(name: str) -> NamedTable:
    """Return the declared table of a name.

    Raises:
        KeyError: there is no such table.
    """
    file = DECLARED / f"{name}.yaml"
    if not file.is_file():
        raise KeyError(f"table '{name}' is not one of {', '.join(table_names())}")
    found = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    columns = {column: {"name": column, **declared} for column, declared in found["columns"].items()}
    return NamedTable.model_validate({**found, "name": name, "columns": columns})


def table_names() -> list[str]:
    """Return the names of all declared tables, sorted."""
    return sorted(file.stem for file in DECLARED.glob("*.yaml"))
