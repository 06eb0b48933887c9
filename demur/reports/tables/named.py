"""Declared tables, and their rows in a form for display."""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field

from demur.reports import names
from demur.reports.tables.formats import TO_THE_RIGHT, UNKNOWN, CellKind, with_interval, written
from demur.reports.tables.shown import Align, Column, ShownTable
from demur.warehouse.connection import Connection
from demur.warehouse.explorer.statements import BoundStatement, parts_of
from demur.warehouse.statements import with_stages

DECLARED: Final = Path(__file__).parent / "declared"


class ColumnDeclaration(BaseModel):
    """Display of one column of a statement. Undeclared columns occur only in raw records."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    heading: str
    kind: CellKind = CellKind.TEXT
    explanation: str = ""
    interval: tuple[str, str] | None = None
    """The columns of the lower and upper end of the value's interval, shown in the value's cell."""
    if_null: str = UNKNOWN
    """The text of a null."""
    reason: str | None = None
    """The column with the reason of a null; if that is null too, `if_null` is shown."""
    named: str | None = None
    """The mapping of `demur.reports.names` with names of the values."""
    hidden_if_all: Any = None
    """Hide the column if every row has this value."""
    aside: bool = False
    """Hide the column in a terminal that is too narrow for the table."""
    hidden_if_same: bool = False
    """Hide the column if all rows have the same value."""

    def cell(self, row: Mapping[str, Any], value: object) -> str:
        """Return the text of a cell."""
        if self.named is not None and isinstance(value, str):
            return str(getattr(names, self.named).get(value, value))
        reason = (row.get(self.reason) if self.reason else None) or self.if_null
        said = written(value, self.kind, str(reason))
        if value is None or self.interval is None:
            return said
        return with_interval(said, row.get(self.interval[0]), row.get(self.interval[1]), self.kind)

    def says_nothing(self, values: Iterable[object]) -> bool:
        """Return whether a column with these values is hidden."""
        found = list(values)
        if not found:
            return False
        if all(value is None for value in found):
            return True
        if self.hidden_if_all is not None and all(value == self.hidden_if_all for value in found):
            return True
        return self.hidden_if_same and all(value == found[0] for value in found)


class TableDeclaration(BaseModel):
    """Declaration of a table: title, texts, and columns in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    sql: str | None = None
    """The table whose SQL statement is used; None for the table's own."""
    caption: str = ""
    conclusion: str | None = None
    """A sentence with placeholders `{column}` for cells of the first row; omitted if one of them is null."""
    empty: str = "None."
    columns: dict[str, ColumnDeclaration] = Field(min_length=1)


class NamedTable:
    """A declared table."""

    def __init__(self, name: str, declaration: TableDeclaration) -> None:
        self.name = name
        self.declaration = declaration

    def statement(self, **parameters: object) -> BoundStatement:
        """Return the table's SQL statement bound to parameters."""
        found = parts_of(DECLARED / f"{self.declaration.sql or self.name}.sql", parameters)
        return BoundStatement(with_stages(found.sql), found.values)

    def read(self, connection: Connection, **parameters: object) -> ShownTable:
        """Run the statement and return its rows for display."""
        asked = self.statement(**parameters)
        found = connection.execute(asked.sql, asked.values or None)
        columns = [str(column[0]) for column in found.description]
        return self.shown((dict(zip(columns, row, strict=True)) for row in found.fetchall()), columns)

    def shown(self, records: Iterable[Mapping[str, Any]], columns: Iterable[str] | None = None) -> ShownTable:
        """Return given rows for display; `columns` are all raw columns (default: the declared ones)."""
        rows = tuple(records)
        kept = {
            name: column
            for name, column in self.declaration.columns.items()
            if not column.says_nothing(row.get(name) for row in rows)
        }
        return ShownTable(
            name=self.name,
            title=self.declaration.title,
            caption=self.declaration.caption,
            conclusion=self._conclusion(rows),
            empty=self.declaration.empty,
            columns=tuple(map(_column, kept, kept.values())),
            rows=tuple(tuple(row.get(name) for name in kept) for row in rows),
            cells=tuple(tuple(column.cell(row, row.get(name)) for name, column in kept.items()) for row in rows),
            records=rows,
            raw_columns=tuple(self.declaration.columns if columns is None else columns),
        )

    def _conclusion(self, rows: tuple[Mapping[str, Any], ...]) -> str | None:
        sentence = self.declaration.conclusion
        if sentence is None or not rows:
            return None
        used = {name: column for name, column in self.declaration.columns.items() if f"{{{name}}}" in sentence}
        if any(rows[0].get(name) is None for name in used):
            return None
        return sentence.format(**{name: column.cell(rows[0], rows[0][name]) for name, column in used.items()})


def _column(name: str, declared: ColumnDeclaration) -> Column:
    align: Align = "right" if declared.kind in TO_THE_RIGHT else "left"
    return Column(name, declared.heading, align, declared.explanation, declared.kind, declared.aside)


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
    return NamedTable(name, TableDeclaration.model_validate(found))


def table_names() -> list[str]:
    """Return the names of all declared tables, sorted."""
    return sorted(file.stem for file in DECLARED.glob("*.yaml"))
